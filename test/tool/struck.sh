#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# A rank is killed or stopped at any moment of an operation (struck.c): all others end with an error, none hangs.
# Usage: struck.sh kill|stop TRANSPORT RANKS OPERATION..., or all of them. Four launches at a time: they mostly wait.
. "$(dirname "$0")/common.sh"
: "${STRUCK:?}"
signal=$1 transport=$2 ranks=$3
shift 3
# shellcheck disable=SC2046
[ $# -gt 0 ] || set -- $("$STRUCK" list)
export SUMMAND_TRANSPORT="$transport" SUMMAND_TIMEOUT=2
[ "$transport" != mixed ] || export SUMMAND_TRANSPORT=shm SUMMAND_NODE_SIZE=2

# The launcher must let the others live. MPICH's ends them at random when a rank is gone, so it is not told: a shell
# stands between until all have reported.
if "$MPIEXEC" --version 2> /dev/null | grep -q 'Open MPI\|OpenRTE'; then
    start='exec "$@"'
    option=--enable-recovery
else
    start='"$@"; turn=0; while [ "$(wc -l < "$STRUCK_SAID")" -lt "$STRUCK_OTHERS" ] && [ $turn -lt 400 ]; do
        sleep 0.1; turn=$((turn + 1)); done; exit 0'
    option=-disable-auto-cleanup
fi
once() { # OPERATION MILLISECONDS
    head -c 4096 /dev/zero > "$1.shared"
    : > "$1.out"
    STRUCK_FILE=$work/$1.shared STRUCK_SAID=$work/$1.out STRUCK_OTHERS=$((ranks - 1)) timeout -k 5 100 \
        "$MPIEXEC" $option -n "$ranks" sh -c "$start" sh "$STRUCK" "$1" "$signal" "$2" > "$1.err" 2>&1
    echo $? > "$1.status"
}

# On a machine so busy that a rank comes two seconds late, nothing works before the fault: one more try.
strike() { # OPERATION MILLISECONDS
    for try in 1 2 3; do
        once "$@"
        grep -q 'before: timeout$' "$1.out" || break
    done
}

check() { # OPERATION
    grep -qx 124 "$1.status" && fail "$1: the launcher does not end"
    grep -q HANGS "$1.out" && fail "$1: $(cat "$1.out")"
    for rank in $(seq 0 $((ranks - 2))); do
        grep -q "^rank $rank: ." "$1.out" || fail "$1: rank $rank says nothing: $(cat "$1.out" "$1.err")"
    done
    grep -q "before: \|never been" "$1.out" && fail "$1: $(cat "$1.out")"
    printf '%s: %s\n' "$1" "$(sort "$1.out" | tr '\n' ';')"
}

# An exposed matrix lies in a window of the MPI where ranks do not share memory, and nothing ends MPI_Win_allocate
# and MPI_Win_free but the MPI (docs/errors.md).
# shellcheck disable=SC2046
[ "$transport" = shm ] || set -- $(printf '%s\n' "$@" | grep -vx matrix_expose)
# A rank is struck after its answer and before the flush: MPICH over UCX may flush for ever.
# shellcheck disable=SC2046
[ "$transport" = shm ] || [ "$option" = --enable-recovery ] || set -- $(printf '%s\n' "$@" | grep -vx matrix_reach)

at=1
running=
for operation in "$@"; do
    strike "$operation" $at &
    running="$running $!"
    at=$((at * 7 % 97 + 1))
    if [ "$(echo "$running" | wc -w)" -ge 4 ]; then
        # shellcheck disable=SC2086
        wait $running
        running=
    fi
done
# shellcheck disable=SC2086
wait $running
for operation in "$@"; do check "$operation"; done
finish
