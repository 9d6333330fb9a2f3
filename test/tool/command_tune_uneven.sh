#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# summand tune on nodes of uneven sizes, and in an order of their own: what it writes holds there, and programs there take
# it.
. "$(dirname "$0")/common.sh"
: "${NODED:?}"
SUMMAND=$NODED

chosen() { # what the library takes for a reduce of 1 KiB on four ranks
    run 4 bench reduce --sizes 1000 --algorithms auto --start barrier --budget 0.1 || fail "bench: $(cat err)"
    same "warnings" "$(grep -c SUMMAND_TUNING err)" 0
    sed -n 's/.* auto (\([a-z-]*\).*/\1/p' out
}

for nodes in 0111 0110; do
    export TEST_NODES=$nodes
    run 4 tune --budget 2 --collectives reduce --least 1k --most 1k -o t.$nodes || fail "tune: $(cat err)"
    grep '^reduce ' t.$nodes | grep -v promise > lines
    same "$nodes: lines" "$(wc -l < lines)" 1
    grep -q '^reduce 4/uneven 0-' lines || fail "$nodes: $(cat lines)"
    same "$nodes: lines of other nodes" "$(grep '^reduce ' t.$nodes | grep -cv '^reduce 4/uneven ')" 0

    # The library takes what stands there: what was measured, and another algorithm that is put in its place.
    SUMMAND_TUNING=t.$nodes
    export SUMMAND_TUNING
    same "$nodes: what was measured" "$(chosen)" "$(awk '{ print $4 }' lines)"
    { grep '^machine ' t.$nodes; echo 'reduce 4/uneven 0- chain'; echo 'reduce 4 0- linear'
        echo 'reduce 4/2 0- linear'; } > by-hand.txt
    SUMMAND_TUNING=by-hand.txt
    same "$nodes: a line by hand" "$(chosen)" chain
    unset SUMMAND_TUNING
done

# `info --network` tells how ranks lie on nodes, in its text and as numbers: nodes, the fewest and the most ranks of one,
# runs of consecutive ranks.
while read -r nodes numbers words; do
    export TEST_NODES=$nodes
    run ${#nodes} info --network || fail "info --network on $nodes: $(cat err)"
    cat out err | tr '\n' ' ' | grep -q "it, $words; " || fail "info --network on $nodes: $(head -n 3 out)"
    run ${#nodes} info --network --json || fail "info --network --json on $nodes: $(cat err)"
    for name in nodes least_ranks most_ranks runs; do
        same "$name on $nodes" "$("$CHECK_JSON" out network.$name)" "${numbers%%,*}"
        numbers=${numbers#*,}
    done
done <<END
000 1,3,3,1 1 node of 3 ranks
011 2,1,2,2 2 nodes of 1 to 2 ranks
0101 2,2,2,4 2 nodes of 2 ranks, in 4 runs of consecutive ranks
01102 3,1,2,4 3 nodes of 1 to 2 ranks, in 4 runs of consecutive ranks
END

# On one node, and on nodes of one size, these lines do not hold.
SUMMAND_TUNING=by-hand.txt
export SUMMAND_TUNING
for nodes in 0000 0011; do
    export TEST_NODES=$nodes
    same "$nodes" "$(chosen)" linear
done
finish
