#!/bin/sh
# Ctrl-C on long commands without MPI: they end soon, say that they were interrupted, and answer with what
# there is.
. "$(dirname "$0")/common.sh"

# interrupt ARGUMENT...: after two seconds
interrupt() {
    "$SUMMAND" "$@" > out 2> err &
    process=$!
    sleep 2
    kill -INT $process || fail "'$*' ended by itself"
    guard $process
    wait $process
    same "'$*': status" $? 130
    kill $guard 2> /dev/null
    same "'$*': words" "$(grep -c 'interrupted: this is what there is so far' err)" 1
}

interrupt predict -p 20000 -n 1,2,4,8,16,1000000
interrupt predict -p 1000 -n 1,2,3,4,5,1m --json
"$CHECK_JSON" out predictions.# > /dev/null || fail 'predict --json: no JSON after Ctrl-C'
interrupt list --choose allreduce -p 4096 -k 16 --bytes 4..4m --check
head -n 1 out | grep -q 'best play' || fail "list --check: no table: $(cat out)"
interrupt verify -p 60
[ "$(grep -c 'proofs.*faults' out)" -ge 1 ] || fail "verify: no row: $(cat out)"
interrupt verify -p 200 --json -a circulant
same 'verify is not complete' "$("$CHECK_JSON" out complete)" false

finish
