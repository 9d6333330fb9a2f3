# SPDX-License-Identifier: BSD-3-Clause
# summand inject: with seals no damage of a message stays unseen, by any algorithm; without them it does, so this test
# can fail. With the word `others` on the other numbers of ranks.
others=${1:-}
. "$(dirname "$0")/common.sh"

# total HEAD: a number of the last row of the table, by its column's head.
total()
{
    awk -v field="$1" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == field) at = i - 2 } $1 == "all" { print $(at + 1) }' out
}

detected=3 repaired='2 5'
[ -z "$others" ] || { detected='2 5' repaired=3; }
for ranks in $detected; do
    run "$ranks" inject --trials 1
    same "status on $ranks ranks" $? 0
    same "damage unseen on $ranks ranks" "$(total silent)" 0
    same "hangs on $ranks ranks" "$(total hangs)" 0
    same "false alarms on $ranks ranks" "$(awk '$1 == "all" { print $NF }' out)" 0
    [ "$(total damaged)" -gt 1000 ] || fail "$ranks ranks: only $(total damaged) calls with damage: $(cat out)"
    [ "$(total found)" -gt 1000 ] || fail "$ranks ranks: only $(total found) found"
    grep -q '^summand: rank [0-9] of [0-9] on .*: message [0-9]* from rank [0-9] .* is damaged: chunk ' err ||
        fail "no line says which chunk: $(head -n 3 err)"
done
# Every fault is repaired: the right bits on all ranks.
for ranks in $repaired; do
    run "$ranks" inject --checked correct --trials 1
    same "status on $ranks ranks, correct" $? 0
    same "right on $ranks ranks" "$(total right)" "$(total calls)"
    [ "$(total damaged)" -gt 1000 ] || fail "$ranks ranks: only $(total damaged) calls with damage: $(cat out)"
    grep -q 'was damaged, and is repaired: chunk [0-9]* of [0-9]*, [0-9]* bytes from [0-9]* on, mask 0x' err ||
        fail "no line says what was repaired: $(head -n 3 err)"
done
[ -z "$others" ] || finish
SUMMAND_TRANSPORT=p2p run 3 inject --checked correct --trials 1
same "status over messages, correct" $? 0
same "right over messages" "$(total right)" "$(total calls)"
"$SUMMAND" list | awk 'NR > 1 && /^[a-z]/ { print $1 }' | grep -v -e ^outer- -e ^gemm- | sort -u > listed
awk 'NR > 1 && $1 != "all" && $1 != "exact" { print $1 }' out | sort -u > struck
same "algorithms that were struck" "$(cat struck)" "$(cat listed)"

run 3 inject --checked off -a ring --trials 1
same "status without seals" $? 1
[ "$(total silent)" -gt 10 ] || fail "without seals damage is seen: $(cat out)"
grep -q 'silent: allreduce of 3 elements by ring, [a-z]*@[0-2]:' err || fail "no fault is named: $(cat err)"

run 2 inject -a pat --trials 1 --all --json
same "status of JSON" $? 0
same "last row" "$("$CHECK_JSON" out rows.0.algorithm)" pat

# A command goes on in step if one rank fails alone.
"$SUMMAND" generate psllh -n 1000 -o x.f64 > out
SUMMAND_INJECT=flip@1:0 SUMMAND_CHECKED=detect run 2 sum x.f64
same "status of a sum with damage" $? 1

run 2 inject -a star
same "status of no algorithm" $? 2
case $(cat err) in *"'star'"*"summand list"*) ;; *) fail "no algorithm: $(cat err)" ;; esac

for wrong in flip flip@ flip@1 flip@1:x flip@-1:2 rot@1:2 flip@1:2:3:4 'flip@1:2 ' flip@1:99999999999999999999; do
    SUMMAND_INJECT=$wrong run 2 gossip allreduce
    case $(cat err) in *"SUMMAND_INJECT: '$wrong'"*"flip, burst, stale, zero, swap, torn"*) ;; *) fail "'$wrong': $(cat err)" ;; esac
done
SUMMAND_CHECKED=yes run 2 gossip allreduce
case $(cat err) in *"SUMMAND_CHECKED: 'yes' is none of off|detect"*) ;; *) fail "SUMMAND_CHECKED=yes: $(cat err)" ;; esac
finish
