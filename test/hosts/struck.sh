# SPDX-License-Identifier: BSD-3-Clause
# What strikes a link, a rank or a host while ranks reduce (struck.c): never a wrong result, and an error or a line that
# names host and rank. From CTest, by run.sh.
#
#     struck.sh [all]
. "$HOSTS_HERE/common.sh"
program=$PROGRAMS/hosts-struck
export SUMMAND_STALL=2

control() {
    echo "$*" > "$HOSTS/control"
}
# Once some calls are over.
await() {
    until [ -s "$HOSTS/host1/2.process" ] && [ -s "$HOSTS/host1/3.process" ]; do sleep 0.1; done
}
signal() {
    "$HOSTS_HERE/on.sh" host1 kill -"$1" "$(cat "$HOSTS/host1/2.process")"
}

# strike SECONDS EVENT...: four ranks reduce for SECONDS, and the event comes meanwhile; output in out and its status in
# $status.
strike() {
    seconds=$1
    shift
    control
    rm -f "$HOSTS"/*/*.process
    { await; "$@"; } &
    event=$!
    # shellcheck disable=SC2086
    launch 'host0:2 host1:2' $program 2000 "$seconds" > out 2>&1
    status=$?
    kill $event 2> /dev/null
    control
    ! grep 'WRONG\| [1-9][0-9]* wrong' out || fail "$*: wrong results"
}
# goes_on WHAT: all ranks came to the end.
goes_on() {
    [ $status = 0 ] && [ "$(grep -c ' calls, 0 wrong' out)" = 4 ] || fail "$1: status $status: $(grep -v "$noise" out)"
}
# ends WHAT WORDS: with an error, and a line that has the words.
ends() {
    [ $status != 0 ] && [ $status != 124 ] || fail "$1: status $status: $(grep -v "$noise" out)"
    grep -q "$2" out || fail "$1: no '$2' in: $(grep -v "$noise" out)"
}
stalls="rank [01] of 4 on host0 (process [0-9]*) has waited .* for ranks* [0-3]"

short_cut() {
    control cut 2
    sleep 5
    control
}
strike 12 short_cut
goes_on 'a link that is cut for 5 s'
grep -q "$stalls" out || fail "a link that is cut for 5 s: no line"

export SUMMAND_TIMEOUT=5
strike 60 control cut 2
ends 'a link that is cut for ever' 'rank [0-3] on host[01]: call [0-9]*: .*SUMMAND_TIMEOUT.* on host[01] (process'
grep -q "$stalls" out || fail 'a link that is cut for ever: no line'
[ "${1:-}" = all ] || finish

strike 60 signal STOP
ends 'a stopped rank' 'rank [013] on host[01]: call [0-9]*: .*SUMMAND_TIMEOUT.* on host[01] (process'
strike 60 signal KILL
ends 'a killed rank' 'rank 2 .*host1\|RUNNING AT host1'

gone() {
    control gone 2
    sleep 1
    kill -KILL "$(cat "$HOSTS/host1.process")"
}
unset SUMMAND_TIMEOUT
lossy() {
    control loss 1
}
strike 10 lossy
goes_on 'a loss of 1 %'

# The MPI shares no memory on this host. MPICH cannot start there.
if [ "$KIND" = openmpi ]; then
    "$HOSTS_HERE/on.sh" host1 mount -o remount,size=8k /dev/shm
    strike 3 true
    goes_on 'a full /dev/shm on one host'
    "$HOSTS_HERE/on.sh" host1 mount -o remount,size=50% /dev/shm
fi

# Summand shares none there.
program="$HOSTS_HERE/only.sh host1 STRUCK_NO_FILES=1 $program"
strike 3 true
goes_on 'no shared memory on one host'
program=$PROGRAMS/hosts-struck

# The launcher of Open MPI may wait for a host that is gone; our error comes first.
export SUMMAND_TIMEOUT=5 LIMIT=40
strike 60 gone
[ $status != 0 ] && grep -q 'rank [01] on host0: call [0-9]*: .*SUMMAND_TIMEOUT.* on host0 (process\|lost communication.*\|RUNNING AT host1' out ||
    fail "a host that is gone: status $status: $(grep -v "$noise" out)"
finish
