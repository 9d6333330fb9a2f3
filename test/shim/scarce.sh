#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# One rank has no memory for Summand, from its n-th request on, for each n: all ranks call the MPI together, nobody waits
# or sees an error, and the result is right.
. "$(dirname "$0")/common.sh"

plain 3 "$PROGRAMS/life" many
for poor in 0 2; do
    export SHIM_SCARCE=$poor
    watched fast 3 "$PROGRAMS/life" many
    as_plain "scarce memory on rank $poor"
    for rank in 0 1 2; do
        sed 's/^end//' lines.$rank > seen.$rank
        cmp -s seen.0 seen.$rank || fail "rank $rank served other calls than rank 0: $(diff seen.0 seen.$rank | head -n 4)"
    done
    grep -q 'could not be set up' lines || fail 'no call failed in its set-up'
    grep -q 'served' lines || fail 'no call was served'
done
unset SHIM_SCARCE

# A message of one rank fails in a later call, an error for the program: this rank does not call the MPI alone, where it
# would wait for ever.
for mute in 0 2; do
    SUMMAND_TRANSPORT=p2p SHIM_MUTE=$mute watched fast 3 "$PROGRAMS/life" damaged
    same "a message of rank $mute fails: calls" "$(grep -c served lines)" 15
    grep -q "^rank $mute: [1-9] failed" out || fail "a message of rank $mute fails: no error: $(cat out)"
done

# So does an agreement, which the MPI refuses on one rank.
for veto in '0 1' '2 1'; do
    SUMMAND_TRANSPORT=shm SHIM_VETO=$veto watched fast 3 "$PROGRAMS/life" damaged
    same "an agreement fails, $veto: calls" "$(grep -c served lines)" 15
    same "an agreement fails, $veto: ranks with an error" "$(grep -c '^rank [0-2]: [1-9] failed' out)" 3
done
finish
