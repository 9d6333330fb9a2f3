#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# summand record: schedules run and recorded over every window, as table, picture and JSON. No time is
# asserted, but that parts are no more than the whole.
. "$(dirname "$0")/common.sh"

at() { # at FILE PATH
    "$CHECK_JSON" "$1" "$2" || fail "$1: $2"
}

for window in shm rma p2p; do
    run 3 record gather-product --window $window --rows 20 --columns 30 --tile 16 --starts 3 -o $window.svg ||
        fail "$window: $(cat err)"
    same "ranks over $window" "$(grep -c '^ *[0-2]  ' out)" 3
    grep -q "window $window" out || fail "$window is not said"
    grep -q 'Overlap efficiency' out || fail "no overlap over $window"
    grep -q 'from b = [0-9]' out || fail "no threshold over $window"
    same "transfers over $window" "$(grep -c '<line\|<path\|<polyline' $window.svg | awk '{ print ($1 > 24) }')" 1
    grep -qi 'nan\|inf' $window.svg && fail "a point at infinity over $window"
    grep -q 'rank 2<' $window.svg || fail "rank 2 is not drawn"
done

# Four pieces from each rank to each other one, of two factors: of 8 pairs.
run 3 record gather-product --rows 20 --columns 30 --slots 4 --json || fail "json: $(cat err)"
mv out r.json
same 'transfers' "$(at r.json transfers.#)" 24
same 'bytes of one' "$(at r.json transfers.0.bytes)" $((2 * 50 * 8))
same 'ranks' "$(at r.json per_rank.#)" 3
awk -v t="$(at r.json time_s)" -v c="$(at r.json per_rank.1.computing_s)" -v w="$(at r.json per_rank.1.waiting_s)" \
    -v f="$(at r.json per_rank.1.in_flight_s)" -v h="$(at r.json per_rank.1.hidden_s)" \
    'BEGIN { exit !(t > 0 && c > 0 && c + w <= t * 1.001 && f > 0 && h <= f * 1.001) }' || fail 'parts of the time'
run 2 record redistribution --json || fail "redistribution: $(cat err)"
mv out m.json
same 'no window' "$(at m.json window)" none
run 2 record slot-ring --blocks 9 || fail "slot-ring: $(cat err)"
# Two ranks: each computes half of C, the owner of B for the other one, whose half comes back.
run 2 record gemm --rows 40 --columns 64 --inner 30 --panel 10 --tile 7 --any-order -o gemm.svg --json ||
    fail "gemm: $(cat err)"
mv out g.json
# Operations by the numbers that came, and what is needed for hiding, of the whole record.
awk -v done="$(at g.json operations_done)" -v need="$(at g.json operations_needed)" -v b="$(at g.json hidden_from)" \
    -v bytes="$(at g.json transfers | tr ',' '\n' | sed -n 's/.*"bytes": *\([0-9]*\).*/\1/p' | awk '{ s += $1 } END { print s }')" \
    'BEGIN { d = 2 * 40 * 64 * 30 / (bytes / 8) - done; whole = int(b) + (b > int(b)); n = need - 2 * whole + 1
             exit !(bytes > 0 && d < 1e-6 * done && d > -1e-6 * done && n < 1e-6 * b && n > -1e-6 * b) }' ||
    fail 'operations and numbers'
same 'ranks of a product' "$(at g.json per_rank.#)" 2
[ "$(at g.json transfers.#)" -ge 2 ] || fail 'transfers of a product'
grep -q 'gemm, recorded on 2 ranks' gemm.svg || fail 'picture of a product'
run 2 record transpose --rows 100 --columns 37 --tile 8 --blocks 5 --slots 7 || fail "transpose: $(cat err)"

wrong() { # wrong SENTENCE ARGUMENTS...
    sentence=$1
    shift
    run 2 record "$@" && fail "record $*: exit status 0"
    grep -q -e "$sentence" err || fail "record $*: $(cat err)"
}
wrong 'no such schedule' binomial-tree
wrong 'which schedule' --starts 2
wrong '--starts: 0 is not' --starts 0 slot-ring
wrong 'gemm: no such\|--window: a product' --window rma gemm
wrong 'of gemm alone' --panel 3 slot-ring
wrong '--panel: -1 is not' --panel -1 gemm
wrong '--rows: -1 is not' --rows -1 slot-ring
run 1 record slot-ring && fail 'one rank'
grep -q 'at least two ranks' err || fail "one rank: $(cat err)"
finish
