#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# summand bench matrix: a row for every move and subject, each of which was checked; files; what is
# wrong in one sentence. No time is asserted.
. "$(dirname "$0")/common.sh"

run 2 bench matrix --sizes 1,130 --budget 0.02 --json m.json --csv m.csv --plot m.svg ||
    fail "$(cat err)"
[ -s err ] && fail "progress without a terminal: $(cat err)"
for move in columns-rows blocks cyclic ranks transpose; do
    for subject in copy plan alltoallv memcpy; do
        same "rows of $move, $subject" "$(grep -c "^ *$move  *[0-9]*  *$subject " out)" 2
        same "lines of $move, $subject" "$(grep -c ",$move,[0-9]*,[0-9]*,$subject,[0-9]" m.csv)" 2
    done
done
same 'results in JSON' "$("$CHECK_JSON" m.json results.#)" 40
head -n 1 m.csv | tr , '\n' | grep -qx vs_alltoallv || fail 'no column vs_alltoallv'
grep -qi 'nan\|inf' m.svg && fail 'a point at infinity in the picture'

# One rank, more ranks than rows, and slices that end raggedly.
run 1 bench matrix --sizes 5 --moves ranks,transpose --budget 0.02 || fail "one rank: $(cat err)"
run 3 bench matrix --sizes 2,301 --moves blocks,cyclic --budget 0.02 || fail "three: $(cat err)"
run 2 bench matrix --sizes 0 && fail 'a matrix of nothing'
run 2 bench matrix --moves sideways && fail 'a move that is not there'
grep -q "'sideways' is not a known move" err || fail "a move that is not there: $(cat err)"
run 2 bench matrix x && fail 'an operand'
finish
