#!/bin/sh
# Pipelines of training on a simulated cluster of 10 Gb/s Ethernet or a fat tree (SimGrid's SMPI), layers of 4096
# neurons, one a rank: the efficiency that comes of it, and the one that `summand predict train` would estimate.
#     bench/scale_train.sh [RANKS...]          default: 8 16 32 64
# Lines are mode, ranks, seconds simulated and estimated, efficiency simulated and estimated. The status is 1 where
# one of them is more than 20 % off. Needs `sh packaging/build.sh smpi scale-train`; other programs do not matter.
set -eu
root=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)
program=${SCALE_TRAIN:-$root/build/smpi/bench/scale-train}
[ -x "$program" ] || {
    echo "$program is missing: sh packaging/build.sh smpi scale-train" >&2
    exit 1
}
hosts=$(mktemp)
trap 'rm -f "$hosts"' EXIT
status=0

# run RANKS MODE BATCH PIECES BATCHES: a core of 44 Gflop/s on each node (platforms/eth-48-1core.model).
run() {
    if [ "$1" -le 48 ]; then
        platform=eth-48 byte=8.795e-10 latency=3e-5 look=1e-4
    else
        platform=fat-tree-128x1 byte=8.795e-11 latency=3e-6 look=2e-3
    fi
    awk -v n="$1" 'BEGIN { for (i = 0; i < n; i++) print "node-" i ":1" }' > "$hosts"
    ranks=$1
    shift
    # Who waits looks every 0.1 ms of simulated time, or 2 ms (a batch takes a stage 37 ms there): these looks are
    # most of what is simulated.
    row=$(env SUMMAND_TRANSPORT=p2p SUMMAND_NODE_SIZE=1 LD_PRELOAD="$(dirname "$program")/smpi-setup.so" \
        smpirun -np "$ranks" -hostfile "$hosts" -platform "$root/bench/platforms/$platform.xml" \
        --log=root.thres:error --cfg=smpi/iprobe:$look --cfg=smpi/test:$look --cfg=smpi/grow-injected-times:no \
        "$program" "$1" 4096 "$2" "$3" "$4" 2.273e-11 "$latency" "$byte" 2>&1) || status=1
    echo "$row" | grep "^$1," || {
        echo "$row" >&2
        status=1
    }
}

echo 'mode,ranks,simulated_s,estimated_s,simulated_efficiency,estimated_efficiency'
for ranks in ${*:-8 16 32 64}; do
    if [ "$ranks" -le 48 ]; then
        run "$ranks" stashed 64 1 $((ranks > 16 ? 4 * ranks : 64))
        run "$ranks" sync 512 $((ranks > 16 ? 64 : 32)) 3
        run "$ranks" 2bw $((16 * ranks)) "$ranks" 4
    else
        run "$ranks" stashed 16 1 $((2 * ranks))
        run "$ranks" sync 512 64 1
        run "$ranks" 2bw $((8 * ranks)) "$ranks" 2
    fi
done
exit $status
