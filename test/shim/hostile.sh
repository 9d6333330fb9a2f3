#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Hostile arguments give what they give without the shim, in each mode and on 1 to 5 ranks.
. "$(dirname "$0")/common.sh"

# all P MODE...
all() {
    p=$1
    shift
    plain "$p" "$PROGRAMS/hostile"
    for m in "$@"; do
        with "$m" "$p" "$PROGRAMS/hostile"
        as_plain "$p ranks, $m"
    done
}
all 3 off fast ordered canonical exact 'exact:allreduce<=100,canonical:reduce,fast'
all 1 fast
all 2 canonical
all 4 fast
all 5 canonical

# Most of it is served; what is passed on has a reason.
watched fast 3 "$PROGRAMS/hostile"
for call in reduce allreduce reduce_scatter reduce_scatter_block bcast allgather allgatherv; do
    grep -q " $call blocking served" lines || fail "$call: never served"
done
for reason in non-blocking 'inter-communicator' 'one rank' 'no elements'; do
    grep -q " $reason\$" lines || fail "no call was passed on: $reason"
done
finish
