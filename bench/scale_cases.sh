# SPDX-License-Identifier: BSD-3-Clause
# The cases of bench/scale.sh, which reads this file. Each line of a list is a case as in scale_case.h.

rivals='ompi mpich mvapich2'
elements='1 10 100 1000 10000 100000'
[ $size = quick ] || elements="$elements 1000000"

# Every algorithm that supports the collective $1, one per line: its name, and a second word if it
# has segments. Queried once.
algorithms()
{
    [ -s "$OUT/algorithms.$1" ] || "$SUMMAND" predict -c "$1" -p 32 -n 1 --csv |
        awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
                 { print $at["algorithm"], $at["segment"] == "" ? "" : "segments" }' >"$OUT/algorithms.$1"
    cat "$OUT/algorithms.$1"
}

# A reduce of $1 elements by every algorithm: whole vectors, as in the report; and, if a pipeline
# has something to cut, in segments of 8 KiB. The simulator cannot share a network among long
# messages of all to all (it fails: maxmin precision).
reductions()
{
    algorithms reduce | while read -r algorithm segments; do
        case $algorithm in linear | chain | direct) [ "$1" -le 1000 ] || continue ;; esac
        echo "reduce $1 sum $algorithm"
        [ -z "$segments" ] || [ "$1" -le 2048 ] || echo "reduce $1 sum $algorithm:segment=2048"
    done
    [ "$1" -le 2048 ] || echo "reduce $1 sum chain:segment=2048"
    echo "reduce $1 sum auto"
}

cases_report()
{
    nodes='1 2 4 9 18 36'
    [ $size = quick ] || nodes='1 2 3 4 6 8 10 12 14 16 18 20 22 24 26 28 30 32 34 36'
    for n in $nodes; do
        reductions 1000 | launch report-ranks-$n ib-36x16 $((16 * n)) default
        for mpi in default $rivals; do
            echo reduce 1000 sum mpi | launch report-ranks-$n-$mpi ib-36x16 $((16 * n)) $mpi
        done
    done
    for n in $elements; do
        reductions $n | launch report-elements-$n ib-36x16 576 default
    done
    for mpi in default $rivals; do
        for n in $elements; do
            [ $mpi$n = default1000000 ] || echo reduce $n sum mpi
        done | launch report-elements-$mpi ib-36x16 576 $mpi
    done
}

# counts_to MOST: 1 to MOST, small ones first.
counts_to()
{
    step=16
    [ $size = quick ] || step=4
    n=1
    while [ $n -le "$1" ]; do
        echo $n
        n=$((n * step))
    done
}

# with_operators COUNT WHO COLLECTIVE...
with_operators()
{
    n=$1 who=$2
    shift 2
    for operator in sum affine; do
        for collective in "$@"; do echo "$collective $n $operator $who"; done
    done
}

# targets_on PLATFORM RANKS MOST WHO: 1 to MOST ints per rank, short ones first.
targets_on()
{
    for count in $(counts_to "$3"); do with_operators "$count" "$4" reduce allreduce; done
}

targets()
{
    targets_on "$@" auto | launch "targets-$1-auto" "$1" "$2" default
    for mpi in $rivals; do
        targets_on "$@" mpi | launch "targets-$1-$mpi" "$1" "$2" $mpi
    done
}

cases_targets()
{
    targets ib-36x16 576 4194304
}

cases_ethernet()
{
    targets eth-48x16 768 262144
}

cases_fat_tree()
{
    targets fat-tree-256x16 4096 16384
}

# placed_on RANKS MOST WHO: all collectives, 1 to MOST ints in the whole vector, short ones first.
placed_on()
{
    for count in $(counts_to "$2"); do
        with_operators "$count" "$3" reduce allreduce
        echo "bcast $count sum $3"
        if [ $((count * $1)) -le "$2" ]; then
            with_operators "$count" "$3" reduce_scatter_block
            with_operators "$count" "$3" reduce_scatter
            for collective in allgather allgatherv; do echo "$collective $count sum $3"; done
        fi
    done
}

# Nodes of many kinds: with a file that `summand tune --measure` wrote there, and with an unknown network.
cases_placements()
{
    for platform in ${SCALE_PLATFORMS:-ib-uneven ib-cyclic eth1-7x9 ib-64x2 fat-tree-128x1 eth100-20x24}; do
        ranks=$(sed '/^#/d; s/ .*//' "$root/bench/platforms/$platform.nodes" | tr ',' '\n' |
            awk '{ n += $1 } END { print n }')
        most=$((${SCALE_MOST:-4194304} / 4))
        for mpi in $rivals; do
            placed_on "$ranks" $most mpi | launch "targets-$platform-$mpi" "$platform" "$ranks" $mpi
        done
        for known in measured unknown; do
            placed_on "$ranks" $most auto |
                launch "targets-$platform-$known" "$platform" "$ranks" $known
        done
    done
}

cases_predict()
{
    counts='1 1000 10000'
    [ $size = quick ] || counts='1 1000 10000 100000'
    for n in $counts; do
        for collective in reduce allreduce; do
            predicted $collective $n
        done | launch predict-$n ib-36x16 576 default
    done
}

# A collective $1 of $2 elements by every algorithm at its own parameters, whole and in segments of
# 8 KiB.
predicted()
{
    algorithms "$1" | while read -r algorithm segments; do
        case $algorithm:$2 in *[a-z]:1) ;; linear:* | ring:* | direct:*) continue ;; esac
        echo "$1 $2 sum $algorithm"
        [ -z "$segments" ] || [ "$2" -le 2048 ] || echo "$1 $2 sum $algorithm:segment=2048"
    done
}

# Sums of outer products on the paper's cluster: 8 to 48 nodes of one rank, whose products have one
# core or four. Ours by each algorithm and by choice, and the MPI's all-reduces.
outer_sizes='1000 2000 4000 8000'
[ $size = quick ] || outer_sizes='1000 2000 3000 4000 5000 6000 7000 8000'
outer_sizes=${SCALE_SIZES:-$outer_sizes}

# outer_cases RESULT PAIRS ALGORITHM...: of all sizes.
outer_cases()
{
    result=$1 pairs=$2
    shift 2
    for n in $outer_sizes; do
        for algorithm; do echo "$result ${n}x$n $pairs/1x1 $algorithm"; done
    done
}

# The MPIs' product of one pair takes as long with four cores as with one: memory writes limit it.
cases_outer()
{
    for cores in 1 4; do
        platform=eth-48-${cores}core
        for ranks in 8 16 32 48; do
            name=outer-$cores-$ranks
            outer_cases whole 1 outer-gather outer-pipeline outer-hybrid outer-slices outer-grid \
                outer-rabenseifner:ring outer-rabenseifner outer-allgather:neighbor-exchange outer-passes outer-allreduce:ring \
                outer-allreduce |
                launch $name-whole $platform $ranks default
            for result in rows blocks; do outer_cases $result 1 outer-gather outer-slices outer-grid; done |
                launch $name-parts $platform $ranks default
            for result in whole rows blocks; do outer_cases $result 1 auto; done |
                launch $name-auto $platform $ranks default
            [ $cores = 4 ] || for mpi in $rivals; do
                outer_cases whole 1 mpi | launch $name-$mpi $platform $ranks $mpi
            done
        done
        outer_targets
    done
}

# More pairs on each rank; blocks against reduce-scatter; layers in one call or in many; blocks of
# long matrices.
outer_targets()
{
    name=outer-$cores-targets
    for k in 1 4 16 64 256; do
        echo whole 4096x4096 $k/1x1 auto
        [ $k -gt 16 ] || echo blocks 4096x4096 $k/1x1 auto
    done | launch $name-auto $platform 48 default
    for k in 1 4 16 64 256; do
        echo whole 4096x4096 $k/1x1 outer-allreduce:ring
    done | launch $name-ring $platform 48 default
    for mpi in $rivals; do
        for k in 1 4 16 64 256; do
            echo whole 4096x4096 $k/1x1 mpi
            [ $k -gt 16 ] || echo blocks 4096x4096 $k/1x1 mpi
        done | launch $name-$mpi $platform 48 $mpi
    done
    printf '%s\n' 'whole 256x256 1/1x64 auto' 'whole 256x256 1/64x1 auto' \
        'whole 256x256 1/1x64 calls' 'whole 256x256 1/64x1 calls' |
        launch $name-layers-auto $platform 16 default
    printf '%s\n' 'blocks 400x160000 1/1x1 auto' 'blocks 160000x400 1/1x1 auto' |
        launch $name-long-auto $platform 48 default
}
