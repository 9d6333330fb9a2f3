#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Collectives of 1 and 20 simulated ranks (a node and a quarter): every case has a result, the right
# one; a second run gives the same times to the last digit, as one clock runs and computing takes no
# time; and 20 ranks of the command agree on a sum.
#
#     collectives.sh SCALE SMPI-SETUP SUMMAND SOURCE
set -u
scale=$1 setup=$2 summand=$3 source=$4
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 1
failed=0
fail()
{
    echo "$*"
    failed=1
}

for collective in reduce allreduce reduce_scatter_block reduce_scatter bcast allgather allgatherv; do
    for operator in sum affine; do
        for count in 1 700 5000; do
            for algorithm in auto mpi; do
                # SimGrid 3.32's own MPI_Allgather aborts with its default choice.
                [ "$collective $algorithm" = 'allgather mpi' ] || echo "$collective $count $operator $algorithm"
            done
        done
    done
done > cases
cat >> cases << 'END'
reduce 5000 sum fibonacci:segment=512
reduce 5000 affine chain:segment=512
allreduce 5000 sum ring
allreduce 700 sum node-binomial
allreduce 5000 affine rabenseifner
reduce_scatter_block 700 sum circulant
reduce_scatter_block 700 sum pat
END
printf 'node-0:16\nnode-1:16\n' > hosts

# simulate RANKS COMMAND...
simulate()
{
    ranks=$1
    shift
    SUMMAND_NODE_SIZE=16 LD_PRELOAD=$setup timeout 60 smpirun -np "$ranks" -hostfile hosts \
        -platform "$source/bench/platforms/ib-36x16.xml" --log=root.thres:error "$@" 2> err
}

for ranks in 1 20; do
    for run in first second; do
        simulate $ranks "$scale" cases ib-36x16 default | grep '^ib-36x16,' > $run
    done
    rows=$(grep -c ',right' first)
    [ "$rows" = "$(wc -l < cases)" ] || {
        fail "$ranks ranks: $rows right results of $(wc -l < cases) cases"
        grep -v ',right' first
        tail -n 5 err
    }
    cmp first second || fail "$ranks ranks: times that differ"
done

simulate 1 "$summand" generate psllh -n 1000 -o x.f64 > /dev/null
for ranks in 1 20; do
    simulate $ranks "$summand" sum x.f64 | awk 'END { print $7 }'
done > sums
[ "$(sort -u sums | wc -l)" = 1 ] && grep -q '^0x' sums || fail "sums of 1 and 20 ranks: $(cat sums err)"
[ $failed = 0 ] && echo "$rows cases right"
exit $failed
