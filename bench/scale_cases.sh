# What bench/scale.sh simulates; read by it. Each line of a list is a case as in scale_case.h.

rivals='ompi mpich mvapich2'
elements='1 10 100 1000 10000 100000 1000000'

# Every algorithm for a reduce of $1 elements: whole vectors, as in the report; and, where a
# pipeline has something to cut, in segments of 8 KiB.
reductions()
{
    for algorithm in binomial binary fibonacci binary-in-order k-nomial k-ary rabenseifner two-tree \
        node-binomial node-trees postal node-chain node-two-tree; do
        is_known $algorithm || continue
        echo "reduce $1 sum $algorithm"
        case $algorithm in rabenseifner | node-binomial) continue ;; esac
        [ "$1" -le 2048 ] || echo "reduce $1 sum $algorithm:segment=2048"
    done
    [ "$1" -gt 1000 ] || echo "reduce $1 sum linear"
    [ "$1" -gt 2048 ] || echo "reduce $1 sum chain"
    [ "$1" -le 2048 ] || echo "reduce $1 sum chain:segment=1024"
    echo "reduce $1 sum auto"
}

is_known()
{
    "${SUMMAND:-$root/build/openmpi/summand}" list 2>/dev/null | grep -qx "$1"
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
        for mpi in default $rivals; do
            [ $mpi$n = default1000000 ] && continue
            echo reduce $n sum mpi | launch report-elements-$mpi ib-36x16 576 $mpi
        done
    done
}

# targets_on PLATFORM RANKS MOST: 1 to MOST ints per rank, short ones first.
targets_on()
{
    step=16
    [ $size = quick ] || step=4
    n=1
    while [ $n -le "$3" ]; do
        for operator in sum affine; do
            for collective in reduce allreduce; do
                echo "$collective $n $operator $4"
            done
        done
        n=$((n * step))
    done
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

cases_predict()
{
    for n in 1 1000 100000; do
        for collective in reduce allreduce; do
            predicted $collective $n
        done | launch predict-$n ib-36x16 576 default
    done
}

# Algorithms at their own parameters, whole and in segments of 16 KiB.
predicted()
{
    for algorithm in binomial binary fibonacci binary-in-order k-nomial k-ary rabenseifner two-tree \
        node-binomial node-trees recursive-doubling recursive-multiplying circulant \
        node-circulant node-rabenseifner dual-root postal node-chain node-two-tree; do
        is_known $algorithm || continue
        case $1:$algorithm in
        reduce:recursive-* | reduce:*circulant | reduce:node-rabenseifner | reduce:dual-root) continue ;;
        esac
        echo "$1 $2 sum $algorithm"
        case $algorithm in
        rabenseifner | node-binomial | recursive-* | *circulant | node-rabenseifner) continue ;;
        esac
        [ "$2" -le 4096 ] || echo "$1 $2 sum $algorithm:segment=4096"
    done
}
