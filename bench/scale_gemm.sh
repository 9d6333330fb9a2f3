#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Products of matrices on a simulated cluster, as in Schmidtobreick (2017), figures 5.7 to 5.10: 2x2 + 2x2 to 16x16 + 16x16
# ranks, 8 on a node, InfiniBand QDR (SimGrid's SMPI, platforms/qdr-64x8.xml).
#     bench/scale_gemm.sh [RANKS:N[:BLOCK]...]   default: 8, 32, 128 and 512 ranks, n from 1024 to 32768
# BLOCK: rows and columns of a block; else one block on each rank. ALGORITHMS: gemm-panels and gemm-pairs by default;
# gemm-pairs-rows is the third, gemm-barriers the fourth. Finished runs stay in OUT (build/scale-gemm): called again, the
# script does the rest. It
# writes OUT/all.csv, which the figures show as rings beside the predictions:
#     summand-study gemm --figure 5.7 build/scale-gemm/all.csv -o time.svg
# Needs `sh packaging/build.sh smpi scale-gemm`; other programs do not matter. JOBS: parallel runs.
# Computing is modelled: 3.13e-11 s per operation, which the dissertation takes from that cluster's Linpack, or 1e-10 s
# per byte.
set -eu
root=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)
export root PROGRAM="${SCALE_GEMM:-$root/build/smpi/bench/scale-gemm}" OUT="${OUT:-$root/build/scale-gemm}"
export SUMMAND="${SUMMAND:-$root/build/openmpi/summand}" ALGORITHMS="${ALGORITHMS:-gemm-panels gemm-pairs}"
[ -x "$PROGRAM" ] || {
    echo "$PROGRAM is missing: sh packaging/build.sh smpi scale-gemm" >&2
    exit 1
}
mkdir -p "$OUT"
# Simulated times depend on the length of the name in SUMMAND_TUNING, which the library copies to the heap that all
# simulated ranks share. So the name is without a folder.
cd "$OUT"
OUT=$(pwd)
seq 0 63 | sed 's/.*/node-&:8/' >"$OUT/hosts"
# The library gets the same model of the machine as predictions.
if [ -x "$SUMMAND" ]; then
    "$SUMMAND" predict --model "$root/bench/platforms/qdr-64x8.model" --print-model |
        sed 's/#.*//; s/^/model /' >"$OUT/tuning"
fi
[ $# -gt 0 ] || for ranks in 8 32 128 512; do
    for n in 1024 2048 4096 8192 16384 32768; do set -- "$@" "$ranks:$n"; done
done
# One case, unless its row exists. Long arrays are all mapped onto one of 16 MB.
cat >"$OUT/run" <<'END2'
IFS=: read -r ranks n block <<CASE
$1
CASE
predicted() { # microseconds of gemm-panels
    "$SUMMAND" predict -c gemm -a gemm-panels -p "$1" -n "$2" --model "$root/bench/platforms/qdr-64x8.model" |
        awk '$1 == "gemm-panels" && $2 + 0 > 0 { print $2; exit }'
}
for algorithm in $ALGORITHMS; do
    row=$OUT/$algorithm-$ranks-$n${block:+-$block}.csv
    [ ! -s "$row" ] || continue
    # The time sets how often waiting ranks poll; if efficiency is low, the least time would mean too many polls.
    time=
    [ ! -x "$SUMMAND" ] || time=$(predicted "$ranks" "$n" | awk '{ print $1 * 1e-6 }')
    [ ! -e "$OUT/tuning" ] || export SUMMAND_TUNING=tuning
    [ "$ranks" -gt 8 ] && node=8 || node=1 # on one node there would be one panel
    env ${time:+SCALE_TIME="$time"} SCALE_UNCHECKED=1 SUMMAND_TRANSPORT=p2p SUMMAND_NODE_SIZE="$node" \
        SUMMAND_NETWORK=off SUMMAND_CALIBRATION=off \
        LD_PRELOAD="$(dirname "$PROGRAM")/smpi-setup.so" smpirun -np "$ranks" -hostfile "$OUT/hosts" \
        -platform "$root/bench/platforms/qdr-64x8.xml" --log=root.thres:error --cfg=smpi/iprobe:1e-7 \
        --cfg=smpi/test:0 --cfg=smpi/grow-injected-times:no --cfg=smpi/auto-shared-malloc-thresh:1048576 \
        --cfg=smpi/shared-malloc:global --cfg=smpi/shared-malloc-blocksize:16777216 \
        "$PROGRAM" "$algorithm" "$n" "${block:-0}" 3.13e-11 1e-10 >"$row.part" 2>&1 && grep "^$algorithm," "$row.part" >"$row" || {
        echo "$algorithm on $ranks ranks, n = $n: see $row.part" >&2
        exit 1
    }
    rm -f "$row.part"
done
END2
status=0
printf '%s\n' "$@" | xargs -n 1 -P "${JOBS:-$(nproc)}" sh "$OUT/run" || status=1
{
    echo 'algorithm,ranks,n,block,seconds,efficiency,elements_put,between_nodes,result'
    cat "$OUT"/gemm-*.csv | sort -t, -k1,1 -k2,2n -k3,3n -k4,4n
} | tee "$OUT/all.csv"
exit $status
