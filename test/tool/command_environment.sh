#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# `summand info --env` lists every SUMMAND_* variable that the library reads, and no other; one file of the library
# and the command reads the environment. A bad value is one error, an unknown name one warning. Results do
# not depend on SUMMAND_ARCH.
source=$(cd "$(dirname "$0")/../../src" && pwd)
command=$(cd "$(dirname "$0")/../../cli" && pwd)
shim=$(cd "$(dirname "$0")/../../shim/core" && pwd)
. "$(dirname "$0")/common.sh"

same 'calls of getenv' "$(grep -rlE '(^|[^a-z])getenv\(' "$source" "$command" "$shim" | sed 's|.*/src/||' | tr '\n' ' ')" \
    'core/base/environment.c '
grep -rhoE '(environment_read|environment_take|read_seconds|seconds_of|number_of)\("SUMMAND_[A-Z_]+"' "$source" "$shim" | grep -oE 'SUMMAND_[A-Z_]+' | sort -u > used
SUMMAND_NODE_SIZE=4k "$SUMMAND" info --env > env 2> err
awk '/^SUMMAND_/ { print $1 }' env | sort -u > listed
same 'variables' "$(tr '\n' ' ' < used)" "$(tr '\n' ' ' < listed)"
same 'a value' "$(awk '$1 == "SUMMAND_NODE_SIZE" { print $2 }' env)" 4k
same 'no value' "$(awk '$1 == "SUMMAND_WARNINGS" { print $2 }' env)" '(unset)'
grep -A 2 '^SUMMAND_NODE_SIZE ' env | tr '\n' ' ' | grep -q '4k  *number: .*Unset: ' || fail 'no type, meaning, default'
same 'no complaint' "$(wc -c < err)" 0
SUMMAND_NODE_SIZE=4 "$SUMMAND" info --env --json > env.json
"$CHECK_JSON" env.json variables.4.type | grep -qx number || fail 'no type in JSON'
"$CHECK_JSON" env.json variables.4.value | grep -qx 4 || fail 'no value in JSON'
"$CHECK_JSON" env.json variables.4.read | grep -q communicator || fail 'JSON does not say when it is read'

# refused WORDS NAME=VALUE...: `sum` on two ranks says so once and ends with status 2
"$SUMMAND" generate psllh -n 100 -o small.f64
refused() {
    words=$1
    shift
    env "$@" timeout $LIMIT "$MPIEXEC" -n 2 "$SUMMAND" sum small.f64 > out 2> err
    [ $? -eq 2 ] || fail "$*: exit status"
    same "$*: sentences" "$(grep -c '^summand' err)" 1
    grep -qF -e "$words" err || fail "$*: '$(cat err)' lacks '$words'"
}
refused "SUMMAND_NODE_SIZE: 'many' is not an integer from 1" SUMMAND_NODE_SIZE=many
refused "SUMMAND_NODE_SIZE: '0' is not an integer from 1" SUMMAND_NODE_SIZE=0
refused "SUMMAND_NODE_SIZE: '99g' is not an integer from 1" SUMMAND_NODE_SIZE=99g
refused "SUMMAND_DIRECT_READ: '0' is not an integer from 1 to 9223372036854775807 and not 'never'" \
    SUMMAND_DIRECT_READ=0
SUMMAND_DIRECT_READ=never "$SUMMAND" info > out 2> err || fail 'info: exit status'
grep -q "warning:" out && fail "a word that is allowed: $(grep warning: out)"
refused "SUMMAND_ARCH: 'avx' is none of generic|avx2" SUMMAND_ARCH=avx
refused "SUMMAND_WARNINGS: 'no' is none of on|off" SUMMAND_WARNINGS=no
refused "SUMMAND_TIMEOUT: '0,5' is no number of seconds from 0" SUMMAND_TIMEOUT=0,5
refused "SUMMAND_STALL: '-1' is no number of seconds from 0" SUMMAND_STALL=-1
SUMMAND_TIMEOUT=0.5 SUMMAND_STALL=1.25 "$SUMMAND" info > out 2> err || fail 'info: exit status'
grep -q "warning:" out && fail "fractions of a second: $(grep warning: out)"
SUMMAND_NODE_SIZE=x "$SUMMAND" info > out 2> err || fail 'info: exit status'
grep -q "warning: SUMMAND_NODE_SIZE: 'x' is not an integer" out || fail 'info lacks the warning'

unknown() { # unknown LINES NAME=VALUE...: warnings of a run on two ranks, which succeeds
    lines=$1
    shift
    env "$@" timeout $LIMIT "$MPIEXEC" -n 2 "$SUMMAND" sum small.f64 > out 2> err ||
        fail "$*: exit status"
    same "$*: warnings" "$(grep -c '^summand: SUMMAND_.*no such variable' err)" "$lines"
}
unknown 0 SUMMAND=x SUMMANDER=x SUMMAND_ARCH=
unknown 1 SUMMAND_TUNNING=x
grep -qF "SUMMAND_TUNNING (did you mean 'SUMMAND_TUNING'?): no such variable" err ||
    fail "no nearest name: $(cat err)"
unknown 1 SUMMAND_A=x SUMMAND_B= SUMMAND_ARCHES=x
grep -q SUMMAND_A err && grep -q SUMMAND_B err && grep -q SUMMAND_ARCHES err ||
    fail "not all unknown names: $(cat err)"
unknown 0 SUMMAND_A=x SUMMAND_WARNINGS=off
SUMMAND_BLAS=/nonexistent.so "$SUMMAND" list > out 2> err
same 'no BLAS: status' $? 2
grep -q "SUMMAND_BLAS: '/nonexistent.so' is no BLAS: .*No such file" err || fail "no BLAS: $(cat err)"
SUMMAND_BLAS=/nonexistent.so "$SUMMAND" info | grep -q 'SUMMAND_BLAS names cannot be loaded' || fail 'info: no BLAS'
same 'without MPI' "$(SUMMAND_A=x "$SUMMAND" list 2>&1 > out | grep -c '^summand: SUMMAND_A: no such variable')" 1

"$SUMMAND" generate psllh -n 3001 -o x.f64
arches=$("$SUMMAND" info | awk '$1 == "supported" { $1 = ""; print }')
[ -n "$arches" ] || fail 'no instruction set'
for method in exact tree; do
    for op in sum asum nrm2; do
        for arch in $arches; do
            SUMMAND_ARCH=$arch timeout $LIMIT "$MPIEXEC" -n 2 "$SUMMAND" sum --method $method \
                --op $op x.f64 | awk 'END { print $7 }'
        done | sort -u > bits
        same "$method $op: different results" "$(wc -l < bits)" 1
    done
done
finish
