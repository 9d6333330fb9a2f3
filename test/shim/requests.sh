#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Non-blocking and persistent collectives have the bits of the blocking ones; requests of all kinds complete as MPI says;
# a program that waits anywhere progresses them; and a rank without memory ends the program with a line.
. "$(dirname "$0")/common.sh"

for mode in ${EXACT:+exact} canonical; do
    with $mode 2 "$PROGRAMS/requests"
    with $mode 3 "$PROGRAMS/requests"
    with $mode 3 "$PROGRAMS/requests_many"
    with $mode 3 "$PROGRAMS/statuses"
done
# The MPI's own on one rank.
with canonical 1 "$PROGRAMS/requests" forms progress starts
with ordered 2 "$PROGRAMS/requests"
with canonical 5 "$PROGRAMS/requests" forms orders kinds
# Beside blocking calls through the MPI's messages.
export SUMMAND_TRANSPORT=p2p
with canonical 3 "$PROGRAMS/requests" progress orders
unset SUMMAND_TRANSPORT
# Summand does them all.
timeout $LIMIT "$SUMMAND" run --mode canonical --strict -- "$MPIEXEC" -n 2 "$PROGRAMS/requests" > out 2> err ||
    fail "--strict: $(head -n 5 err)"

# Threads that complete what others have started, beside their blocking calls.
with canonical 3 "$PROGRAMS/requests_many" threads
[ -z "$(cat out)" ] || same "ranks with threads" "$(grep -o 'threads ended' out | wc -l)" 3

# Memory: a rank cannot do its part, for which the others wait.
for poor in 0 2; do
    ! timeout $LIMIT "$MPIEXEC" -n 3 env LD_PRELOAD="$WATCHED${LD_PRELOAD:+:$LD_PRELOAD}" SUMMAND_MODE=canonical SHIM_SCARCE=$poor \
        SHIM_LINES="$work/lines" "$PROGRAMS/requests_many" scarce > out 2> err || fail "rank $poor has no memory, and goes on"
    ! grep -q 'goes on' out || fail "rank $poor has no memory: another one goes on"
    grep -q "rank $poor: MPI_Iallreduce: the operands of all ranks" err || fail "rank $poor has no memory: $(head -n 5 err)"
done

# As many operands as somebody allows: 3 ranks with 8 bytes each, and then the MPI's own.
for most in 24 23 off; do
    SUMMAND_REQUESTS=$most watched canonical 3 "$PROGRAMS/requests" one_element
    same "SUMMAND_REQUESTS=$most" "$(sed -n 's/^0 1 allreduce non-blocking //p' lines | sort -u)" \
        "$(case $most in 24) echo served ;; 23) echo 'more operands than SUMMAND_REQUESTS allows' ;; *) echo non-blocking ;; esac)"
done

# Records hash a result once it is there.
timeout $LIMIT "$SUMMAND" run --mode canonical --record=one -- "$MPIEXEC" -n 2 "$PROGRAMS/requests" forms persistent \
    > out 2> err || fail "record: $(head -n 5 err)"
timeout $LIMIT "$SUMMAND" run --mode canonical --record=two -- "$MPIEXEC" -n 2 "$PROGRAMS/requests" forms persistent \
    > out 2> err || fail "record: $(head -n 5 err)"
"$SUMMAND" diff one two > out 2> err || fail "two records differ: $(cat out err)"
finish
