#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Messages of the set-up, 4 nodes of 16 ranks: of a rank, a few for each doubling of the ranks (bench/scale_setup.c).
#
#     setup.sh SMPI-SETUP SCALE-SETUP SOURCE
set -u
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 1
printf 'node-%d:16\n' 0 1 2 3 >hosts
SUMMAND_NETWORK=off SUMMAND_TRANSPORT=p2p LD_PRELOAD=$1 timeout 100 smpirun -np 64 -hostfile hosts \
    -platform "$3/bench/platforms/eth-48x16.xml" --log=root.thres:error "$2" >out 2>err || {
    cat out err
    exit 1
}
cat out
awk -F, '
    BEGIN { most["MPI_Comm_dup"] = 2; most["the first call"] = 48; most["the first call on the duplicate"] = 18
            most["the second call"] = most["the second call there"] = 12 }
    $3 < 0.9 || $3 > most[$2] { print $2 ": a rank sends " $3 " messages, at most " most[$2] " expected"; bad = 1 }
    END { exit bad || NR != 5 }' out
