#!/bin/sh
# The tree kernels for NEON, under an emulator, give the bits that this machine's own give.
# Usage: check_neon.sh SOURCE_DIRECTORY. Exit code 77: no cross compiler or emulator here.
set -eu
source=$1
for tool in aarch64-linux-gnu-gcc qemu-aarch64; do
    command -v $tool > /dev/null || { echo "skipped: no $tool"; exit 77; }
done
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
flags="-std=c11 -O2 -ffp-contract=off -Wall -Wextra -Werror -D_GNU_SOURCE"
include="-I$source/src -I$source/test"
common="$source/test/cross/tree_hash.c $source/src/kernel/arch.c $source/src/kernel/tree.c
        $source/src/kernel/forest.c $source/src/kernel/tree_generic.c"

aarch64-linux-gnu-gcc $flags -static $include $common "$source/src/kernel/tree_neon.c" \
    -lm -o "$scratch/neon"
SUMMAND_ARCH=generic qemu-aarch64 "$scratch/neon" > "$scratch/generic.txt"
SUMMAND_ARCH=neon qemu-aarch64 "$scratch/neon" > "$scratch/neon.txt"
cmp "$scratch/generic.txt" "$scratch/neon.txt"

if [ "$(uname -m)" = x86_64 ]; then
    ${CC:-cc} -mavx2 -mfma $flags $include -c "$source/src/kernel/tree_avx2.c" -o "$scratch/avx2.o"
    ${CC:-cc} -mavx512f -mavx512dq -mavx512bw -mavx512vl $flags $include \
        -c "$source/src/kernel/tree_avx512.c" -o "$scratch/avx512.o"
    ${CC:-cc} $flags $include $common "$scratch/avx2.o" "$scratch/avx512.o" -lm -o "$scratch/here"
    "$scratch/here" > "$scratch/here.txt"
    cmp "$scratch/neon.txt" "$scratch/here.txt"
fi
echo "$(wc -l < "$scratch/neon.txt") hashes agree"
