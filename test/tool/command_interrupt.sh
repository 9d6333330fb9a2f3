#!/bin/sh
# Ctrl-C on long commands on ranks: they end soon, say that they were interrupted, and answer with what there
# is.
. "$(dirname "$0")/common.sh"

# The signal comes from the launcher, which may lose what ranks say while it ends: so they write to a file.
# There are more sizes than a quiet machine is through with by then.
run_interrupted() { # run_interrupted ARGUMENT...
    rm -f said
    "$MPIEXEC" -n 2 sh -c 'exec "$0" "$@" 2>> said' "$SUMMAND" "$@" > out 2> err &
    process=$!
    sleep 4
    kill -INT $process
    guard $process
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
