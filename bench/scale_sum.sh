#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Sums of doubles on a simulated cluster (SimGrid's SMPI), as in Stelz (2022), figure 4.4: 80 ranks on a node,
# InfiniBand (platforms/ib-36x16.xml; a node is a host there).
#     bench/scale_sum.sh [RANKS:N...]   default: 1 to 880 ranks, N = 21410970
# Writes OUT/all.csv (build/scale-sum): method, ranks, N, us, right. Finished runs stay in OUT.
# Needs `sh packaging/build.sh smpi scale-sum`. ADD: seconds of an addition, 4.15e-9 in the thesis. NODE: ranks on a node.
set -eu
root=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)
PROGRAM=${SCALE_SUM:-$root/build/smpi/bench/scale-sum} OUT=${OUT:-$root/build/scale-sum} NODE=${NODE:-80}
[ -x "$PROGRAM" ] || {
    echo "$PROGRAM is missing: sh packaging/build.sh smpi scale-sum" >&2
    exit 1
}
mkdir -p "$OUT"
cd "$OUT"
[ $# -gt 0 ] || set -- 1:21410970 16:21410970 80:21410970 160:21410970 320:21410970 640:21410970 880:21410970
seq 0 35 | sed "s/.*/node-&:$NODE/" >hosts
"${SUMMAND:-$root/build/openmpi/summand}" predict --model "$root/bench/platforms/ib-36x16.model" --print-model |
    sed 's/#.*//; s/^/model /' >tuning
for case; do
    ranks=${case%:*} n=${case#*:}
    [ ! -s "$ranks-$n.csv" ] || continue
    SUMMAND_TUNING=tuning SUMMAND_TRANSPORT=p2p SUMMAND_NODE_SIZE="$NODE" SUMMAND_NETWORK=off SUMMAND_CALIBRATION=off \
        LD_PRELOAD="$(dirname "$PROGRAM")/smpi-setup.so" smpirun -np "$ranks" -hostfile hosts \
        -platform "$root/bench/platforms/ib-36x16.xml" --log=root.thres:error \
        --cfg=smpi/test:0 --cfg=smpi/grow-injected-times:no "$PROGRAM" "$n" "${ADD:-4.15e-9}" >"$ranks-$n.part"
    grep '^[a-z]*,[0-9]*,' "$ranks-$n.part" >"$ranks-$n.csv"
    rm "$ranks-$n.part"
done
cat ./*-*.csv | sort -t, -k1,1 -k3,3n -k2,2n | tee all.csv
