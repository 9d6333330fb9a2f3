#!/bin/sh
# Ctrl-C on long commands without MPI: they end soon, say that they were interrupted, and answer with what
# there is.
. "$(dirname "$0")/common.sh"

# interrupt SECONDS ARGUMENT...: after so long
interrupt() {
    seconds=$1
    shift
    "$SUMMAND" "$@" > out 2> err &
    process=$!
    # A shell's background process ignores the signal until it listens.
    until grep -q '^SigCgt:.*[2367abef]$' "/proc/$process/status" || ! kill -0 $process; do
        sleep 0.1
    done 2> /dev/null
    sleep "$seconds"
    kill -INT $process || fail "'$*' ended by itself"
    guard $process
    wait $process
    same "'$*': status" $? 130
    kill "$guard" 2> /dev/null
    same "'$*': words" "$(grep -c 'interrupted: this is what there is so far' err)" 1
}

# Two seconds are enough for a first result at a load of 10 on two cores; a machine that is busier has more.
interrupt 2 predict -p 20000 -n 1,2,4,8,16,1000000
for wait in 2 4 8 16; do
    interrupt $wait predict -p 1000 -n 1,2,3,4,5,1m --json
    [ ! -s out ] || break
done
"$CHECK_JSON" out predictions.# > /dev/null || fail 'predict --json: no JSON after Ctrl-C'
interrupt 1 predict -p 2000 -n 1m --json # before its first result
same 'predict --json: without a result' "$("$CHECK_JSON" out predictions.#)" 0
grep -q 'could be predicted' err && fail 'predict: interrupted, and says that nothing can be predicted'
interrupt 2 list --choose allreduce -p 4096 -k 16 --bytes 4..4m --check
head -n 1 out | grep -q 'play/us' || fail "list --check: no table: $(cat out)"
for wait in 2 4 8 16; do
    interrupt $wait verify -p 60
    [ ! -s out ] || break
done
[ "$(grep -c 'proofs.*faults' out)" -ge 1 ] || fail "verify: no row: $(cat out)"
interrupt 2 verify -p 200 --json -a circulant
same 'verify is not complete' "$("$CHECK_JSON" out complete)" false

finish
