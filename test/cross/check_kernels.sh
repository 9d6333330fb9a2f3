#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The kernels of every instruction set give the same bits with any compiler: this machine's with gcc and clang, those
# for NEON under an emulator. The programs FAMILY_hash.c also check each kernel against its definition.
# Usage: check_kernels.sh SOURCE_DIRECTORY. Exit code 77: nothing to compare with.
set -eu
source=$1
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
# -O3 as in a release: the compiler vectorizes the combine kernels.
flags="-std=c11 -O3 -ffp-contract=off -Wall -Wextra -Werror -D_GNU_SOURCE -DSUMMAND_BLAS_FILE=\"\""
wide='-mavx512f -mavx512dq -mavx512bw -mavx512vl -mavx2 -mfma -mprefer-vector-width=512'
compared=

# hashes NAME PROCESSOR EMULATOR ARCHS COMPILER [FLAG...]: a hash program prints the first one's output with every
# instruction set of ARCHS. A library provides the parts of src/core/kernel, base and exact that it needs.
hashes()
{
    name=$1 processor=$2 emulator=$3 archs=$4
    shift 4
    mkdir "$scratch/$name"
    for file in "$source"/src/core/kernel/*.c "$source"/src/core/base/*.c "$source"/src/core/exact/block.c \
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
        # shellcheck disable=SC2086
        "$@" $flags $for_set "-I$source/src/core" "-I$source/include" -c "$file" \
            -o "$scratch/$name/$(basename "$file").o"
    done
    ar rc "$scratch/$name.a" "$scratch/$name"/*.o
    for family in tree combine outer lanes; do
        # shellcheck disable=SC2086
        "$@" $flags "-I$source/src/core" "-I$source/include" "-I$source/test" "$source/test/cross/${family}_hash.c" "$scratch/$name.a" \
            -lm -ldl -lpthread -o "$scratch/$name-$family"
        for arch in $archs; do
            SUMMAND_ARCH=$arch $emulator "$scratch/$name-$family" >"$scratch/$name-$family.txt"
            [ -s "$scratch/$family.txt" ] || cp "$scratch/$name-$family.txt" "$scratch/$family.txt"
            cmp "$scratch/$family.txt" "$scratch/$name-$family.txt" ||
                { echo "$family: $name $arch differs from those before:$compared"; exit 1; }
        done
    done
    compared="$compared $name"
}

# Instruction sets of this processor.
here=generic
if [ "$(uname -m)" = x86_64 ]; then
    if grep -qw avx2 /proc/cpuinfo && grep -qw fma /proc/cpuinfo; then here="$here avx2"; fi
    if grep -qw avx512vl /proc/cpuinfo && grep -qw avx512dq /proc/cpuinfo; then here="$here avx512"; fi
elif [ "$(uname -m)" = aarch64 ]; then
    here="$here neon"
fi
for compiler in gcc clang; do
    ! command -v $compiler >/dev/null || hashes $compiler "$(uname -m)" '' "$here" $compiler
done
if command -v aarch64-linux-gnu-gcc >/dev/null && command -v qemu-aarch64 >/dev/null; then
    hashes aarch64-gcc aarch64 qemu-aarch64 'generic neon' aarch64-linux-gnu-gcc -static
fi
case $compared in
*' '*' '*) echo "kernels: the same bits from$compared" ;;
*) echo "skipped: one compiler is here alone:$compared"; exit 77 ;;
esac
