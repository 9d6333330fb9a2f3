#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# summand run --checked: check words for programs as they are. Damage ends them with a line, on all ranks, and a report
# counts.
. "$(dirname "$0")/common.sh"

# field NAME: the sum over the ranks of the report.
field() {
    total=0
    for number in $(sed -n "s/.*\"$1\": \([0-9]*\).*/\1/p" report.json); do
        total=$((total + number))
    done
    echo $total
}

# run OPTION... -- LAUNCHER...: by `summand run`, with a report.
run() {
    timeout $LIMIT "$SUMMAND" run --report=report.json "$@" > out 2> err
}

for p in 2 3; do
    plain $p "$PROGRAMS/life" comms
    run --checked detect --mode fast -- "$MPIEXEC" -n $p "$PROGRAMS/life" comms || fail "$p ranks: $? $(cat err)"
    as_plain "checked, $p ranks"
    [ -z "${EXACT:-}" ] || run --checked detect --mode exact -- "$MPIEXEC" -n $p "$PROGRAMS/life" exact ||
        fail "exact, $p ranks: $? $(cat err)"
    [ "$(field checked)" -gt 0 ] || fail "$p ranks: nothing was checked"
    same "$p ranks: damaged" "$(field damaged)" 0
done
"$SUMMAND" report report.json > table || fail "report: $?"
grep -q '^Checked: [0-9]* check words of data, no damage$' table || fail "the report: $(cat table)"

run --mode canonical -- "$MPIEXEC" -n 2 "$PROGRAMS/life" sums || fail "unchecked: $? $(cat err)"
same 'unchecked: checked' "$(field checked)" 0
"$SUMMAND" report report.json | grep -q Checked && fail 'the report of an unchecked run says that it was checked'

# A program that goes on after errors, and one that ends at them. Damaged: the first call, in which the ranks agree on the
# later ones; what compares its ends, which has seals with `correct` alone; the second call.
for damaged in 0:0 1:1 2:0; do
    message=${damaged#*:}
    export SUMMAND_INJECT=flip@1:${damaged%:*}
    run --checked correct --mode canonical -- "$MPIEXEC" -n 2 "$PROGRAMS/life" sums || fail "correct: $? $(cat err)"
    grep -q "message $message from rank 1 .* was damaged, and is repaired" err || fail "correct: $(cat err)"
    same "$damaged, correct: repaired" "$(field damaged) $(field repaired)" '1 1'
    [ $damaged != 1:1 ] || continue
    run --checked detect --mode canonical -- "$MPIEXEC" -n 2 "$PROGRAMS/life" damaged || fail "$damaged: $? $(cat err)"
    grep -q "^summand: rank 0 of 2 on .*: message $message from rank 1 .* is damaged" err || fail "$damaged: $(cat err)"
    grep -q '^rank 0: 1 failed$' out || fail "$damaged: $(cat out)"
    same "$damaged: damaged" "$(field damaged)" 1
    "$SUMMAND" report report.json > table || fail "report: $?"
    grep -q '1 of [0-9]* check words of data showed DAMAGE' table || fail "the report: $(cat table)"
    grep -q '^  1 on rank 0 of the run; the first: rank 0 of 2' table || fail "the report: $(cat table)"
    run --checked detect --mode canonical -- "$MPIEXEC" -n 2 "$PROGRAMS/life" sums &&
        fail "$damaged, and errors are fatal: status 0"
done
unset SUMMAND_INJECT

"$SUMMAND" run --show --checked detect -- "$MPIEXEC" -n 2 "$PROGRAMS/life" > out || fail "--show: $?"
grep -q 'SUMMAND_CHECKED=detect' out || fail "--show: $(cat out)"
finish
