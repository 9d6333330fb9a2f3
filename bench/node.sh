#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The table of one node: reductions by summand against the MPIs', in one go, in less than 8 minutes.
#     bench/node.sh [BUDGET [BUILDS]]
# BUDGET: seconds for each size of a row, at most about (0.5). BUILDS: the folder that has openmpi and mpich (build).
# A row is one launch: summand and the MPI take turns, in shuffled order, at all sizes from 8 B to 8 MiB. Ranks start
# by the clock, or by a counter in memory if oversubscribed. Shown are how many times as fast as the MPI summand is,
# as geometric mean over the sizes and at the worst size, each with the mean or the ends of the 95 % intervals; that
# size in bytes; and the fewest rounds of any size. With fewer than ten rounds an interval says little. Then the times
# of exact and tree sums from memory over those of the loop compiled with -ffast-math: below 1 is faster. Run it while
# nothing else runs; SUMMAND_* variables hold as usual.
set -eu
budget=${1:-0.5}
builds=${2:-build}
sizes=8..8m:4
failed=0
export OMPI_MCA_rmaps_base_oversubscribe=1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM

# A line of the table from the CSV of a launch; fields in quotes have commas.
row()
{
    sed 's/""//g; s/"[^"]*"//g' "$work/csv" | awk -F, -v name="$1" '
        NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
        $at["algorithm"] != "auto" || $at["vs_mpi"] <= 0 { next }
        {
            if (!n || $at["rounds"] + 0 < rounds) rounds = $at["rounds"] + 0
            sum += log($at["vs_mpi"]); low += log($at["vs_mpi_low"]); high += log($at["vs_mpi_high"])
            if (!n++ || $at["vs_mpi"] < least) {
                least = $at["vs_mpi"]; ends = $at["vs_mpi_low"] ", " $at["vs_mpi_high"]; bytes = $at["bytes"]
            }
        }
        END {
            if (!n) { print "| " name " | failed | | | |"; exit 1 }
            printf "| %s | %.2f [%.2f, %.2f] | %.2f [%s] | %s | %d |\n", name, exp(sum / n), exp(low / n),
                exp(high / n), least, ends, bytes, rounds
        }'
}

# measure MPI RANKS COLLECTIVE NAME [WORD...]: one launch with these words of the launcher.
measure()
{
    mpi=$1 ranks=$2 collective=$3 name="$3, $2 ranks, $4"
    shift 4
    start=clock
    [ "$ranks" -le "$(nproc)" ] || start=counter
    if [ ! -x "$builds/$mpi/summand" ]; then
        echo "| $name | not built | | | |"
        failed=1
        return
    fi
    : >"$work/csv"
    timeout 120 "mpiexec.$mpi" -np "$ranks" "$@" "$builds/$mpi/summand" bench "$collective" --datatype double \
        --algorithms auto,mpi --sizes $sizes --budget "$budget" --start $start --csv "$work/csv" \
        >"$work/out" 2>&1 || { tail -n 3 "$work/out" >&2; failed=1; }
    row "$name" || failed=1
}

grep -m 1 'model name' /proc/cpuinfo || true
echo "$(nproc) processors, load $(cut -d ' ' -f 1-3 /proc/loadavg), $(date -u +%Y-%m-%d)"
echo
echo '| times as fast as the MPI, 8 B to 8 MiB | geometric mean | least | at bytes | rounds |'
echo '|---|---|---|---|---|'
for collective in allreduce reduce; do
    for ranks in 2 4 8; do
        bind=core
        [ "$ranks" -le "$(nproc)" ] || bind=none
        measure openmpi "$ranks" "$collective" 'Open MPI' --bind-to "$bind"
        measure openmpi "$ranks" "$collective" 'Open MPI without single copy' --bind-to "$bind" \
            --mca btl_vader_single_copy_mechanism none
        measure mpich "$ranks" "$collective" MPICH
    done
done
echo
echo 'Time over that of the loop of -ffast-math, with 95 % intervals'
for method in exact tree; do
    program=$builds/openmpi/bench/bench-local-$method
    if [ -x "$program" ]; then
        "$program" 12 | awk -v method=$method '$1 >= 16777216 && $2 !~ /fast-math|plain|generic/ { print method, $0 }'
    else
        echo "$method: build the target bench-local-$method" >&2
        failed=1
    fi
done
exit $failed
