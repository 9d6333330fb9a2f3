#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The benchmark of puts with notification: every window, and what they are compared with. No time is
# asserted.
. "$(dirname "$0")/common.sh"

run 2 bench notify --sizes 0,8,70000 --trips 3 --budget 0.05 --json n.json --csv n.csv --plot n.svg ||
    fail "$(cat err)"
[ -s err ] && fail "progress without a terminal: $(cat err)"
for subject in 'notify shm' 'notify p2p' memcpy send; do
    same "rows of $subject" "$(grep -c ",$subject,[0-9]" n.csv)" 3
    same "lines of $subject" "$(grep -c "^ *[0-9]* *$subject  " out)" 3
    grep -q ">$subject</text>" n.svg || fail "$subject is not in the picture"
done
head -n 1 n.csv | tr , '\n' | grep -qx vs_memcpy || fail 'no column vs_memcpy'
same 'round trips' "$("$CHECK_JSON" n.json options.trips_per_repetition)" 3
grep -qi 'nan\|inf' n.svg && fail 'a point at infinity in the picture'

# The windows of the MPI, as a program uses them.
study run 2 one-sided > /dev/null || fail "one-sided: $(cat err)"

# More ranks look on; one is not enough.
run 3 bench notify --sizes 8 --trips 2 --budget 0.05 || fail "three ranks: $(cat err)"
run 1 bench notify && fail 'one rank'
grep -q 'needs at least two ranks' err || fail "one rank: $(cat err)"
run 2 bench notify --sizes -1 && fail 'a size below 0'
run 2 bench notify --trips -1 && fail 'trips below 0'
run 2 bench notify x && fail 'an operand'
finish
