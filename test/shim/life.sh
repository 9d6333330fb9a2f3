#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The life of a program with the shim, against that without it.
. "$(dirname "$0")/common.sh"

# alike MODE P NAME: the same output with the shim
alike() {
    plain "$2" "$PROGRAMS/life" "$3"
    with "$1" "$2" "$PROGRAMS/life" "$3"
    as_plain "$3, $1"
}

# Pitfalls 7 and 8: callbacks in MPI_Finalize still communicate, and the report is not too late.
alike canonical 3 callback
alike canonical 3 first
watched canonical 3 "$PROGRAMS/life" callback
same 'callback: served' "$(grep -c 'allreduce blocking served$' lines.0)" 5

# Messages move on while a rank waits in a served call.
alike fast 2 progress
# Handles are used again.
alike fast 3 handles
# Pitfall 17: communicators end while state is cached, and programs start others.
alike canonical 3 comms
[ "$BRAND" = mpich ] || { # Debian's MPICH cannot spawn
    alike fast 2 spawn
    timeout $LIMIT "$SUMMAND" run --mode canonical --strict -- "$MPIEXEC" -n 2 "$PROGRAMS/life" spawn > out 2> err &&
        fail 'a sum with another program: --strict goes on'
    grep -q 'ranks of another program' err || fail "a sum with another program: $(cat err)"
}
# Pitfall 18: fork and exec.
alike canonical 2 children

# Pitfall 5: parallel I/O inside of the MPI is not seen; in ROMIO, where there is one, it calls MPI_ functions.
romio=$(ompi_info --parsable 2> /dev/null | sed -n 's/^mca:io:\(romio[0-9]*\):.*/\1/p' | head -n 1)
[ "$BRAND" != openmpi ] || [ -z "$romio" ] || export OMPI_MCA_io="$romio"
watched canonical 3 "$PROGRAMS/life" files
same 'files: calls' "$(grep -vc '^end' lines.0)" 5
unset OMPI_MCA_io

# Pitfall 15: sessions without MPI_Init, and a second one.
[ -z "$SESSIONS" ] || alike fast 2 sessions
[ -z "$SESSIONS" ] || same 'sessions' "$(grep -c session out)" 1
# What is asked for and does not hold there is said once, or ends the program.
if [ -n "$SESSIONS" ]; then
    with canonical 2 "$PROGRAMS/life" sessions
    same 'sessions: said' "$(grep -c '^summand: MPI_Allreduce at .* in a session .* is not as the mode promises' err)" 1
    ! timeout $LIMIT "$SUMMAND" run --mode exact --strict -- "$MPIEXEC" -n 2 "$PROGRAMS/life" sessions > out 2> err ||
        fail 'sessions, --strict: status 0'
    grep -q 'MPI_Allreduce at .* is not as mode exact promises (in a session, outside of MPI_Init)' err ||
        fail "sessions, --strict: $(head -n 5 err)"
    timeout $LIMIT "$MPIEXEC" -n 2 env LD_PRELOAD="$SHIM" SUMMAND_MODE=fastt "$PROGRAMS/life" sessions > out 2> err &&
        fail 'sessions, a wrong mode: status 0'
    grep -q "is no mode" err || fail "sessions, a wrong mode: $(head -n 5 err)"
fi
# More communicators than MPICH has: Summand gets none of its own.
[ "$BRAND" = openmpi ] || alike fast 2 limit

# Pitfalls 11 and 16: programs without MPI, and those that do not start it.
for program in without 'life uninitialized'; do
    # shellcheck disable=SC2086
    $PROGRAMS/$program > plain 2> plain.err
    status=$?
    # shellcheck disable=SC2086
    LD_PRELOAD=$SHIM SUMMAND_MODE=fast $PROGRAMS/$program > out 2> err
    same "$program: status" $? $status
    as_plain "$program"
done
plain 2 "$PROGRAMS/life" sums
with fast 2 "$PROGRAMS/life" sums
as_plain 'not a word of the shim'
same 'sums' "$(cat out)" 'end of sums'

# Pitfall 10: the preloaded part needs no MPI, and the other one names none.
for file in "$SHIM" "${SHIM%.so}-core.so"; do
    objdump -p "$file" | grep -E 'NEEDED +libmpi|RPATH|RUNPATH' && fail "$file names an MPI"
done
LD_PRELOAD=$SHIM ldd "$PROGRAMS/without" | grep libmpi && fail 'the shim brings an MPI along'
finish
