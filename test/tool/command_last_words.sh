#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Before a library call ends the program, one line on stderr per rank names the call: before MPI_Init, after
# MPI_Finalize, and with a wrong argument under MPI_ERRORS_ARE_FATAL. Without the MPI, a bad SUMMAND_ARCH is reported
# once.
. "$(dirname "$0")/common.sh"
: "${LAST_WORDS:?}" "${LOCAL_SUM:?}"

# said WORDS LINES WHEN CALL: so many lines of the library's, all with the words; the program fails
said() {
    # A launcher may lose a rank's output right before its end (MPICH 4.0.2: up to one start in ten).
    for try in 1 2 3 4 5 6; do
        timeout $LIMIT "$MPIEXEC" -n 2 "$LAST_WORDS" "$3" "$4" > out 2> err && fail "$3 $4: no error"
        lines=$(cat out err | grep -c "^summand: summand_$4[ :]")
        [ "$lines" -eq 0 ] || break
    done
    [ "$lines" -ge 1 ] && [ "$lines" -le "$2" ] || fail "$3 $4: $lines lines in '$(cat err)'"
    same "$3 $4: lines" "$(cat out err | grep -c '^summand: ')" "$lines"
    cat out err | grep -q "^summand: summand_$4.*$1" || fail "$3 $4: '$(cat err)' lacks '$1'"
}

for call in $("$LAST_WORDS" names); do
    said 'called before MPI_Init' 2 before "$call"
    case $call in
    error_*) ;; # codes that were made are still known
    *) said 'called after MPI_Finalize' 2 after "$call" ;;
    esac
    case $call in
    plan_* | exact_* | error_*) ;;
    *) said ' failed on rank [01] of 2 (MPI_COMM_WORLD): .*[a-z]' 2 fatal "$call" ;;
    esac
done
said 'failed on rank [01] of 2 .*already started' 2 twice plan_start
said 'failed on rank [01] of 2 .*count is -1, not 0 or more (rank [01] of 2)' 2 fatal allreduce

for transport in shm p2p; do
    SUMMAND_TRANSPORT=$transport timeout $LIMIT "$MPIEXEC" -n 2 "$LAST_WORDS" started > out 2> err ||
        fail "a started plan, freed after MPI_Finalize, $transport: '$(cat err)'"
done

"$LOCAL_SUM" > out 2> err
same 'a good SUMMAND_ARCH' "$(wc -l < err)" 0
SUMMAND_ARCH=pdp11 "$LOCAL_SUM" > out 2> err || fail 'a bad SUMMAND_ARCH: exit status'
same 'a bad SUMMAND_ARCH: warnings' "$(grep -c '^summand: SUMMAND_ARCH is none of' err)" 1
same 'a bad SUMMAND_ARCH: sum' "$(cat out)" 499500
SUMMAND_ARCH=pdp11 SUMMAND_WARNINGS=off "$LOCAL_SUM" > out 2> err
same 'silenced' "$(wc -l < err)" 0
finish
