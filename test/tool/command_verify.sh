# SPDX-License-Identifier: BSD-3-Clause
# summand verify: the same text for any number of worker processes; a worker that dies is a fault.
. "$(dirname "$0")/common.sh"

for jobs in 1 2 5; do
    "$SUMMAND" verify -p 3 --jobs $jobs > out.$jobs 2> err || fail "$jobs workers: status $?"
    same "$jobs workers: standard error" "$(cat err)" ""
    cmp -s out.1 out.$jobs || fail "$jobs workers say something else than one"
done
same "faults" "$(awk '{ faults += $5 } END { print faults }' out.1)" 0
awk '$3 < 9 { exit 1 }' out.1 || fail "rows without proofs"
"$SUMMAND" list | awk 'NR > 1 && /^[a-z]/ { print $1 }' | sort -u > listed
awk '{ print $1 }' out.1 | grep -v '^train-' | sort -u > proved
same "trainings that are proved" "$(awk '$2 == "training" && sub(/^train-/, "", $1) { print $1 }' out.1 | sort | paste -sd ' ')" \
    '2bw last poad stashed sync'
cmp -s listed proved || fail "what is proved is not what is listed"

"$SUMMAND" verify -a train-sync -c reduce > out 2> err
same "status of a training's collective" $? 2
"$SUMMAND" verify --jobs 5000 > out 2> err
same "status of too many workers" $? 2

workers_of() { # those of a process that have worked for some ticks of the clock
    for stat in /proc/[0-9]*/stat; do
        { read -r id name state parent rest < "$stat"; } 2> /dev/null || continue
        [ "$parent" = "$1" ] || continue
        # shellcheck disable=SC2086
        set -- "$1" $rest
        [ "${11}" -le 3 ] || echo "$id"
    done
}

# kill_workers HOW-MANY RANKS: of two that prove the ring. One that has no task when it ends loses
# nothing: then there is no fault, and another try.
kill_workers() {
    "$SUMMAND" verify -a ring -p "$2" --jobs 2 > out 2> err &
    process=$!
    while kill -0 $process 2> /dev/null; do
        victims=$(workers_of $process | head -n "$1")
        [ "$(echo "$victims" | wc -w)" = "$1" ] && break
    done
    # It may have ended before they were seen: no fault, either.
    # shellcheck disable=SC2086
    [ -z "$victims" ] || kill -KILL $victims 2> /dev/null
    wait $process
    status=$?
    [ $status != 0 ] || cmp -s out whole || fail "no fault without $1 of two workers, other rows"
}

"$SUMMAND" verify -a ring -p 30 > whole
for try in 1 2 3 4 5; do
    kill_workers 1 30
    [ $status != 0 ] && break
done
same "status without one of two workers" $status 1
grep -q '^ring .*: ranks .*: not proved: the worker process was ended by signal 9' out ||
    fail "a worker that was killed goes unseen"
same "tasks that are lost with one worker" "$(grep -c 'not proved' out)" 1
same "rows without one of two workers" "$(grep -c 'proofs* .*faults*' out)" 6

kill_workers 2 200
same "status without workers" $status 1
grep -q 'not proved: no worker process is left' out || fail "rank counts without worker go unseen"
same "rows without workers" "$(grep -c 'proofs* .*faults*' out)" 6

finish
