#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# `summand judge` on programs whose faults are known: small shell programs, and our own sums.
. "$(dirname "$0")/common.sh"
mkdir here
export TMPDIR=$PWD/here

cat > plain.sh <<'EOF'
# A sum that depends on the number of ranks: each rank's part is added up by itself.
awk -v ranks="$1" '{ x[NR] = $1 } END {
    for (r = 0; r < ranks; r++) { part = 0
        for (i = r; i < NR; i += ranks) part += x[i + 1]
        sum += part }
    printf "%.17g\n", sum }' "$2"
EOF
cat > columns.sh <<'EOF'
awk -v ranks="$1" '{ s[NR % 3] += $1 } END { if (NR != 3 * ranks) exit 1; printf "%.17g %.17g %.17g\n", s[1], s[2], s[0] }' "$2"
EOF

"$SUMMAND" judge -n 40 --shrinks 24 --plot p.svg -p 1,3 --data uniform,cancel,nan,overflow -- sh plain.sh '{ranks}' '{file}' > out 2> err
same 'status of a plain sum' $? 1
for fault in p o e; do
    grep -q "^$fault: " out || fail "fault $fault of a plain sum: $(cat out err)"
done
same 'picture' "$(tail -n 1 p.svg)" '</svg>'
# The command lines of a witness give its values.
for name in ranks order; do
    grep -A 4 "^$name: " out | sed -n 's/^    # //p' > values
    grep -A 4 "^$name: " out | sed -n 's/^  \(sh .*\)/\1/p' > lines
    sh lines > again
    same "the two values of $name" "$(cat again)" "$(cat values)"
    same "different values of $name" "$(sort -u values | wc -l)" 2
done
[ "$(wc -l < judge-witness/ranks.txt)" -le 40 ] || fail 'the witness is no smaller'

# The exact sum has no fault; the data come as standard input, or in another format.
"$SUMMAND" judge -n 40 -- "$SUMMAND" sum --plain '{file}' > out 2> err || fail "the exact sum: $(cat out err)"
grep -q '^no fault: ' out || fail "no word about no fault: $(cat out)"
same 'a remark on ranks' "$(grep -c 'no word of the program is {ranks}' out)" 1
"$SUMMAND" judge -n 9 --data ties,cancel --format f64 -- "$SUMMAND" sum --plain --format f64 '{file}' > out 2> err || fail "f64: $(cat out err)"
"$SUMMAND" judge -n 9 --data uniform,minus-zero --json -- "$SUMMAND" sum --plain > out 2> err || fail "stdin: $(cat out err)"
same 'JSON' "$("$CHECK_JSON" out data.0.exact > value && "$CHECK_JSON" out data.0.different_results)" 1
"$SUMMAND" judge --json --data cancel -n 12 -- sh plain.sh 2 '{file}' > out 2> err
same 'a witness in JSON' "$("$CHECK_JSON" out witnesses.0.cases.#)" 2

# A row for each rank; a time beside another program.
"$SUMMAND" judge --each-row --data cancel,uniform -p 7 --shrinks 10 -- sh columns.sh '{ranks}' '{file}' > out 2> err
same 'status of columns' $? 1
grep -q '^o: ' out || fail "columns: $(cat out err)"
grep -q 'rows of' out || fail "the witness of columns: $(cat out)"
"$SUMMAND" judge -n 8 --data nan --beside 'sh plain.sh 1 {file}' -- sh plain.sh 1 '{file}' > out 2> err
grep -q '^time: ' out || fail "beside: $(cat out err)"

# A program that fails on some data is judged on the others.
"$SUMMAND" judge -n 9 --data uniform,overflow -- sh -c 'grep -q e+ {file} && exit 4; echo 1' > out 2> err
same 'status of a failing program' $? 1
grep -q '^overflow .* -----f ' out || fail "a failing program: $(cat out err)"
grep -q '^uniform .* ----e- ' out || fail "a failing program, other data: $(cat out err)"

"$SUMMAND" judge --data list > out || fail 'the list of data'
grep -q '^minus-zero  *-0.0 alone' out || fail "the list of data: $(cat out)"

# What cannot be judged: a sentence, status 2, no files, no process that stays.
refused() {
    words=$1
    shift
    "$SUMMAND" judge "$@" > out 2> err
    same "status of $*" $? 2
    grep -q -e "$words" err || fail "$*: $(cat err)"
}
refused 'no program is given' --json
refused 'ended with status 3: it said .no luck.' -- sh -c 'echo no luck >&2; exit 3'
refused 'was ended by signal 9' -- sh -c 'kill -9 $$'
refused 'printed 0 numbers instead of 1' -- sh -c 'echo nothing'
refused 'printed 1 number instead of 3' --each-row -- sh -c 'echo 1'
refused 'takes longer than 0.3 s' --timeout 0.3 -- sh -c 'sleep 100 & wait'
refused 'No such file' -- ./not-here '{file}'
refused 'is a list of at most' -p 0 -- true '{file}'
refused '--ranks is at least 4' --each-row -p 2 -- true '{file}'
refused 'names no data set' --data , -- true '{file}'
refused 'does not keep all doubles' --format f32 -- true '{file}'
refused 'takes longer than 0.3 s' --timeout 0.3 -- sh -c 'exec >&-; sleep 100'
refused 'no data set is called .x.' --data uniform,x -- true '{file}'
refused 'is not written' --format npz -- true '{file}'
same 'folders that stay' "$(ls here | wc -l)" 0
"$SUMMAND" judge -n 8 --data uniform -- sh -c 'awk "{s += \$1} END {printf \"%.6g\", s}" {file}' > out 2> err
grep -q 'prints 6 digits' out || fail "a word about few digits: $(cat out)"
finish
