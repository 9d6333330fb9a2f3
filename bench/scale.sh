#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Reductions on simulated clusters (SimGrid's SMPI): ours, and the algorithms that Open MPI, MPICH
# and MVAPICH2 would select, as SimGrid re-implements them. Exact and repeatable figures: there is
# one clock, and computing takes no time.
#
# Usage: bench/scale.sh [quick|full] [EXPERIMENT...]
#     report    the two experiments of the 2016 report on reduction trees, 576 ranks
#     targets   our automatic choice against the selectors, 4 B to 16 MiB, on 576 ranks
#     ethernet  the same up to 1 MiB on 48 nodes of 10 Gb/s Ethernet, 768 ranks
#     fat_tree  the same up to 16 KiB on 4096 ranks
#     placements  all seven collectives to 4 MiB on six kinds of clusters, whose nodes the library finds: uneven,
#               cyclic, two ranks each, one rank each on an oversubscribed tree, 1 and 100 Gb/s; with an
#               unknown network, and with a file that `summand tune --measure` has written there
#     predict   predicted against simulated time, 576 ranks
#     outer     sums of outer products on 8 to 48 nodes of 10 Gb/s Ethernet
# Without names: all but the last. Environment: SCALE (the built program, build/smpi/bench/scale),
# SUMMAND (the command), OUT (build/scale), JOBS (simulations at a time),
# SCALE_PLATFORMS and SCALE_MOST (of placements: which, and the longest vector in bytes),
# SCALE_ONLY (a shell pattern: simulations to run, such as '*-auto'), SCALE_SIZES (of outer: N of the matrices), SCALE_MEMORY
# (MB that a simulation's buffers may take before they share memory; such runs are not checked).
#
# Finished runs stay in OUT/rows: called again, the script does the rest.
set -eu

root=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)
size=quick
case ${1:-} in quick | full) size=$1 && shift ;; esac
export size root
export SUMMAND="${SUMMAND:-$root/build/openmpi/summand}"
export SCALE="${SCALE:-$root/build/smpi/bench/scale}" OUT="${OUT:-$root/build/scale}"
jobs=${JOBS:-$(nproc)}
wanted=${*:-report targets ethernet fat_tree placements predict}

command -v smpirun >/dev/null || {
    echo "SimGrid's smpirun is not here (Debian: libsimgrid-dev): nothing is simulated" >&2
    exit 1
}
[ -x "$SCALE" ] || {
    echo "$SCALE is missing: sh packaging/build.sh smpi scale" >&2
    exit 1
}
[ -x "$SUMMAND" ] || {
    echo "$SUMMAND is missing: make command" >&2
    exit 1
}
mkdir -p "$OUT/rows" "$OUT/launches"
rm -f "$OUT"/launches/*

# Skips launches whose names do not match SCALE_ONLY.
#
# launch NAME PLATFORM RANKS MPI: takes the cases from standard input, and keeps those without a row.
launch()
{
    case $1 in ${SCALE_ONLY:-*}) ;; *) return 0 ;; esac
    touch "$OUT/rows/$1.csv"
    awk -v mpi="$4" -F, '
        FILENAME != "-" { done[$2 " " $4 " " $5 " " $6]; next }
        { split($0, word, " "); key = $0
          if (word[4] == "mpi") key = word[1] " " word[2] " " word[3] " mpi-" mpi
          if (!(key in done) && !seen[key]++) print }' "$OUT/rows/$1.csv" - >"$OUT/launches/$1.cases"
    if [ -s "$OUT/launches/$1.cases" ]; then
        echo "$1 $2 $3 $4" >"$OUT/launches/$1"
    else
        rm "$OUT/launches/$1.cases"
    fi
}

. "$root/bench/scale_cases.sh"
for experiment in $wanted; do "cases_$experiment"; done

total=$(find "$OUT/launches" -name '*.cases' | wc -l)
echo "$total simulations to run, $jobs at a time; rows in $OUT/rows"
find "$OUT/launches" -name '*.cases' | sed 's/\.cases$//' | sort |
    xargs -r -n 1 -P "$jobs" sh "$root/bench/scale_run.sh" "$total" || failed=1
[ -z "${failed:-}" ] || echo "some cases failed, see above: the tables are made of the others" >&2
for experiment in $wanted; do sh "$root/bench/scale_report.sh" "$experiment"; done
exit "${failed:-0}"
