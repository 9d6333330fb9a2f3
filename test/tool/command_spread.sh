#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# `summand spread` finds a result that moves with the rank count; the demo runs from end to end.
demo=$(dirname "$0")/../../bench/demo.sh
demo=$(cd "$(dirname "$demo")" && pwd)/demo.sh
. "$(dirname "$0")/common.sh"

for p in 1 2 3; do
    "$SUMMAND" generate psllh -n 1003 -o x.npy
    run $p sum --method all --json x.npy || fail "$(cat err)"
    cp out $p.json
done
"$SUMMAND" spread --plot s.svg 1.json 2.json 3.json > out || fail 'spread of equal results'
same 'zeros' "$(awk '/^x.npy/ { print $4, $5 }' out)" '0.0 0.0'
same 'picture' "$(tail -n 1 s.svg)" '</svg>'

# The exact sum of one run, one unit in the last place off.
bits=$("$CHECK_JSON" 2.json results.0.bits)
last=$(echo "$bits" | cut -c18)
[ "$last" = 0 ] && other=1 || other=0
sed "s/$bits/$(echo "$bits" | cut -c1-17)$other/" 2.json > moved.json
"$SUMMAND" spread 1.json moved.json 3.json > out 2> err && fail 'a broken promise passes'
grep -q 'broke its promise' err || fail "no word about it: $(cat err)"
# The numbers themselves instead of their sums.
for command in spread report 'bench compare x.npy'; do
    # shellcheck disable=SC2086
    "$SUMMAND" $command x.npy > out 2> err && fail "$command: numbers pass as JSON"
    grep -q 'x.npy: this is no JSON (line 1: .*writes such a file' err || fail "$command: $(cat err)"
done

# No result is left out without a word.
set --
while [ $# -lt 65 ]; do set -- "$@" 1.json; done
"$SUMMAND" spread "$@" > out 2> err && fail '65 results of one file pass'
grep -q 'more than 64 results of one method for one file' err || fail "65 results: $(cat err)"

"$SUMMAND" generate psllh -n 100 -o y.psllh
if DEMO_DIR=$work/demo DEMO_BUDGET=0.1 sh "$demo" "$work/x.npy" "$work/y.psllh" > out 2> err; then
    same 'files in the demo' "$(grep -c '^[xy]\.' out)" 2
    grep -q '^y.psllh *100 .*0\.0 *0\.0 ' out || fail "the demo's table: $(cat out)"
    [ -s demo/spread.svg ] || fail 'no picture'
    # Of both files a time of the loop of -ffast-math, which the picture of times shows, too.
    same 'times' "$(awk '/^[xy]\./ { print NF }' out | sort -u)" 9
    grep -q '>fast (call)</text>' demo/times.svg || fail 'no fast loop in the picture of times'
    # The columns of a matrix: told as counted here.
    moved=$(awk '$2 == "naive" { if (($5 in bits) && bits[$5] != $7) moved[$5] = 1; bits[$5] = $7 }
        END { for (c in moved) n++; print n + 0 }' demo/columns.txt)
    [ "$moved" -gt 0 ] && grep -q "^MPI_Reduce .* other bits in $moved of 8 columns" out || fail "naive columns: $(cat out)"
    grep -q '^exact .*: the same bits in all columns' out || fail "exact columns: $(cat out)"
    same 'exact columns' "$(awk '$2 == "exact" { print $5, $7 }' demo/columns.txt | sort -u | wc -l)" 8
else
    fail "demo: $(cat out err)"
fi
finish
