#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Does what README.md says, as pasted: its blocks of sh in their order, with its first block of C as sum.c.
# In the folder of the README; builds there. Fails at the first command that does. MPI: another one, with the names that
# README says for it. Run by check-fresh.
set -eu
cd "$(dirname "$0")/.."
work=$(mktemp -d)
trap 'rm -rf "$work"; rm -f sum sum.c numbers.npy' EXIT
# blocks LANGUAGE: the lines of all blocks of it, of C the first.
blocks()
{
    awk -v fence="\`\`\`$1" -v most="$2" '
        $0 == "```" { inside = 0 }
        inside { print }
        $0 == fence && most-- > 0 { inside = 1 }' README.md
}
blocks c 1 >sum.c
{ echo 'set -eux'; blocks sh 2; } |
    if [ "${MPI:-mpi}" = mpi ]; then cat; else
        sed "s/\$(sh packaging.mpis.sh | head -n 1)/$MPI/; s/^mpicc /mpicc.$MPI /"; fi >"$work/run"
sh "$work/run" >"$work/out" 2>&1 || { cat "$work/out"; exit 1; }
cat "$work/out"
# The sum over four ranks, three methods, and the program's answer on three ranks, among Open MPI's own words: [host]...
[ "$(grep -c '^numbers.npy .* 4 ' "$work/out")" = 3 ] || { echo 'README: no table of sums on 4 ranks'; exit 1; }
[ "$(grep -v '^\[' "$work/out" | tail -n 3 | tr '\n' ' ')" = '3 3 3 ' ] || { echo 'README: the program is wrong'; exit 1; }
echo 'README: its commands work as pasted'
