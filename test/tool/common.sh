# SPDX-License-Identifier: BSD-3-Clause
# Sourced by the tests of the command. From CTest: SUMMAND (the command), MANY (the command with many command lines in
# one launch), PAGES (what makes its pages), MPIEXEC; CHECK_JSON, except for tests of the shim, which read no JSON.
# A launcher that hangs fails the test by its timeout. YIELD (may be empty): what lets the MPI wait well.
set -u
: "${SUMMAND:?}" "${MPIEXEC:?}"
# shellcheck disable=SC2046
export $(grep -v '^#' "$(dirname "$0")/../../packaging/launcher.env")
# The only network that all containers have.
export OMPI_MCA_btl_tcp_if_include=lo
# Idle ranks yield, because these tests run beside others.
export OMPI_MCA_mpi_yield_when_idle=1
# Without this, Open MPI's launcher sleeps a second after an exit status above 0.
export OMPI_MCA_odls_base_sigkill_timeout=0
[ -z "${YIELD:-}" ] || export LD_PRELOAD="$YIELD"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
failed=0

fail() {
    echo "FAILED: $*" >&2
    failed=$((failed + 1))
}

# The time limit of a launch: a launch takes seconds, but far longer if a hundred others share its processors.
export LIMIT=240

# run P ARGUMENT...: the command on P ranks; output in $work/out and $work/err.
run() {
    ranks=$1
    shift
    timeout $LIMIT "$MPIEXEC" -n "$ranks" "$SUMMAND" "$@" > out 2> err
}

# study FUNCTION ARGUMENT...: the function with the second command, summand-study.
study() {
    SUMMAND=$SUMMAND-study SCARCE=${SCARCE:-}-study
    "$@"
    studied=$?
    SUMMAND=${SUMMAND%-study} SCARCE=${SCARCE%-study}
    return $studied
}

# each_command LEAST FUNCTION: FUNCTION NAME INDEX for every command of the table, which has so many at least and is
# left in table.json.
each_command() {
    "$SUMMAND" help --json > table.json || fail 'help --json'
    commands=$("$CHECK_JSON" table.json commands.#)
    [ "$commands" -ge "$1" ] || fail "only $commands commands in the table"
    for place in $(seq 0 $((commands - 1))); do
        "$2" "$("$CHECK_JSON" table.json commands.$place.name)" $place
    done
}

# Launches take long. Commands on ranks wait for one shared launch, if the test is not about their start, end or
# environment:
# queue ARGUMENT...: a command line; $line is its number, from 1.
line=0
queue() {
    line=$((line + 1))
    printf '%s\0' $# "$@" >> queued
    printf '%s' "$*" > $line.line
}

# launch P: runs the queued lines, one after another, on P ranks. Line N prints to N.out and N.err; N.status has the
# status of each rank. `take N` converts them to the results of `run`.
launch() {
    ranks=$1
    rm -f [0-9]*.out [0-9]*.err [0-9]*.status
    timeout $LIMIT "$MPIEXEC" -n "$ranks" "$MANY" queued > launched 2>&1 || fail "$line lines on $ranks ranks: $(cat launched)"
    for number in $(seq $line); do
        [ "$(wc -l < $number.status)" -eq "$ranks" ] || fail "'$(cat $number.line)': not all of $ranks ranks have ended"
    done
    [ ! -s launched ] || fail "$line lines on $ranks ranks: noise: $(cat launched)"
}
take() {
    cp "$1.out" out
    cp "$1.err" err
    [ "$(sort -u "$1.status")" = 0 ]
}
forget() { # the next one is the first
    rm -f queued [0-9]*.line [0-9]*.out [0-9]*.err [0-9]*.status
    line=0
}

same() { # same WHAT ONE OTHER
    [ "$2" = "$3" ] || fail "$1: '$2' is not '$3'"
}

narrow() { # narrow FILE WHAT: no line above 100 columns
    awk 'length > 100 { print; exit 1 }' "$1" > wide || fail "$2: a line of more than 100 columns: $(cat wide)"
}

# guard PROCESS: kills it after two minutes, unless it has ended or $guard is killed before. CTest waits for every
# process that may still write to it, so this one closes its output. The file `guarded` records the kill.
guard() {
    rm -f guarded
    {
        turns=0
        while [ $turns -lt 240 ] && kill -0 "$1"; do
            sleep 0.5
            turns=$((turns + 1))
        done
        kill -0 "$1" && : > guarded && kill -KILL "$1"
    } > /dev/null 2>&1 &
    guard=$!
}

finish() {
    [ "$failed" -eq 0 ] || echo "$failed check(s) failed" >&2
    [ "$failed" -eq 0 ]
    exit
}
