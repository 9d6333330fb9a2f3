#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The main question: does a sum depend on the number of processes that share the work? (Stelz 2022, table 4.2.)
# Usage: bench/demo.sh [FILE...], formats as in 'summand sum --help'. Without files it sums numbers that
# it generates. SUMMAND: the command; MPIEXEC: the launcher of the MPI that it was built with; DEMO_DIR:
# where results go; DEMO_BUDGET: seconds of timing per file.
set -eu

root=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)
SUMMAND=${SUMMAND:-$root/build/openmpi/summand}
MPIEXEC=${MPIEXEC:-mpiexec}
case $SUMMAND in
*/*) SUMMAND=$(CDPATH='' cd -- "$(dirname -- "$SUMMAND")" && pwd)/$(basename -- "$SUMMAND") ;;
esac
ranks='1 2 3 4 7 8'
out=${DEMO_DIR:-$root/demo}
start=$(date +%s)

# More processes than cores, and root in a container.
# shellcheck disable=SC2046
export $(grep -v '^#' "$root/packaging/launcher.env")

mkdir -p "$out/generated"
if [ $# -eq 0 ]; then
    echo 'Numbers: generated here. They are like per-site log-likelihoods of phylogenetic trees'
    echo "(RAxML-NG), of the sizes of six real data sets. Your own: make demo FILES='a.npy b.npy'"
    for n in 460 767 898 1602 239763 504850; do
        file=$out/generated/n$n.binpsllh
        "$SUMMAND" generate psllh --count $n --seed $n --output "$file"
        set -- "$@" "$file"
    done
else
    printf 'Numbers: those of %d file(s).\n' $#
fi

# Without jansson the command writes no JSON: then only a table of the differences is made.
if "$SUMMAND" info --env --json >/dev/null 2>&1; then
    json=--json
else
    json=''
    echo 'This summand was built without jansson: no table of times, no pictures.'
fi

matrix=$out/generated/matrix.npy
"$SUMMAND" generate psllh --count 160k --columns 8 --output "$matrix"
: >"$out/columns.txt"

# columns: how many of the matrix's columns have other bits on another number of ranks, exactly and by the MPI. Status 1
# if exact sums have.
columns() {
    awk -v ranks="$ranks" '
        $2 != "exact" && $2 != "naive" { next }
        { rows = $3; key = $2 SUBSEP $5; if ($5 + 1 > n) n = $5 + 1
          if (key in bits && bits[key] != $7) moved[key] = 1
          bits[key] = $7 }
        function told(method,    j, count) {
            for (j = 0; j < n; j++) count += (method, j) in moved
            return count ? "other bits in " count " of " n " columns" : "the same bits in all columns"
        }
        END { printf "\nA vector: sums of the %d columns of a matrix, %d rows dealt to %s ranks\n", n, rows, ranks
              printf "%-14s each rank adds up its rows, then one call: %s.\n", "MPI_Reduce", told("naive")
              printf "%-14s summand_column_sums, each rounded once: %s.\n", "exact", told("exact")
              for (j = 0; j < n; j++) if (("exact", j) in moved) exit 1
              exit !n }' "$out/columns.txt"
}

printf 'Summing %d file(s) by three methods, and the columns of a matrix, on' $#
results=''
for p in $ranks; do
    printf ' %d' "$p"
    "$MPIEXEC" -n "$p" "$SUMMAND" sum --method all $json "$@" >"$out/ranks$p${json:+.json}"
    results="$results ranks$p${json:+.json}"
    "$MPIEXEC" -n "$p" "$SUMMAND" sum --columns --method all "$matrix" >>"$out/columns.txt"
done
printf ' ranks: done.\n'

if [ -z "$json" ]; then
    # Columns of `summand sum`: file, op, method, N, ranks, value, bits. awk computes in double.
    (cd "$out" && awk '
        BEGIN { print "\nHow far apart are the sums? Largest minus smallest result over these ranks.\n"
                form = "%-20s %8s %14s %8s %8s\n"
                printf form, "file", "N", "MPI_Allreduce", "exact", "tree" }
        $2 != "sum" { next }
        { file = $1; sub(/.*\//, "", file); key = file SUBSEP $3
          if (!(file in size)) name[++files] = file
          size[file] = $4
          if (!(key in low) || $6 < low[key]) low[key] = $6
          if (!(key in high) || $6 > high[key]) high[key] = $6 }
        function far(f, m) { return sprintf("%.1e", high[f, m] - low[f, m]) }
        END { for (i = 1; i <= files; i++) { f = name[i]
                  printf form, f, size[f], far(f, "naive"), far(f, "exact"), far(f, "tree")
                  if (far(f, "exact") + far(f, "tree") != 0) broken = 1 }
              exit broken || !files }' $results)
    columns
    exit
fi

budget=$((30 / $#))
[ $budget -gt 0 ] || budget=1
[ $budget -lt 4 ] || budget=4
budget=${DEMO_BUDGET:-$budget}
printf 'Timing on 2 ranks, up to %s s per file ...\n\n' "$budget"
"$MPIEXEC" -n 2 "$SUMMAND" bench sum --budget "$budget" --methods exact,tree,naive,fast \
    --json "$out/times.json" --csv "$out/times.csv" --plot "$out/times.svg" "$@" > "$out/times.txt"

status=0
(cd "$out" && "$SUMMAND" spread --bench times.json --plot spread.svg $results) || status=$?
columns || status=$?
printf '\nPictures: %s (this table), %s (times). %d s.\n' "$out/spread.svg" "$out/times.svg" \
    $(($(date +%s) - start))
exit $status
