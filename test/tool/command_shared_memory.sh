#!/bin/sh
# Shared memory leaves nothing behind: after success, after a failure, and after a rank was killed.
. "$(dirname "$0")/common.sh"

# Names in the system's shared memory that are not of the MPIs or of their transports.
names() {
    ls /dev/shm | grep -v '^vader_segment\|^sm_segment\|^osc\|^mpich\|^ucx\|^psm\|^btl'
}

# Processes that map one of our segments: those have no name, so this is all there can be of them.
mapped_by() {
    for rank in $1; do
        grep -l 'memfd:summand' "/proc/$rank/maps" 2> /dev/null
    done
}

# The ranks run a copy of the command, by which they are told from others' processes.
cp "$SUMMAND" ranks || exit 1
ranks_of() {
    for process in /proc/[0-9]*; do
        [ "$(readlink "$process/exe" 2> /dev/null)" = "$(readlink -f ranks)" ] &&
            basename "$process"
    done
}

before=$(names)
run 2 bench allreduce --algorithms auto --sizes 8..64k:64 --budget 0.05 || fail "success: $(cat err)"
same 'names after success' "$(names)" "$before"

SUMMAND_TRANSPORT=nothing run 2 bench allreduce --algorithms auto --sizes 8 --budget 0.05 &&
    fail 'a transport of no such name'
same 'names after a failure' "$(names)" "$before"

SUMMAND_TRANSPORT=shm timeout 60 "$MPIEXEC" -n 2 ./ranks bench allreduce \
    --algorithms auto --sizes 8..1m:8 --budget 30 > out 2> err &
launcher=$!
for turn in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
    sleep 0.5
    ranks=$(ranks_of)
    [ "$(mapped_by "$ranks" | wc -l)" -ge 2 ] && break
done
same 'ranks that share memory' "$(mapped_by "$ranks" | wc -l)" 2
kill -9 $(echo "$ranks" | head -n 1)
wait $launcher && fail 'success without a rank'
for turn in 1 2 3 4 5 6 7 8 9 10; do
    [ -z "$(ranks_of)" ] && break
    sleep 0.5
done
same 'ranks that outlive it' "$(ranks_of)" ''
same 'names after a rank was killed' "$(names)" "$before"
finish
