#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Shared memory leaves nothing behind: after success, after a failure, and after a rank was killed.
. "$(dirname "$0")/common.sh"

# Names in the system's shared memory that do not belong to the MPIs or their transports.
names() {
    ls /dev/shm | grep -v '^vader_segment\|^sm_segment\|^osc\|^mpich\|^ucx\|^psm\|^btl'
}

# Those of the processes "$@" that map one of our segments. A segment has no name, so a mapping is its only trace.
mapped_by() {
    for rank in "$@"; do
        grep -l 'memfd:summand' "/proc/$rank/maps" 2> /dev/null
    done
}

# Those of the processes "$@" that still exist (zombies excluded).
alive() {
    for rank in "$@"; do
        grep -q '^State:[[:space:]]*[^ZX]' "/proc/$rank/status" 2> /dev/null && echo "$rank"
    done
}

before=$(names)
run 2 bench allreduce --algorithms auto --sizes 8..64k:64 --budget 0.05 || fail "success: $(cat err)"
same 'names after success' "$(names)" "$before"

SUMMAND_TRANSPORT=nothing run 2 bench allreduce --algorithms auto --sizes 8 --budget 0.05 &&
    fail 'a transport of no such name'
same 'names after a failure' "$(names)" "$before"

# Ranks that reduce until they are killed; each leaves a file with its number when it is under way. Once
# with messages in the memory that they share, once with messages read out of their own.
for read in never 1; do
    rm -f rank.*
    SUMMAND_TRANSPORT=shm SUMMAND_DIRECT_READ=$read timeout $LIMIT "$MPIEXEC" -n 2 "$ENDLESS" > out 2> err &
    launcher=$!
    for turn in $(seq 200); do
        set -- rank.*
        [ $# -ge 2 ] && break
        sleep 0.5
    done
    ranks=$(ls | sed -n 's/^rank\.//p')
    same 'ranks that share memory' "$(mapped_by $ranks | wc -l)" 2
    kill -9 $(echo "$ranks" | head -n 1) || kill $launcher
    wait $launcher && fail 'success without a rank'
    for turn in $(seq 120); do
        [ -z "$(alive $ranks)" ] && break
        sleep 0.5
    done
    same 'ranks that outlive it' "$(alive $ranks)" ''
    same 'names after a rank was killed' "$(names)" "$before"
done
finish
