#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The library's measurements of simulated clusters, at the first use and by `summand tune --measure`, against their
# true values: 2 x 16 ranks with shared cards, and 48 nodes of one rank on a tree with half as many uplinks as nodes.
#
#     network.sh SMPI-SETUP SUMMAND SOURCE
set -u
setup=$1 summand=$2 source=$3
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 1
failed=0

# simulate PLATFORM RANKS COMMAND...
simulate()
{
    platform=$source/bench/platforms/$1.xml ranks=$2
    shift 2
    SUMMAND_TRANSPORT=p2p LD_PRELOAD=$setup timeout 100 smpirun -np "$ranks" -hostfile hosts \
        -platform "$platform" --log=root.thres:error "$@" 2>err
}

# check WHAT NAME=VALUE...: the model in the file `model` has these, to 20 %.
check()
{
    what=$1
    shift
    for truth; do
        got=$(sed 's/#.*//' model | awk -v name="${truth%=*}" '$1 == name { print $3 }')
        awk -v got="${got:-none}" -v truth="${truth#*=}" 'BEGIN {
            exit !(got != "none" && got >= truth - 0.2 * truth && got <= truth + 0.2 * truth) }' || {
            echo "$what: ${truth%=*} is ${got:-not there}, in truth ${truth#*=}"
            failed=1
        }
    done
}

ib='network.send=0.25e-6 network.recv=0.25e-6 network.gap=0 network.latency=1.6e-6 network.byte=3.129e-10
    eager=16383 cross=0.05 fair_card=1 reduce=0 copy=0'
node='shared_card=1 node.latency=0.4e-6 node.send=0.25e-6 node.byte=2.128e-10 per_switch=0 oversubscription=1'
tree='per_switch=16 oversubscription=2 far.latency=3.2e-6'

printf 'node-0:16\nnode-1:16\n' >hosts
simulate ib-36x16 32 "$summand" info --network >model
check 'two nodes, first use' $ib $node
simulate ib-36x16 32 "$summand" tune --measure >model
check 'two nodes, measured' $ib $node
export SUMMAND_NETWORK=off
simulate ib-36x16 32 "$summand" info --network >model
unset SUMMAND_NETWORK
check 'two nodes, defaults' eager=16384 reduce=1e-10
seq -f 'node-%g' 0 47 >hosts
simulate fat-tree-128x1 48 "$summand" info --network >model
check 'a tree, first use' $ib $tree
[ $failed = 0 ] && echo 'all as it is'
exit $failed
