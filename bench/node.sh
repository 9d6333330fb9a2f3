#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The table of one node: collectives by summand against the MPIs', in one go, in less than 8 minutes.
#     bench/node.sh [-u] [-c COLLECTIVES] [-m MPIS] [-r RANKS] [-k FOLDER] [BUDGET [BUILDS]]
# BUDGET: seconds for each size of a row, at most about (0.5). BUILDS: the folder that has openmpi and mpich (build).
# -c: which collectives ("allreduce reduce"; also bcast, allgather, reduce_scatter, scan, exscan). -m: which of the MPIs ("openmpi
# mpich"). -r: numbers of ranks ("2 4 8", and 16 if there are as many processors).
# -k: keeps the files of the launches there, as MPI-COLLECTIVE-RANKS-SETTING.csv. Each row takes 11 budgets and some 3 s;
# 16 processors with one MPI have 16 rows: -m openmpi 1 takes 5 minutes.
# Operands are written before each repetition, as programs do; -u: not, so that what another core has read of one
# repetition's operand is still in its caches.
# Open MPI runs by default, without its single copy, and with its collectives xhc and acoll where it has them (4.1 has
# neither). Ranks have cores of their own, or else hardware threads; if those are too few, nothing is bound.
# A row is one launch: summand and the MPI take turns, in shuffled order, at all sizes from 8 B to 8 MiB. Ranks start
# by the clock, or by a counter in memory if oversubscribed. Shown are how many times as fast as the MPI summand is,
# as geometric mean over the sizes and at the worst size, each with the mean or the ends of the 95 % intervals; that
# size in bytes; and the fewest rounds of any size. With fewer than ten rounds an interval says little. Then the times
# of exact and tree sums from memory over those of the loop compiled with -ffast-math: below 1 is faster. Run it while
# nothing else runs; SUMMAND_* variables hold as usual.
# shellcheck disable=SC2086 # words are split
set -eu
collectives='allreduce reduce' mpis='openmpi mpich' ranks_list='2 4 8' keep= write=--write
processors=$(nproc)
[ "$processors" -lt 16 ] || ranks_list='2 4 8 16'
while getopts uc:m:r:k: option; do
    case $option in
    u) write= ;;
    c) collectives=$OPTARG ;;
    m) mpis=$OPTARG ;;
    r) ranks_list=$OPTARG ;;
    k) keep=$OPTARG && mkdir -p "$keep" ;;
    *) exit 2 ;;
    esac
done
shift $((OPTIND - 1))
budget=${1:-0.5}
builds=${2:-build}
sizes=8..8m:4
failed=0
cores=$(lscpu -p=core,socket | grep -v '^#' | sort -u | wc -l)
# shellcheck disable=SC2046
export $(grep -v '^#' "$(dirname "$0")/../packaging/launcher.env")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
. "$(dirname "$0")/row.sh"

# measure MPI RANKS COLLECTIVE SETTING [WORD...]: one launch with these words of the launcher.
measure()
{
    mpi=$1 ranks=$2 collective=$3 name="$3, $2 ranks, $4"
    csv=$mpi-$collective-$ranks-$(printf %s "$4" | tr -c 'A-Za-z0-9' _).csv
    shift 4
    start=clock
    [ "$ranks" -le "$processors" ] || start=counter
    if [ ! -x "$builds/$mpi/summand" ]; then
        echo "| $name | not built | | | |"
        failed=1
        return
    fi
    : >"$work/csv"
    timeout 120 "mpiexec.$mpi" -np "$ranks" "$@" "$builds/$mpi/summand" bench "$collective" $write --datatype double \
        --algorithms auto,mpi --sizes $sizes --budget "$budget" --start $start --csv "$work/csv" \
        >"$work/out" 2>&1 || { tail -n 3 "$work/out" >&2; failed=1; }
    row "$name" || failed=1
    [ -z "$keep" ] || cp "$work/csv" "$keep/$csv"
}

# measure_openmpi RANKS COLLECTIVE: its rows.
measure_openmpi()
{
    bind='--bind-to none'
    if [ "$1" -le "$cores" ]; then
        bind='--bind-to core'
    elif [ "$1" -le "$processors" ]; then
        bind='--use-hwthread-cpus --bind-to hwthread'
    fi
    measure openmpi "$1" "$2" 'Open MPI' $bind
    # From Open MPI 5 on smsc is what copies.
    measure openmpi "$1" "$2" 'Open MPI without single copy' $bind --mca btl_vader_single_copy_mechanism none \
        --mca smsc '^cma,xpmem,knem'
    for part in xhc acoll; do
        ! ompi_info --parsable 2>&1 | grep -q "^mca:coll:$part:" ||
            measure openmpi "$1" "$2" "Open MPI with $part" $bind --mca "coll_${part}_priority" 95
    done
}

grep -m 1 'model name' /proc/cpuinfo || true
echo "$processors processors, $cores cores, load $(cut -d ' ' -f 1-3 /proc/loadavg), $(date -u +%Y-%m-%d)"
echo
echo '| times as fast as the MPI, 8 B to 8 MiB | geometric mean | least | at bytes | rounds |'
echo '|---|---|---|---|---|'
for collective in $collectives; do
    for ranks in $ranks_list; do
        for mpi in $mpis; do
            if [ "$mpi" = openmpi ]; then
                measure_openmpi "$ranks" "$collective"
            else
                measure "$mpi" "$ranks" "$collective" "$(echo "$mpi" | tr '[:lower:]' '[:upper:]')"
            fi
        done
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
