#!/bin/sh
# Ctrl-C on long commands: they end soon, say that they were interrupted, and answer with what there is.
. "$(dirname "$0")/common.sh"

# interrupt ARGUMENT...: after a second or more, once FILE (or out) has something where that is waited for
interrupt() {
    "$SUMMAND" "$@" > out 2> err &
    process=$!
    sleep 2
    kill -INT $process || fail "'$*' ended by itself"
    ( sleep 30 && kill -KILL $process ) 2> /dev/null &
    guard=$!
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

# On ranks the signal comes from the launcher, which may lose what ranks say while it ends: so they write to
# a file. There are more sizes than a quiet machine is through with by then.
run_interrupted() { # run_interrupted ARGUMENT...
    rm -f said
    "$MPIEXEC" -n 2 sh -c 'exec "$0" "$@" 2>> said' "$SUMMAND" "$@" > out 2> err &
    process=$!
    sleep 4
    kill -INT $process
    ( sleep 30 && kill -KILL $process ) 2> /dev/null &
    guard=$!
    wait $process
    kill $guard 2> /dev/null
    grep -q 'interrupted: this is what there is so far' said || fail "'$*': said: $(cat said err)"
}
export OMPI_MCA_odls_base_sigkill_timeout=5
run_interrupted bench sum -n "$(seq -s , 100 100 6000)" --budget 20
grep -q '^generated' out || fail "bench: no row: $(cat out)"
run_interrupted tune --budget 100 -o t.txt
[ -s t.txt ] || fail 'tune: nothing on its file'
finish
