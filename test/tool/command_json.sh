#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# JSON of every command that writes some: parses, and says what the table says.
. "$(dirname "$0")/common.sh"
. "$(dirname "$0")/arguments.sh"

at() { # at FILE PATH...
    "$CHECK_JSON" "$@" || fail "$*"
}

{ echo 3; echo 1; echo 2; echo 4; } > x.psllh
{ echo 1; echo inf; } > inf.psllh
run 2 sum --method all --json x.psllh inf.psllh || fail "sum --json: $(cat err)"
mv out sum.json
same results "$(at sum.json results.#)" 6
same ranks "$(at sum.json ranks)" 2
for i in 0 1 2; do
    same value "$(at sum.json results.$i.value)" 7.0
    same bits "$(at sum.json results.$i.bits)" 0x401c000000000000
    same n "$(at sum.json results.$i.n)" 3
done
same infinity "$(at sum.json results.3.value)" null
same 'bits of infinity' "$(at sum.json results.3.bits)" 0x7ff0000000000000
for key in summand mpi arch machine processors host system compiler date; do
    [ -n "$(at sum.json setting.$key)" ] || fail "setting.$key is empty"
done

SUMMAND_ARCH=generic
export SUMMAND_ARCH
"$SUMMAND" info --json > info.json || fail 'info --json'
same arch "$(at info.json arch)" generic
same environment "$(at info.json environment.SUMMAND_ARCH)" generic
same variable "$(at info.json variables.0.value)" generic
same supported "$(at info.json supported.0)" generic
unset SUMMAND_ARCH

run 2 bench sum --n 100 --budget 0.1 --json bench.json || fail "bench --json: $(cat err)"
same methods "$(at bench.json results.#)" 6
same 'naive against itself' "$(at bench.json results.4.vs_naive)" 1.0
same 'bits of plan and call' "$(at bench.json results.0.bits)" "$(at bench.json results.1.bits)"
[ "$(at bench.json results.0.rounds)" -ge 1 ] || fail 'no rounds'
[ "$(at bench.json setting.arch)" != '' ] || fail 'no setting'
run 2 bench sum --n 100 --budget 0.1 --methods exact,naive --json - || fail 'bench --json -'
same 'chosen methods' "$(at out results.#)" 2

# Every command of the table has --json, which gives one object that names the command.
make_operands

check_command() { # check_command NAME INDEX: of the table
    name=$1
    value=absent
    options=$(at table.json commands.$2.options.#)
    # shellcheck disable=SC2046
    option=$(at table.json $(seq -f "commands.$2.options.%g.name" 0 $((options - 1))) | grep -nx json | cut -d: -f1)
    [ -z "$option" ] || value=$("$CHECK_JSON" table.json commands.$2.options.$((option - 1)).value)
    [ "$value" != absent ] || { fail "$name has no --json"; return; }
    words=$(arguments "$name")
    [ "$words" != UNKNOWN ] || { fail "$name: how is it tried?"; return; }
    json=--json
    [ "$value" = null ] || json='--json -'
    # shellcheck disable=SC2086
    if [ "$(at table.json commands.$2.parallel)" = true ]; then
        run 2 $name $json $words
    else
        "$SUMMAND" $name $json $words > out 2> err
    fi || fail "$name $json $words: status $?: $(cat err)"
    same "$name: whose JSON" "$("$CHECK_JSON" out command)" "$name"
    same "$name: numbers as strings" "$("$CHECK_JSON" out '?')" ''
}
each_command 25 check_command
study each_command 9 check_command
"$SUMMAND" predict -p 8 --json --print-model > out && at out model.eager > /dev/null || fail 'predict --print-model --json'
"$SUMMAND" draw binomial -p 4 --json > out
same 'messages of a tree of 4' "$(at out messages.#)" 3
same 'their sizes' "$(at out messages.0.elements)" "$(at out count)"
"$SUMMAND" draw outer-gather -p 2 --json > out
[ "$(at out messages.0.bytes)" -gt 0 ] || fail 'messages of products have no sizes in bytes'
"$SUMMAND" draw binomial -p 4 --timeline --json > out
[ "$(at out spans.#)" -ge 6 ] || fail 'no spans'
run 2 tune --budget 0.3 --collectives bcast --most 64 --json
same 'rules of tune' "$(at out rules.0.collective)" bcast
run 2 tune --measure --json
grep -q '"node.latency": [0-9]' out || fail 'tune --measure --json: no model'
finish
