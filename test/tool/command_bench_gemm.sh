#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The benchmark of matrix products: all ways and the BLAS alone, for each size and block. No time is
# asserted.
. "$(dirname "$0")/common.sh"

run 3 bench gemm --sizes 20,100 --blocks 0,7 --budget 0.05 --json g.json --csv g.csv --plot g.svg ||
    fail "$(cat err)"
[ -s err ] && fail "progress without a terminal: $(cat err)"
for subject in ordered 'ordered, call' any pairs 'ordered in place' 'any in place' peak; do
    same "rows of $subject" "$(grep -c ",\"*$subject\"*,[0-9]" g.csv)" 4
done
for label in 'ordered (plan)' 'ordered (call)' 'any (plan)' 'pairs (plan)' 'ordered in place (plan)' 'any in place (plan)' \
    'peak (call)'; do
    grep -q ">$label</text>" g.svg || fail "$label is not in the picture"
done
head -n 1 g.csv | tr , '\n' | grep -qx vs_peak || fail 'no column vs_peak'
grep -q '^# of the peak: ratios' out || fail 'nothing says what the peak is'
run 2 bench gemm --sizes 8 --inner 64 --budget 0.05 --json i.json --csv i.csv || fail "--inner: $(cat err)"
same 'options.inner' "$("$CHECK_JSON" i.json options.inner)" 64
for subject in panels boxes; do
    same "--inner: rows of $subject" "$(grep -c ",8,64,0,$subject,[0-9]" i.csv)" 1
done
run 1 bench gemm --sizes 10 --budget 0.05 || fail "one rank: $(cat err)"
SUMMAND_BLAS=off run 2 bench gemm --sizes 10 --budget 0.05 || fail "without a BLAS: $(cat err)"
tr -s '\n# ' ' ' < out | grep -q 'by the ordered kernel' || fail "without a BLAS: $(cat out)"
run 2 bench gemm --sizes 0 && fail 'a size below 1'
run 2 bench gemm --blocks x && fail 'a block that is no number'
run 2 bench gemm x && fail 'an operand'
finish
