#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# summand-study distribution: the table, JSON, the data and the picture over N, and what it refuses.
. "$(dirname "$0")/common.sh"

at() { # at FILE PATH
    "$CHECK_JSON" "$1" "$2" || fail "$1: $2"
}

# Stelz (2022), tables 3.1 and 3.2.
"$SUMMAND-study" distribution --ranks 256 --n 504850 > table || fail 'distribution'
row() {
    awk -v name="$1" '$1 == name && NF == 6 { print $4, $6 }' table
}
same 'even-lower' "$(row even-lower)" '1640 469.0'
same 'even-upper' "$(row even-upper)" '1401 401.9'
same 'power2' "$(row power2)" '256 1083.4'
same 'Table 3.3' "$(row balanced)" '621 184.5'

"$SUMMAND-study" distribution --ranks 2 --n 6 --json > two.json || fail 'distribution --json'
same 'distributions' "$(at two.json distributions.#)" 5
same 'messages' "$(at two.json distributions.0.messages)" 2
same 'buffered' "$(at two.json distributions.0.buffered)" 1
same 'lower bound' "$(at two.json lower_bound)" 1

# Without a buffer each value is a message; a larger buffer, and flushing later, send no more of them.
buffered() { "$SUMMAND-study" distribution --ranks "${of:-256}" --n 504850 "$@" | awk '$1 == "even-lower" && NF == 6 { print $5 }'; }
same 'the buffer of the thesis' "$(buffered)" "$(buffered --buffer 4 --flush 64)"
same 'no buffer' "$(buffered --buffer 1 --flush 1m)" 1640
last=1640
for rule in '2 64' '4 64' '4 1k' '16 1k' '64 1m'; do
    now=$(buffered --buffer "${rule% *}" --flush "${rule#* }")
    [ "$now" -le "$last" ] && [ "$now" -ge 255 ] || fail "buffer and flush $rule: $now messages after $last"
    last=$now
done
same "all to one rank in one message" "$(of=2 buffered --buffer 64 --flush 1m)" 1
"$SUMMAND-study" distribution --buffer 16 --json > rule.json || fail '--buffer --json'
same 'buffer in JSON' "$(at rule.json buffer),$(at rule.json flush)" 16,64

# Every N up to 100: the same counts as for one N, and the bound of (2.5) where it is attained.
"$SUMMAND-study" distribution --ranks 8 --max-n 100 --csv all.csv --plot all.svg > out || fail '--csv --plot'
same 'lines of the data' "$(wc -l < all.csv | tr -d ' ')" 101
same 'N = 33, the bound' "$(sed -n '34p' all.csv | cut -d, -f 1,2,7)" '33,21,21.000'
"$SUMMAND-study" distribution --ranks 8 --n 77 --json > one.json || fail '--n 77'
for i in 0 1 2 3 4; do
    same "N = 77, distribution $i" "$(sed -n '78p' all.csv | cut -d, -f $((i + 2)))" \
        "$(at one.json distributions.$i.messages)"
done
same 'end of the picture' "$(tail -n 1 all.svg)" '</svg>'
same 'lines in the picture' "$(grep -c '<polyline' all.svg)" 9

# Sampled, the data rises to the last N and keeps the peaks.
"$SUMMAND-study" distribution --ranks 8 --max-n 1m --samples 1000 --csv some.csv > out || fail '--samples'
awk -F, 'NR > 2 && $1 <= last { bad = 1 } { last = $1 } END { exit bad || NR < 900 || NR > 1001 }' \
    some.csv || fail 'sampled data'
grep -q '^524289,' some.csv || fail 'the peak at 2^16 * 8 + 1 is missing'

# The shares of 77 elements on 8 ranks: the titles of the violins name all distributions.
"$SUMMAND-study" distribution --ranks 8 --n 77 --shares shares.svg >out || fail '--shares'
for name in even-lower even-upper power2 optimized balanced; do
    grep -q "<title>$name</title>" shares.svg || fail "no violin of $name"
done

for wrong in '--ranks 0' '--n -1' '--alpha -1' '--alpha nan' '--max-n 0' '--samples 0' 'operand' \
    '--t-send inf' '--buffer 0' '--buffer 65' '--flush -1'; do
    # shellcheck disable=SC2086
    "$SUMMAND-study" distribution $wrong > out 2> err && fail "$wrong is accepted"
    same "lines of complaint about $wrong" "$(wc -l < err | tr -d ' ')" 1
done
"$SUMMAND-study" distribution --plot /nowhere/x.svg > out 2> err && fail 'an unwritable file is accepted'
grep -q '/nowhere/x.svg' err || fail 'the complaint does not name the file'
# scaling: on one rank N additions; on two nodes of one rank a message of one node or more.
"$SUMMAND-study" scaling --ranks 1,2 -k 1 --n 1000 --t-add 10 --plot two.svg >out || fail 'scaling'
same 'one rank' "$(awk '$1 == 1 { print $2, $5, $6 }' out)" '10 10 1.0'
awk '$1 == 2 { exit !($2 > 5 && $2 < 10 && $5 > 5 && $4 > $5) }' out || fail "two ranks: $(cat out)"
awk '$1 == 1 { one = $2 } $1 == 2 { off = $6 - one / $2; exit !(off < 0.06 && off > -0.06) }' out || fail "speed-up: $(cat out)"
grep -m 1 '<polyline' two.svg | sed 's/.*points="//; s/[",]/ /g' | awk '{ exit !($4 < $2) }' || fail 'the drawn speed-up falls'
"$SUMMAND-study" scaling --ranks 7 -k 1 --n 1000 --buffer 1 >one && "$SUMMAND-study" scaling --ranks 7 -k 1 --n 1000 >four
awk 'NR == FNR { one = $2; next } { four = $2 } END { exit !(four > 0 && four < one) }' one four || fail "buffers: $(cat one four)"
"$SUMMAND-study" scaling --ranks 7 -k 1 --n 1000 --flushes 1,64 --plot rules.svg >rules || fail 'scaling --flushes'
same 'a rule of the table' "$(awk '$1 == 64 { print $2, $4 }' rules)" "$(awk '$1 == 7 { print $2 }' one four | paste -sd ' ')"
same 'lines of the rules' "$(grep -c '<polyline' rules.svg)" 5
"$SUMMAND-study" scaling --ranks 1,7 --n 1000 --plot ranks.svg >out || fail 'scaling --plot'
same 'lines over ranks, twice' "$(grep -c '<polyline' ranks.svg)" 8
"$SUMMAND-study" scaling --ranks 1,7 --flushes 64 >out 2>err
same 'rules on several numbers of ranks: status' $? 2
"$SUMMAND-study" scaling --ranks 7 --flushes 64 --buffer 4 >out 2>err
same 'rules and a rule: status' $? 2
"$SUMMAND-study" scaling --ranks 0 >out 2>err
same 'no ranks: status' $? 2
"$SUMMAND-study" scaling --ranks 1 --json >out.json || fail 'scaling --json'
same 'N' "$(at out.json n)" 21410970

finish
