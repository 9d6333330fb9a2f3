#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Pipelines of training on a simulated cluster of 10 Gb/s Ethernet or a fat tree (SimGrid's SMPI), layers of 4096
# neurons, one per rank (update last: of 1024, as stage 0 keeps the versions of all): the simulated efficiency, and the
# estimate of `summand predict train`.
#     bench/scale_train.sh [RANKS...]          default: 8 16 32 64; OUT=FOLDER: and OUT/scale-train.svg
# MODES='stashed last': only these.
# Lines are mode, ranks, seconds simulated and estimated, efficiency simulated and estimated. The status is 1 if
# one of them is more than 20 % off. Needs `sh packaging/build.sh smpi scale-train`; other programs do not matter.
set -eu
root=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)
program=${SCALE_TRAIN:-$root/build/smpi/bench/scale-train}
[ -x "$program" ] || {
    echo "$program is missing: sh packaging/build.sh smpi scale-train" >&2
    exit 1
}
hosts=$(mktemp)
rows=$(mktemp)
trap 'rm -f "$hosts" "$rows"' EXIT
status=0

# run RANKS MODE BATCH PIECES BATCHES: a core of 44 Gflop/s on each node (platforms/eth-48-1core.model).
run() {
    if [ "$1" -le 48 ]; then
        platform=eth-48 byte=8.795e-10 latency=3e-5
    else
        platform=fat-tree-128x1 byte=8.795e-11 latency=3e-6
    fi
    awk -v n="$1" 'BEGIN { for (i = 0; i < n; i++) print "node-" i ":1" }' > "$hosts"
    ranks=$1
    shift
    width=4096
    [ "$1" = last ] && width=1024
    # Waiting ranks poll every 0.1 ms of simulated time; with faster polls the simulator would do nothing else. At each
    # poll SimGrid 3.32 walks through all earlier actions of the rank, so the time grows with the square of the batches.
    row=$(env SUMMAND_TRANSPORT=p2p SUMMAND_NODE_SIZE=1 LD_PRELOAD="$(dirname "$program")/smpi-setup.so" \
        smpirun -np "$ranks" -hostfile "$hosts" -platform "$root/bench/platforms/$platform.xml" \
        --log=root.thres:error --cfg=smpi/iprobe:1e-4 --cfg=smpi/test:1e-4 --cfg=smpi/grow-injected-times:no \
        "$program" "$1" $width "$2" "$3" "$4" 2.273e-11 "$latency" "$byte" 2>&1) || status=1
    echo "$row" | grep "^$1," | tee -a "$rows" | grep . || {
        echo "$row" >&2
        status=1
    }
}

echo 'mode,ranks,simulated_s,estimated_s,simulated_efficiency,estimated_efficiency'
for ranks in ${*:-8 16 32 64}; do
    for mode in ${MODES:-stashed sync 2bw last}; do
        if [ "$ranks" -le 48 ]; then
            case $mode in
            sync) run "$ranks" sync 512 $((ranks > 16 ? 64 : 32)) 3 ;;
            2bw) run "$ranks" 2bw $((16 * ranks)) "$ranks" 4 ;;
            last) run "$ranks" last 64 1 64 ;;
            *) run "$ranks" "$mode" 64 1 $((ranks > 16 ? 4 * ranks : 64)) ;;
            esac
        else
            case $mode in
            sync) run "$ranks" sync 512 16 1 ;;
            2bw) run "$ranks" 2bw $((16 * ranks)) "$ranks" 1 ;;
            *) run "$ranks" "$mode" 64 1 64 ;;
            esac
        fi
    done
done
# Efficiencies of up to 48 ranks: larger clusters have another network and fewer batches.
if [ -n "${OUT:-}" ]; then
    awk -F, '$2 <= 48 {
            if (!($1 in seen)) { seen[$1]; mode[n++] = $1 }
            if (!($2 in at)) { at[$2]; ranks[m++] = $2 }
            got[$1, $2] = $5; told[$1, $2] = $6
        }
        END {
            printf "ranks"
            for (i = 0; i < n; i++) printf ",%s,%s-estimated", mode[i], mode[i]
            for (j = 0; j < m; j++) {
                printf "\n%s", ranks[j]
                for (i = 0; i < n; i++) printf ",%s,%s", got[mode[i], ranks[j]], told[mode[i], ranks[j]]
            }
            print ""
        }' "$rows" > "$hosts"
    "${SUMMAND:-$root/build/openmpi/summand}-study" plot --linear --title 'Pipelines of layers of 4096, simulated' \
        --x-label ranks --y-label 'efficiency' -o "$OUT/scale-train.svg" "$hosts"
fi
exit $status
