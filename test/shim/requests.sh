#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Non-blocking and persistent collectives have the bits of the blocking ones; requests of all kinds complete as MPI says;
# a program that waits anywhere progresses them; and a rank without memory leaves no rank waiting.
. "$(dirname "$0")/common.sh"
export SUMMAND_REQUESTS=on

for mode in ${EXACT:+exact} canonical; do
    with $mode 2 "$PROGRAMS/requests"
    with $mode 3 "$PROGRAMS/requests"
    with $mode 3 "$PROGRAMS/requests_many"
done
# The MPI's own on one rank; MPICH 4 does not return from MPI_Wait with a persistent request that is inactive.
with canonical 1 "$PROGRAMS/requests" forms progress starts
with ordered 2 "$PROGRAMS/requests"
with canonical 5 "$PROGRAMS/requests"
# Through the MPI's messages, and both.
for settings in SUMMAND_TRANSPORT=p2p SUMMAND_NODE_SIZE=2; do
    export "${settings?}"
    with "${EXACT:+exact:allreduce,}canonical" 3 "$PROGRAMS/requests"
    with "${EXACT:+exact:allreduce,}canonical" 3 "$PROGRAMS/requests_many" arrays
    unset "${settings%=*}"
done
# Summand does them all.
timeout $LIMIT "$SUMMAND" run --mode canonical --strict -- "$MPIEXEC" -n 2 "$PROGRAMS/requests" > out 2> err ||
    fail "--strict: $(head -n 5 err)"

# Threads that complete what others have started, beside their blocking calls.
for mode in canonical ${EXACT:+exact}; do
    with $mode 3 "$PROGRAMS/requests_many" threads
    [ -z "$(cat out)" ] || same "$mode: ranks with threads" "$(grep -o 'threads ended' out | wc -l)" 3
done

# Memory: errors on all ranks or none, and each kind of them.
for poor in 0 2; do
    export SHIM_SCARCE=$poor
    for mode in canonical ${EXACT:+exact}; do
        watched $mode 3 "$PROGRAMS/requests_many" scarce
        same "$mode, rank $poor: counts of errors" "$(grep -o 'errors [0-9]*' out | sort -u | wc -l)" 1
        grep -q 'errors [1-9]' out || fail "$mode, rank $poor: no error"
    done
done
unset SHIM_SCARCE

# Records hash a result once it is there.
timeout $LIMIT "$SUMMAND" run --mode canonical --record=one -- "$MPIEXEC" -n 2 "$PROGRAMS/requests" forms persistent \
    > out 2> err || fail "record: $(head -n 5 err)"
timeout $LIMIT "$SUMMAND" run --mode canonical --record=two -- "$MPIEXEC" -n 2 "$PROGRAMS/requests" forms persistent \
    > out 2> err || fail "record: $(head -n 5 err)"
"$SUMMAND" diff one two > out 2> err || fail "two records differ: $(cat out err)"
finish
