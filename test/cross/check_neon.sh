#!/bin/sh
# The kernels for NEON, under an emulator, give the bits that this machine's own give.
# Usage: check_neon.sh SOURCE_DIRECTORY. Exit code 77: no cross compiler or emulator here.
set -eu
source=$1
for tool in aarch64-linux-gnu-gcc qemu-aarch64; do
    command -v $tool > /dev/null || { echo "skipped: no $tool"; exit 77; }
done
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
# -O3 as in a release: it is the compiler that makes vectors of the combine kernels.
flags="-std=c11 -O3 -ffp-contract=off -Wall -Wextra -Werror -D_GNU_SOURCE"
include="-I$source/src -I$source/test"

# check FAMILY FILE...: kernels of src/kernel/FAMILY_*.c under test/cross/FAMILY_hash.c.
check()
{
    family=$1
    shift
    common="$source/test/cross/${family}_hash.c $source/src/kernel/arch.c
            $source/src/base/environment.c $source/src/base/number.c $source/src/base/warning.c
            $source/src/kernel/$family.c $source/src/kernel/${family}_generic.c"
    for file in "$@"; do
        common="$common $source/src/kernel/$file"
    done
    aarch64-linux-gnu-gcc $flags -static $include $common "$source/src/kernel/${family}_neon.c" \
        -lm -o "$scratch/neon"
    SUMMAND_ARCH=generic qemu-aarch64 "$scratch/neon" > "$scratch/generic.txt"
    SUMMAND_ARCH=neon qemu-aarch64 "$scratch/neon" > "$scratch/neon.txt"
    cmp "$scratch/generic.txt" "$scratch/neon.txt"
    if [ "$(uname -m)" = x86_64 ]; then
        ${CC:-cc} -mavx2 -mfma $flags $include \
            -c "$source/src/kernel/${family}_avx2.c" -o "$scratch/avx2.o"
        ${CC:-cc} -mavx512f -mavx512dq -mavx512bw -mavx512vl $flags $include \
            -c "$source/src/kernel/${family}_avx512.c" -o "$scratch/avx512.o"
        ${CC:-cc} $flags $include $common "$scratch/avx2.o" "$scratch/avx512.o" -lm \
            -o "$scratch/here"
        "$scratch/here" > "$scratch/here.txt"
        cmp "$scratch/neon.txt" "$scratch/here.txt"
    fi
    echo "$family: $(wc -l < "$scratch/neon.txt") hashes agree"
}

check tree forest.c
check combine combine_plain.c
check outer outer_mirror.c outer_sparse.c stream.c
