#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Each option that relaxes floating-point arithmetic is refused, and named, with gcc and with clang where that is here:
# by the header that every file includes, or by CMake where the compiler has no macro for it.
# Usage: test_strict_math.sh SOURCE CMAKE
source=$1 cmake=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0
checks=0
fail() { echo "strict_math: $*"; failed=1; }

compiles() # COMPILER FLAGS...
{
    compiler=$1
    shift
    "$compiler" -std=c11 -O2 -ffp-contract=off "$@" -include "$source/src/core/base/strict_math.h" \
        -c -x c /dev/null -o "$work/o" 2>"$work/said"
}

configures() # COMPILER FLAGS
{
    CC=$1 CFLAGS=$2 "$cmake" -S "$source" -B "$work/build" -DSUMMAND_WITH_MPI=OFF -DSUMMAND_TESTS=OFF -DSUMMAND_COMMAND=OFF \
        >"$work/said" 2>&1
    result=$?
    rm -rf "$work/build"
    return $result
}

refused() # COMPILER FLAG: with a sentence that has a word of it
{
    checks=$((checks + 1))
    word=$(echo "$2" | sed 's/=.*//; s/-mfpmath/x87/')
    if compiles $1 $2 && configures "$1" "$2"; then
        fail "$1 takes $2"
    elif ! tr '\n' ' ' <"$work/said" | grep -q -e "$word"; then
        fail "$1 $2: refused without its name: $(head -n 3 "$work/said")"
    fi
}

taken() # COMPILER FLAG
{
    checks=$((checks + 1))
    compiles $1 $2 || fail "$1 does not take $2: $(head -n 3 "$work/said")"
}

for compiler in gcc clang; do
    command -v $compiler >/dev/null || continue
    $compiler --version | grep -qi "$compiler\|free software" || continue
    for flag in -ffast-math -Ofast -ffinite-math-only -fno-signed-zeros -freciprocal-math -funsafe-math-optimizations; do
        refused $compiler $flag
    done
    case $(uname -m) in x86_64) refused $compiler -mlong-double-64; refused $compiler -mlong-double-128 ;; esac
    for flag in -O0 -O3 -fno-math-errno -fno-trapping-math -frounding-math; do taken $compiler $flag; done
done
if command -v gcc >/dev/null; then
    for flag in -fsingle-precision-constant -fcx-limited-range -fcx-fortran-rules; do refused gcc $flag; done
    case $(uname -m) in x86_64) refused gcc -mfpmath=387 ;; esac
fi
if command -v clang >/dev/null; then
    for flag in -fassociative-math -fno-honor-nans -fdenormal-fp-math=preserve-sign -ffp-model=fast; do refused clang $flag; done
fi
if command -v clang >/dev/null; then
    for flag in -ffp-model=precise -ffp-model=strict -fdenormal-fp-math=ieee; do
        configures clang $flag || fail "CMake refuses $flag: $(tail -n 5 "$work/said")"
    done
    if configures 'clang -fassociative-math' -O2; then fail 'CMake takes a flag in CC'; fi
fi
configures cc -O2 || fail "CMake refuses harmless flags: $(tail -n 5 "$work/said")"
[ $checks -gt 0 ] || fail 'no compiler'
[ $failed = 0 ] && echo "strict_math: $checks flags"
exit $failed
