# SPDX-License-Identifier: BSD-3-Clause
# What the library measures at its first use, beside a busy process. CTest runs it, by run.sh, with a switch of 50 ms and 4
# Mbit/s: 1 Gbit/s Ethernet, dilated 250 times or more. Other work of the machine is late by some ms at each turn, so the
# bound, a factor of 3, is a tenth of a second away; wrong measurements were off by 27 to 300, or 0. On a load of 25 processes
# latencies were 50 to 63 ms, and times of a byte 0.85 to 1.25 times the switch's. TELL=1 prints them.
#
#     network.sh [BOUND [TIMES]]    to a factor of BOUND (3), TIMES in a row on each placement (1)
. "$HOSTS_HERE/common.sh"
bound=${1:-3} times=${2:-1}
latency=$(awk "BEGIN { print $HOSTS_DELAY / 1e6 }") byte=$(awk "BEGIN { print 8 / $HOSTS_RATE / 1e6 }")

# check NAME TRUTH
check() {
    got=$(awk -v name="$1" '$1 == name { print $3 }' out)
    awk -v got="$got" -v truth="$2" -v bound="$bound" 'BEGIN { exit !(got * bound > truth && got < truth * bound) }' ||
        fail "$place: $1 is $got, in truth $2"
    [ -z "${TELL:-}" ] || echo "$place: $1 $got, in truth $2"
}
chrt -o 0 sh -c 'while :; do :; done' &
busy=$!
for place in 'host0:1 host1:1' 'host0:2 host1:2' 'host0:3 host1:1'; do
    for turn in $(seq "$times"); do
        launch "$place" "$SUMMAND" info --network > out 2> err || fail "$place: $(head -n 20 err)"
        check network.latency "$latency"
        check network.byte "$byte"
    done
done
kill $busy
finish
