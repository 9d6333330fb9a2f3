# SPDX-License-Identifier: BSD-3-Clause
# What the library measures at its first use, of a switch of 10 ms and 20 Mbit/s: 1 Gbit/s Ethernet, dilated 50 times or
# more, so that other work of the machine counts little. To a factor of 1.7: on a load of 40 processes latencies were 10 to
# 13 ms, and times of a byte, to which TCP adds, 1.2 to 1.5 times the switch's. From CTest, by run.sh.
. "$HOSTS_HERE/common.sh"

# check NAME TRUTH
check() {
    awk -v name="$1" -v truth="$2" '$1 == name { got = $3 } END { exit !(got * 1.7 > truth && got < truth * 1.7) }' out ||
        fail "$place: $1 is $(awk -v name="$1" '$1 == name { print $3 }' out), in truth $2"
}
for place in 'host0:1 host1:1' 'host0:2 host1:2' 'host0:3 host1:1'; do
    launch "$place" "$SUMMAND" info --network > out 2> err || fail "$place: $(head -n 20 err)"
    check network.latency 0.01
    check network.byte 4e-7
done
finish
