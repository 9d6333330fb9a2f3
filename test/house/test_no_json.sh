#!/bin/sh
# The command compiles without jansson: cli/json.h has all that is called then, and is the only file that
# includes the library's header. Usage: test_no_json.sh SOURCE MPICC
source=$1 mpicc=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$source" || exit 2
wrong=$(grep -l 'jansson\.h' cli/*.[ch] | grep -v '^cli/json\.h$')
[ -z "$wrong" ] || { echo "no json: $wrong: include json.h instead of jansson.h"; exit 1; }
echo '#define SUMMAND_BUILD "none"' >"$work/build_id.h"
"$mpicc" -std=c11 -D_GNU_SOURCE -DSUMMAND_LAUNCHER='"mpiexec"' -fsyntax-only -Wall -Wextra -Werror -Wno-unknown-pragmas \
    -Iinclude -Isrc -Icli -Ibench -I"$work" cli/*.c || { echo 'no json: does not compile without jansson'; exit 1; }
echo "no json: $(ls cli/*.c | wc -l) files compile without jansson"
