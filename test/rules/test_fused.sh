#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# No object has fused multiply-adds, except kernels that ask for them. A product that a compiler fuses with a sum is
# not rounded, so bits would change with the instruction set, the place in a vector and the number of ranks.
# Usage: test_fused.sh SOURCE LIBRARY: checks the built library.
#        test_fused.sh SOURCE compile: compiles the computing code with gcc and clang for processors that can fuse.
source=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0

# Kernels whose definition has fma(), and exact sums, where a fused difference tells the error of a sum.
asks='lanes_avx512 outer outer_avx2 outer_avx512 outer_generic outer_panels outer_sparse outer_symmetric pass_avx2
    pass_avx512 product product_ordered kernels'

case $(uname -m) in x86_64) ;; *) echo 'fused: x86-64 alone'; exit 77 ;; esac
command -v objdump >/dev/null || exit 77

# fused OBJECT...: files with such instructions that do not ask for them; and those that do.
fused()
{
    objdump -d --no-show-raw-insn "$@" | awk -v asks="$asks" '
        BEGIN { n = split(asks, names, /[ \n]+/); for (i = 1; i <= n; i++) asked[names[i]] = 1 }
        /file format/ { sub(/:.*/, ""); sub(/.*\//, ""); sub(/(\.c)?\.o$/, ""); file = $0; objects++ }
        /[ \t]vfn?m(add|sub)[a-z0-9]* / || /[ \t]vfm(addsub|subadd)/ { found[file]++ }
        END {
            for (f in found) if (!(f in asked)) { print "fused: " f ": " found[f] " fused instructions"; bad++ }
            if (!objects) { print "fused: no objects"; bad++ }
            if (!("outer_avx2" in found)) { print "fused: none in outer_avx2, which asks: the look is blind"; bad++ }
            exit bad > 0
        }'
}

if [ "$2" != compile ]; then
    fused "$2" && echo "fused: none but in kernels that ask for it"
    exit
fi

compile() # COMPILER FLAGS...
{
    mkdir -p "$work/o"
    for file in "$source"/src/core/kernel/*.c "$source"/src/compute/*.c "$source"/src/core/exact/*.c "$source"/src/gossip/*.c; do
        name=$(basename "$file" .c)
        case $name in
        *_neon | blas) continue ;;
        *_avx512) set_flags='-mavx512f -mavx512dq -mavx512bw -mavx512vl -mavx2 -mfma -mprefer-vector-width=512' ;;
        *) set_flags=-mfma\ -mavx2 ;;
        esac
        # shellcheck disable=SC2086
        "$@" $set_flags -std=c11 -O3 -fPIC -ffp-contract=off -D_GNU_SOURCE -I"$source/src" -I"$source/src/core" -I"$source/include" -w \
            -include "$source/src/core/base/strict_math.h" -c "$file" -o "$work/o/$name.c.o" || failed=1
    done
    fused "$work"/o/*.o || failed=1
    rm -rf "$work/o"
}
for compiler in gcc clang; do
    command -v $compiler >/dev/null || { echo "fused: $compiler is not here"; continue; }
    compile $compiler -march=x86-64-v3
done
[ $failed = 0 ] && echo "fused: none but in kernels that ask for it, with -march=x86-64-v3"
exit $failed
