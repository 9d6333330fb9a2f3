#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The files that other projects carry (packaging/amalgamation): the same bytes each time, at most 2500 lines; they compile
# alone, without a word, with every gcc and clang here and the flags of careless projects. The library's own tests
# (MPFR is their oracle) pass with them instead of the library, on each instruction set; the header is C++, too; and an
# MPI program adds accumulators by an operator.
# Usage: check_amalgamation.sh SOURCE few|all MPICC [LAUNCHER...]. few: with AVX2 alone, and -O2 of each compiler and gcc's
# unsafe mathematics are compiled, and not run. Exit code 77: something is missing, which a line names.
set -eu
source=$1 extent=$2 mpicc=$3
shift 3
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
skip() { echo "skipped: $*"; exit 77; }
for tool in python3 gcc g++; do
    command -v $tool >/dev/null || skip "no $tool"
done
printf '#include <stdarg.h>\n#include <stddef.h>\n#include <setjmp.h>\n#include <stdint.h>\n#include <%s>\n' cmocka.h mpfr.h >"$scratch/oracle.c"
echo 'int main(void) { return 0; }' >>"$scratch/oracle.c"
gcc "$scratch/oracle.c" -lcmocka -lmpfr -lgmp -o "$scratch/oracle" 2>"$scratch/missing" ||
    skip "no cmocka or MPFR: $(head -n 3 "$scratch/missing")"
make() { python3 "$source/packaging/amalgamation/amalgamate.py" "$@"; }
make "$scratch/files" commit >"$scratch/sizes"
make "$scratch/again" commit >/dev/null
cat "$scratch/sizes"
diff -r "$scratch/files" "$scratch/again"
awk '$1 > 2500 {print "more than 2500 lines: " $0; exit 1}' "$scratch/sizes"
cd "$scratch"

# What the library's tests include, from the carried files.
mkdir -p include/summand include/kernel
echo '#include "../../files/summand_exact.h"' >include/summand/exact.h
echo '#include "../../files/summand_exact_vector.h"' >include/summand/exact_vector.h
cat >include/kernel/arch.h <<'EOF'
#include <stdbool.h>
enum summand__arch { SUMMAND__GENERIC, SUMMAND__ARCHS };
#define summand__arch_force(arch) ((arch) == SUMMAND__GENERIC)
#define summand__arch_name(arch) "the one that was compiled"
EOF

# build NAME COMPILER FLAG...: both files, without a word.
build()
{
    name=$1
    shift
    mkdir "$name"
    for file in summand_exact summand_exact_vector; do
        "$@" -std=c11 -Wall -Wextra -Werror -c "files/$file.c" -o "$name/$file.o" ||
            { echo "$file.c does not compile: $*"; exit 1; }
    done
}

# tested NAME COMPILER FLAG...
tested()
{
    name=$1
    shift
    build "$name" "$@"
    for test in test_exact test_exact_algebra test_exact_edges test_exact_vector; do
        # shellcheck disable=SC2086
        "$@" -std=gnu11 -fno-fast-math -fno-unsafe-math-optimizations -fno-finite-math-only -ffp-contract=off -Iinclude -I"$source/test" "$source/test/unit/$test.c" "$name"/*.o -lcmocka -lmpfr -lgmp -lm \
            -o "$name/$test"
        "./$name/$test" >"$name/$test.log" 2>&1 || { tail -20 "$name/$test.log"; echo "$test fails: $*"; exit 1; }
    done
    echo "passed: $*"
}

often=build sets=
if [ "$extent" = all ]; then often=tested sets=0; fi
grep -q avx2 /proc/cpuinfo && sets="$sets 1"
[ "$extent" != all ] || ! grep -q avx512vl /proc/cpuinfo || sets="$sets 2"
compilers=$(ls /usr/bin/gcc /usr/bin/clang /usr/bin/gcc-[0-9]* /usr/bin/clang-[0-9]* 2>/dev/null | grep -E '(gcc|clang)(-[0-9]+)?$' |
    while read -r found; do readlink -f "$found"; done | sort -u)
for compiler in ${COMPILERS:-$compilers}; do
    short=$(basename "$compiler")
    $often "$short-O2" "$compiler" -O2
    build "$short-O0" "$compiler" -O0
done
[ -n "${compiler:-}" ] || skip "no compiler in /usr/bin"
tested fast gcc -O3 -ffast-math -march=native
$often unsafe gcc -O2 -funsafe-math-optimizations -ffinite-math-only
! command -v clang >/dev/null || tested fast-clang clang -O3 -ffast-math
for set in $sets; do
    tested "set-$set" gcc -O1 -DSUMMAND_EXACT_ARCH="$set"
done
tested sanitized gcc -O1 -DSUMMAND_EXACT_ARCH=0 -fsanitize=address,undefined -fno-sanitize-recover=all

printf '#include "files/summand_exact.h"\n#include "files/summand_exact_vector.h"\nint main() { return summand_exact_sum(0, nullptr) != 0; }\n' >cpp.cpp
g++ -std=c++17 -Wall -Wextra -Wpedantic -Werror cpp.cpp fast/*.o -o cpp && ./cpp

[ $# -gt 0 ] || exit 0
"$mpicc" -std=c11 -Wall -Wextra -Werror -Ifiles "$source/test/cross/amalgamation_mpi.c" fast/summand_exact.o -o mpi
"$@" ./mpi
