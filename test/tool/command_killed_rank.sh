#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# If a launcher lets the other ranks live, those that share memory with a killed rank detect its death and get an
# error: in blocking calls, plans, and the making of a plan.
. "$(dirname "$0")/common.sh"
: "${KILLED:?}"

# MPICH's launcher kills all others in any case.
"$MPIEXEC" --version 2> /dev/null | grep -q 'Open MPI\|OpenRTE' || finish

for ranks in 2 3; do
    SUMMAND_TRANSPORT=shm timeout $LIMIT "$MPIEXEC" --enable-recovery -n $ranks "$KILLED" > out 2> err
    [ $? -ne 124 ] || fail "$ranks ranks: they wait"
    for rank in $(seq 0 $((ranks - 2))); do
        for where in rank plan init; do
            grep -qx "$where $rank: remote" out || fail "$ranks ranks: no '$where $rank: remote' in: $(cat out err)"
        done
    done
done
finish
