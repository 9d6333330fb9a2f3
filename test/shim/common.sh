# SPDX-License-Identifier: BSD-3-Clause
# Sourced by the tests of the shim, with the functions of the tests of the command. PROGRAMS: the folder of the programs;
# SHIM, WATCHED: the shim, and the one with the watch of the tests; KIND: openmpi, mpich or abi; BRAND: whose MPI runs,
# openmpi or mpich.
. "$(dirname "$0")/../tool/common.sh"
: "${PROGRAMS:?}" "${SHIM:?}" "${WATCHED:?}" "${KIND:?}" "${BRAND:?}"

# plain P PROGRAM ARGUMENT...: without the shim; output in $work/plain.
plain() {
    ranks=$1
    shift
    timeout $LIMIT "$MPIEXEC" -n "$ranks" "$@" > plain 2> plain.err || fail "$*: $ranks ranks, without the shim: $? $(head -n 5 plain.err)"
}

# with MODE P PROGRAM ARGUMENT...: by `summand run`; output in $work/out and $work/err.
with() {
    mode=$1 ranks=$2
    shift 2
    timeout $LIMIT "$SUMMAND" run --mode "$mode" -- "$MPIEXEC" -n "$ranks" "$@" > out 2> err ||
        fail "$*: $ranks ranks, $mode: $? $(head -n 5 err)"
}

program_calls=yes
# watched MODE P PROGRAM ARGUMENT...: the lines of all ranks in $work/lines.
watched() {
    mode=$1 ranks=$2
    shift 2
    rm -f lines.*
    timeout $LIMIT "$MPIEXEC" -n "$ranks" env LD_PRELOAD="$WATCHED${LD_PRELOAD:+:$LD_PRELOAD}" SUMMAND_MODE="$mode" \
        SHIM_LINES="$work/lines" "$@" > out 2> err || fail "$*: $ranks ranks, $mode, watched: $? $(head -n 5 err)"
    cat lines.* > lines
    same "$*: ranks that came to the end" "$(grep -c '^end' lines)" "$ranks"
    [ "$program_calls" = no ] || ! grep 'outside of the program' lines || fail "$*: a call site is not the program's"
    ! grep 'without a name' lines || fail "$*: a served call has no algorithm or transport"
}

# words FILE: its different lines. The MPI's own begin with numbers of jobs and ranks: [host][[12,1],0][file:line:name]
words() {
    sed 's/\[[^][]*\(\[[^][]*\][^][]*\)*\]//g; s/^ *//' "$1" | grep . | sort -u
}

# as_plain WHAT: the output with the shim is that without it.
as_plain() {
    cmp -s plain out || fail "$*: another output with the shim: $(diff plain out | head -n 6)"
    words plain.err > plain.words
    words err > words
    cmp -s plain.words words || fail "$*: other errors with the shim: $(diff plain.words words | head -n 6)"
}
