#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The benchmark's CSV, table and picture. No time is asserted.
. "$(dirname "$0")/common.sh"

run 2 bench sum --n 10,2k --terms 1,3 --budget 0.1 --csv b.csv --plot b.svg || fail "$(cat err)"
[ -s err ] && fail "progress without a terminal: $(cat err)"

# Fields, where commas in quotes do not count.
awk '{ gsub(/"[^"]*"/, ""); print gsub(/,/, "") }' b.csv | sort -u > fields
same 'rows of one length' "$(wc -l < fields)" 1
same 'rows' "$(wc -l < b.csv)" 25
for column in summand mpi arch machine date environment ranks data n terms method median_s low_s \
    high_s p1_s p99_s rounds vs_naive vs_fast; do
    head -n 1 b.csv | tr , '\n' | grep -qx $column || fail "no column $column"
done
for method in exact exact-call tree tree-call naive fast; do
    grep -q ",generated,2048,3,$method,[0-9]" b.csv || fail "no row of $method, N = 2048"
done
for label in 'exact (plan)' 'exact (call)' 'tree (plan)' 'tree (call)' 'naive (call)' 'fast (call)'; do
    grep -q ">$label</text>" b.svg || fail "$label is not in the picture"
done
# The head tells what was measured, where and when.
field() { sed 's/"\([^",]*\),\([^"]*\)"/\1;\2/g' b.csv | awk -F, -v name="$1" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) c = i }
    NR == 2 { print $c }'; }
grep -q '>bench sum, 2 ranks, double</text>' b.svg || fail 'the picture has no title'
for fact in mpi machine; do
    grep -qF "$(field $fact)" b.svg || fail "the picture does not name the $fact: $(field $fact)"
done
grep -q ">[^<]*, $(field date | cut -c1-10)</text>" b.svg || fail "no date $(field date)"
same 'lines in the picture, times and times as fast' "$(grep -c '<polyline' b.svg)" 24
same 'start of the picture' "$(head -c 4 b.svg)" '<svg'
same 'end of the picture' "$(tail -n 1 b.svg)" '</svg>'
grep -qi 'nan\|inf' b.svg && fail 'a point at infinity in the picture'

narrow out 'bench sum'
# The columns line up: the word "method" stands above every method.
column=$(awk '/^data/ { print index($0, "method"); exit }' out)
awk -v c="$column" '/^generated/ && substr($0, c, 1) !~ /[a-z]/ { exit 1 }' out || fail 'columns'

"$SUMMAND" generate psllh -n 50 -o x.npy
run 2 bench sum --methods tree,fast --budget 0.1 --csv - x.npy || fail 'CSV on the screen'
same 'rows on the screen' "$(wc -l < out)" 3
grep -q ',x.npy,50,1,tree,' out || fail 'no row of the file'
finish
