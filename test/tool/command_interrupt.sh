#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Ctrl-C on long commands on ranks: they end soon, report that they were interrupted, and print the results so far.
. "$(dirname "$0")/common.sh"

# start ARGUMENT...: on two ranks, in a separate process group, until rank 0 has used $second processor seconds: a
# busy machine needs more time for the same progress. The ranks' stderr goes to a file, because a launcher may lose it
# while it ends.
start() {
    rm -f said out err rank.*
    # shellcheck disable=SC2016
    setsid "$MPIEXEC" -n 2 sh -c \
        'echo $$ > rank.${OMPI_COMM_WORLD_RANK:-${PMI_RANK:?}}; exec "$0" "$@" 2>> said' "$SUMMAND" "$@" \
        > out 2> err &
    process=$!
    until [ "$(awk '{ print $14 + $15 }' "/proc/$(cat rank.0)/stat")" -ge $((100 * second)) ] ||
        ! kill -0 $process; do
        sleep 0.1
    done 2> /dev/null
}
has_said() {
    grep -q 'interrupted: these are the results so far' said
}
end() {
    guard $process
    wait $process
    kill "$guard" 2> /dev/null
}

# A launcher may kill its ranks at once, as that of Open MPI 6.0.0rc2 does; then they can say nothing.
export OMPI_MCA_odls_base_sigkill_timeout=9 PRTE_MCA_odls_base_sigkill_timeout=9
rm -f ready heard
# shellcheck disable=SC2016
setsid "$MPIEXEC" -n 1 sh -c 'trap ": > heard; exit" INT TERM; : > ready; while sleep 0.1; do :; done' > /dev/null 2>&1 &
process=$!
until [ -e ready ] || ! kill -0 $process; do sleep 0.1; done 2> /dev/null
kill -INT $process
end
[ -e heard ] || { echo 'the launcher kills its ranks before they hear of Ctrl-C'; exit 77; }

# The ranks agree. SECONDS is how long Open MPI's launcher lets them live after the signal: more on a busy machine.
agree() { # agree SECONDS ARGUMENT...
    export OMPI_MCA_odls_base_sigkill_timeout="$1" PRTE_MCA_odls_base_sigkill_timeout="$1"
    shift
    start "$@"
    kill -INT $process
    end
}
second=1
for grace in 5 9 17; do
    agree $grace bench sum -n "$(seq -s , 100 100 6000)" --budget 20
    ! has_said || ! grep -q '^generated' out || break
done
has_said || fail "bench: said: $(cat said err)"
grep -q '^generated' out || fail "bench: no row: $(cat out)"
second=2
for grace in 5 9 17; do
    agree $grace tune --budget 100 -o t.txt
    ! has_said || [ ! -s t.txt ] || break
    second=$((2 * second))
done
has_said || fail "tune: said: $(cat said err)"
[ -s t.txt ] || fail 'tune: nothing on its file'

# One rank does not answer, as on a machine that is too busy: rank 0 answers alone. The signal goes to the launcher's
# process group, as from a terminal. By default, Open MPI's launcher then kills the ranks after a second, and reads
# only a few pages of their output; MPICH's leaves them alone.
has_row() {
    grep -q "$row" out
}
# answers ROW ARGUMENT...: rank 0 prints the results so far, with a line like ROW.
answers() {
    row=$1
    shift
    second=1 # by when there is a row; a slow machine, or one whose processor time is shared, needs more
    for grace in 1 4 16; do # 1 by default; a busy machine has more
        export OMPI_MCA_odls_base_sigkill_timeout=$grace
        start "$@"
        kill -STOP "$(cat rank.1)"
        kill -s INT -- "-$process"
        # Until both are there, or the launcher has ended, or 30 seconds are over.
        tries=0
        until { has_said && has_row; } || ! kill -0 $process || [ $tries = 300 ]; do
            tries=$((tries + 1))
            sleep 0.1
        done 2> /dev/null
        kill -KILL "$(cat rank.0)" "$(cat rank.1)" 2> /dev/null
        end
        ! has_said || ! has_row || return
        second=$((2 * second))
    done
    fail "'$1 $2' with a rank that does not answer: said: $(cat said err); printed: $(head -n 20 out)"
}
# More work than a quiet machine completes by then.
answers '^ *16 .*peak' bench gemm --sizes "$(seq -s , 16 16 960)" --budget 20
answers '^cyclic .*copy' bench matrix --moves cyclic --sizes "$(seq -s , 16 16 960)" --budget 20
"$SUMMAND" generate psllh -n 4m -o x.npy
# shellcheck disable=SC2046
answers '^x.npy .*exact' sum --method all $(yes x.npy | head -n 300)
finish
