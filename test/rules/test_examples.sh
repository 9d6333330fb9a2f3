#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The programs in docs/ compile without a warning: the first block of C of each page, if it has a main.
# Usage: test_examples.sh PROJECT-ROOT MPICC
root=$1 mpicc=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for page in "$root"/docs/*.md; do
    program=$work/$(basename "$page" .md).c
    awk '$0 == "```" { inside = 0 } inside { print } $0 == "```c" && most++ < 1 { inside = 1 }' "$page" >"$program"
    grep -q 'int main(' "$program" || rm "$program"
done
[ "$(ls "$work" | wc -l)" -ge 5 ] || { echo 'examples: docs/ has fewer than 5 programs'; exit 1; }
"$mpicc" -std=c11 -Wall -Wextra -Werror -fsyntax-only -I "$root/include" "$work"/*.c || exit 1
echo "examples: $(ls "$work" | wc -l) programs of docs/ compile"
