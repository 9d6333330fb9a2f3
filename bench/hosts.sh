#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The table of few nodes: collectives by summand against the MPIs', over TCP between hosts in namespaces (test/hosts), with
# default settings.
#     bench/hosts.sh [-c COLLECTIVES] [-m MPIS] [-p PLACES] [-k FOLDER] [BUDGET [BUILDS]]
# BUDGET, BUILDS, -c, -m, -k: as node.sh has them, but all five collectives, and a budget of 0.3. -p: which ranks are where:
# 1x2 (one rank on each of two hosts), 2x2, 4x1, 2+1 ("1x2 2x2").
# A row is one launch, at all sizes from 8 B to 4 MiB; the switch adds 100 us to each message and passes on 1000 Mbit/s.
# Hosts share the processors with each other and with the switch: few ranks, and nothing else beside. With all defaults
# 20 rows take 6 minutes. Both MPIs yield while they wait, MPICH by a library of the tests, where that is built: ranks that
# spin would keep the switch from the processors.
# shellcheck disable=SC2086 # words are split
set -eu
here=$(cd "$(dirname "$0")" && pwd)
if [ -z "${HOSTS:-}" ]; then
    exec sh "$here/../test/hosts/run.sh" --hosts 4 --time 7200 -- sh "$here/hosts.sh" "$@"
fi
collectives='allreduce reduce bcast allgather reduce_scatter' mpis='openmpi mpich' places='1x2 2x2' keep=
while getopts c:m:p:k: option; do
    case $option in
    c) collectives=$OPTARG ;;
    m) mpis=$OPTARG ;;
    p) places=$OPTARG ;;
    k) keep=$OPTARG && mkdir -p "$keep" ;;
    *) exit 2 ;;
    esac
done
shift $((OPTIND - 1))
budget=${1:-0.3}
builds=${2:-build}
failed=0
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
. "$here/row.sh"

grep -m 1 'model name' /proc/cpuinfo || true
echo "$(nproc) processors, load $(cut -d ' ' -f 1-3 /proc/loadavg), $(date -u +%Y-%m-%d)"
echo
echo '| times as fast as the MPI, 8 B to 4 MiB | geometric mean | least | at bytes | rounds |'
echo '|---|---|---|---|---|'
for collective in $collectives; do
    for place in $places; do
        case $place in
        1x2) hosts=host0:1,host1:1 ranks=2 ;;
        2x2) hosts=host0:2,host1:2 ranks=4 ;;
        4x1) hosts=host0:1,host1:1,host2:1,host3:1 ranks=4 ;;
        2+1) hosts=host0:2,host1:1 ranks=3 ;;
        *) echo "hosts.sh: '$place' is none of 1x2, 2x2, 4x1, 2+1" >&2; exit 2 ;;
        esac
        for mpi in $mpis; do
            at=-H yield=
            [ "$mpi" = openmpi ] || at=-hosts
            [ ! -e "$builds/$mpi/test/libyield.so" ] || yield="env LD_PRELOAD=$(realpath "$builds")/$mpi/test/libyield.so"
            : >"$work/csv"
            timeout 300 $yield "mpiexec.$mpi" $at $hosts -np $ranks "$builds/$mpi/summand" bench "$collective" --write \
                --datatype double --algorithms auto,mpi --sizes 8..4m:8 --budget "$budget" --start barrier \
                --csv "$work/csv" >"$work/out" 2>&1 || { tail -n 3 "$work/out" >&2; failed=1; }
            row "$collective, $place, $mpi" || failed=1
            [ -z "$keep" ] || cp "$work/csv" "$keep/$mpi-$collective-$place.csv"
        done
    done
done
exit $failed
