#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The command compiles without jansson: cli/output/json.h has all that is called then, and is the only file that
# includes the library's header. Usage: test_no_json.sh SOURCE MPICC
source=$1 mpicc=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$source" || exit 2
files=$(find cli -name '*.c')
wrong=$(grep -rl 'jansson\.h' cli | grep -v '^cli/output/json\.h$')
[ -z "$wrong" ] || { echo "no json: $wrong: include cli/output/json.h instead of jansson.h"; exit 1; }
echo '#define SUMMAND_BUILD "none"' >"$work/build_id.h"
"$mpicc" -std=c11 -D_GNU_SOURCE -DSUMMAND_LAUNCHER='"mpiexec"' -DSUMMAND_LIBRARIES='"../lib"' -fsyntax-only -Wall -Wextra -Werror -Wno-unknown-pragmas -Wno-missing-field-initializers \
    -Iinclude -Ishim -Isrc -Isrc/core -Iapps -I. -I"$work" $files || { echo 'no json: does not compile without jansson'; exit 1; }
echo "no json: $(echo "$files" | wc -l) files compile without jansson"
