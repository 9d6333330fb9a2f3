#!/bin/sh
# Ctrl-C on long commands on ranks: they end soon, say that they were interrupted, and answer with what there
# is.
. "$(dirname "$0")/common.sh"

# The signal comes from the launcher, which may lose what ranks say while it ends: so they write to a file.
# There are more sizes than a quiet machine completes by then.
run_interrupted() { # run_interrupted SECONDS ARGUMENT...
    rm -f said
    seconds=$1
    shift
    # How long Open MPI's launcher lets ranks live after the signal.
    export OMPI_MCA_odls_base_sigkill_timeout=$((seconds + 1))
    "$MPIEXEC" -n 2 sh -c 'exec "$0" "$@" 2>> said' "$SUMMAND" "$@" > out 2> err &
    process=$!
    sleep "$seconds"
    kill -INT $process
    guard $process
    wait $process
    kill "$guard" 2> /dev/null
}
has_said() {
    grep -q 'interrupted: these are the results so far' said
}

# Four seconds are enough at a load of 10 on two cores, before the signal and after it. A machine that is busier
# has more.
for wait in 4 8 16; do
    run_interrupted $wait bench sum -n "$(seq -s , 100 100 6000)" --budget 20
    ! has_said || ! grep -q '^generated' out || break
done
has_said || fail "bench: said: $(cat said err)"
grep -q '^generated' out || fail "bench: no row: $(cat out)"
for wait in 4 8 16; do
    run_interrupted $wait tune --budget 100 -o t.txt
    ! has_said || [ ! -s t.txt ] || break
done
has_said || fail "tune: said: $(cat said err)"
[ -s t.txt ] || fail 'tune: nothing on its file'
finish
