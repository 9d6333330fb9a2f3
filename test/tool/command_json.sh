#!/bin/sh
# JSON of every command that writes some: parses, and says what the table says.
. "$(dirname "$0")/common.sh"

at() { # at FILE PATH
    "$CHECK_JSON" "$1" "$2" || fail "$1: $2"
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
same 'ratio of naive to itself' "$(at bench.json results.4.ratio_naive)" 1.0
same 'bits of plan and call' "$(at bench.json results.0.bits)" "$(at bench.json results.1.bits)"
[ "$(at bench.json results.0.rounds)" -ge 1 ] || fail 'no rounds'
[ "$(at bench.json setting.arch)" != '' ] || fail 'no setting'
run 2 bench sum --n 100 --budget 0.1 --methods exact,naive --json - || fail 'bench --json -'
same 'chosen methods' "$(at out results.#)" 2
finish
