#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The kernels of every instruction set give the same bits with every compiler that is here, as they are released and with
# what other builders and newer compilers turn on: C23, vectors at -O2, the instruction sets of newer processors (with
# fused multiply-adds and SVE), hardening, variables that begin with a pattern. This machine's run here, those of ARM
# under an emulator. The programs FAMILY_hash.c also check each kernel against its definition.
# Usage: check_kernels.sh SOURCE_DIRECTORY few|all [FOLDER]. few: each compiler with one of both, in turn; the build's own
# tests have what is released (unit/test_combine and others). FOLDER keeps the results, also for compilers of another system.
# COMPILERS='gcc-13 clang' takes these alone. Exit code 77: nothing to compare with.
# shellcheck disable=SC2086 # words are split
set -eu
source=$1 extent=$2
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
results=${3:-$scratch}
flags="-ffp-contract=off -Wall -Wextra -Werror -D_GNU_SOURCE -DSUMMAND_BLAS_FILE=\"\""
wide='-mavx512f -mavx512dq -mavx512bw -mavx512vl -mavx2 -mfma -mprefer-vector-width=512'
compared=
released=
libraries=0

# hashes NAME PROCESSOR EMULATOR ARCHS COMPILER [FLAG...]: a hash program prints the first one's output with every
# instruction set of ARCHS. A library provides the parts of src/core/kernel, base, exact and compute that it needs.
hashes()
{
    name=$1 processor=$2 emulator=$3 archs=$4
    shift 4
    libraries=$((libraries + 1))
    folder=$scratch/$libraries
    mkdir "$folder"
    for file in "$source"/src/core/kernel/*.c "$source"/src/compute/*.c "$source"/src/tables/registered.c "$source"/src/core/base/*.c "$source"/src/core/exact/block.c \
        "$source"/src/core/exact/vector.c; do
        for_set=
        case $file in
        *_avx2.c | *_avx512.c) [ "$processor" = x86_64 ] || continue ;;
        *_neon.c) [ "$processor" = aarch64 ] || continue ;;
        esac
        case $file in
        *_avx2.c) for_set='-mavx2 -mfma -mf16c' ;;
        *_avx512.c) for_set=$wide ;;
        esac
        "$@" $flags $for_set -include "$source/src/core/base/strict_math.h" "-I$source/src/core" "-I$source/src" "-I$source/include" \
            -c "$file" -o "$folder/$(basename "$file").o"
    done
    ar rc "$folder.a" "$folder"/*.o
    for family in tree combine outer lanes; do
        "$@" $flags "-I$source/src/core" "-I$source/src" "-I$source/include" "-I$source/test" "$source/test/cross/${family}_hash.c" \
            "$folder.a" -lm -ldl -lpthread -o "$folder/$family"
        for arch in $archs; do
            SUMMAND_ARCH=$arch $emulator "$folder/$family" >"$folder/$family.txt"
            [ -s "$results/$family.txt" ] || cp "$folder/$family.txt" "$results/$family.txt"
            cmp "$results/$family.txt" "$folder/$family.txt" ||
                { echo "$family: $name $arch differs from those before:$compared"; exit 1; }
        done
    done
    rm -r "$folder" "$folder.a"
    compared="$compared $name;"
}

# takes COMPILER FLAG...: prints the flags that this compiler knows.
takes()
{
    compiler=$1
    shift
    for flag; do
        "$compiler" -Werror "$flag" -c -x c /dev/null -o "$scratch/try.o" 2>/dev/null || continue
        printf '%s ' "$flag"
    done
}

# compiled NAME PROCESSOR EMULATOR ARCHS COMPILER NEWEST [FLAG...]: as released, and otherwise. NEWEST: -march=...
compiled()
{
    name=$1 processor=$2 emulator=$3 archs=$4 compiler=$5 newest=$6
    shift 6
    if [ "$extent" = all ] || [ -n "$released" ]; then
        # -O3 as in a release: the compiler vectorizes the combine kernels.
        hashes "$name" "$processor" "$emulator" "$archs" "$compiler" -std=c11 -O3 "$@"
        released=
        [ "$extent" = all ] || return 0
    fi
    released=next
    others=$(takes "$compiler" -ftree-vectorize -fstack-protector-strong -ftrivial-auto-var-init=pattern -std=c2x $newest)
    hashes "$name $others" "$processor" "$emulator" "$archs" "$compiler" -O2 -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2 $others "$@"
}

# Instruction sets of this processor.
here=generic newest=
if [ "$(uname -m)" = x86_64 ]; then
    if grep -qw avx2 /proc/cpuinfo && grep -qw fma /proc/cpuinfo; then here="$here avx2" newest=-march=x86-64-v3; fi
    if grep -qw avx512vl /proc/cpuinfo && grep -qw avx512dq /proc/cpuinfo; then here="$here avx512"; fi
elif [ "$(uname -m)" = aarch64 ]; then
    here="$here neon"
fi
# Each version once: gcc and gcc-12 may be one.
seen=
for compiler in ${COMPILERS:-gcc clang $(ls /usr/bin /usr/local/bin 2>/dev/null | grep -E '^(gcc|clang)-[0-9]+$' | sort -u)}; do
    command -v "$compiler" >/dev/null || continue
    version=$($compiler -dumpfullversion 2>/dev/null || $compiler -dumpversion)
    name=${compiler%%-*}\ $version
    case $seen in *"|$name|"*) continue ;; esac
    seen="$seen|$name|"
    compiled "$name" "$(uname -m)" '' "$here" "$compiler" "$newest"
done
if [ -z "${COMPILERS:-}" ] && command -v aarch64-linux-gnu-gcc >/dev/null && command -v qemu-aarch64 >/dev/null; then
    compiled "gcc $(aarch64-linux-gnu-gcc -dumpfullversion) for aarch64" aarch64 qemu-aarch64 'generic neon' \
        aarch64-linux-gnu-gcc -march=armv9-a -static
fi
[ -n "$compared" ] || { echo 'skipped: no compiler is here'; exit 77; }
echo "kernels: the same bits from$compared"
