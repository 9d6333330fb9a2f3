# SPDX-License-Identifier: BSD-3-Clause
# Sourced by the tests that try every command of the table, after common.sh: the arguments for each command.

# Files that the arguments name.
make_operands() {
    "$SUMMAND" generate psllh -n 100 -o x.npy
    printf 'x,a,b\n1,2,\n2,3,4\n' > plot.csv
    for p in 1 2; do
        run $p sum --method all --json x.npy || fail "sum --json: $(cat err)"
        cp out $p.json
    done
    "$SUMMAND" bench sum -n 10 --budget 0.1 --json bench.json > out 2> err || fail "bench sum: $(cat err)"
    cp bench.json again.json
    echo '{"command": "bench outer", "ranks": 2, "results": [{"shape": "4x4", "pairs": 1, "algorithm": "mpi-allreduce",
"samples_ns": [[1000]]}]}' > outer.json
    mkdir -p recorded
    printf '%s\n' 'summand record 1' 'rank 0 of 1' 'communicator 0 size 1 rank 0 group 00000000000000aa nth 0' \
        'call 0 1 MPI_Bcast 1 MPI_INT - 0 00000000000000bb 00000000000000bb mpi main+0x10' 'end 1' > recorded/rank-00000.txt
    cat > report.json << 'END'
{"report": 1, "program": "app", "mpi_library": "M 1", "mode": "off", "ranks": 1, "seconds": 0.5, "period": 64,
"calls": [{"call": "MPI_Bcast", "least": 4, "most": 15, "algorithm": "", "transport": "", "reason": "one rank", "calls": 1,
  "bytes": 4, "seconds": 1e-6, "most_seconds": 1e-6, "waits": 0, "samples": 0, "mpi_samples": 0, "waiting": 0, "moving": 0,
  "mpi": 0}], "by_rank": [{"rank": 0, "inside": 1e-6, "calls": 1}], "width": 0.5, "mean": [1e-6], "most_of_ranks": [1e-6]}
END
}

# arguments COMMAND: quick and sufficient arguments; UNKNOWN if the table has a command that this list lacks.
arguments() { # arguments COMMAND: with which it is tried
    case $1 in
    sum) echo 'x.npy' ;;
    run) echo "--show -- $SUMMAND" ;;
    'bench compare') echo 'bench.json again.json' ;;
    'bench sum') echo '-n 100 --budget 0.05' ;;
    'bench overhead') echo '--budget 0.1 --start barrier' ;;
    'bench gemm' | 'bench matrix') echo '--sizes 64 --budget 0.05' ;;
    'bench notify') echo '--sizes 64 --trips 2 --budget 0.05' ;;
    record) echo 'gather-product' ;;
    bench*) echo '--sizes 64,4k --budget 0.05 --start barrier' ;;
    tune) echo '--budget 0.3 --collectives bcast --most 64' ;;
    draw) echo 'binomial -p 5' ;;
    verify) echo '-a ring -p 3' ;;
    predict) echo '-p 8' ;;
    generate) echo 'psllh -n 5' ;;
    train) echo '--samples 100 --layers 784,10 --epochs 1' ;;
    report) echo 'report.json' ;;
    diff) echo 'recorded recorded' ;;
    spread) echo '1.json 2.json' ;;
    inject) echo '-a ring --trials 1' ;;
    judge) echo '-n 4 --data minus-zero -- echo -0' ;;
    outer) echo 'outer.json' ;;
    gemm) echo '--figure 5.6' ;;
    distribution) echo '-p 8' ;;
    scaling) echo '-p 8 --n 1000' ;;
    plot) echo 'plot.csv' ;;
    'gossip run') echo '--nodes 8' ;;
    'gossip topology') echo 'ring hypercube' ;;
    figure) echo '1 --quick --runs 6 --nodes 4' ;;
    table) echo '--quick --every 63 --nodes 4' ;;
    root) echo '--nodes 1k --runs 3' ;;
    rounds) echo '--nodes 1k' ;;
    list | info | help | version | 'gossip list' | 'gossip allreduce' | one-sided) ;;
    *) echo UNKNOWN ;;
    esac
}

# two_ranks COMMAND: it refuses one rank.
two_ranks() {
    case $1 in 'bench notify' | inject | one-sided | record | tune) ;; *) return 1 ;; esac
}
