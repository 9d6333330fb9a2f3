# SPDX-License-Identifier: BSD-3-Clause
# Sourced by tests that run.sh starts on the front. KIND: openmpi or mpich; MPIEXEC: its launcher; PROGRAMS: the folder of
# the build's tests; SUMMAND: the command; YIELD, LEAVE: what is
# loaded before MPICH (tool/yield.c, leave.c).
set -u
: "${HOSTS:?}" "${KIND:?}" "${MPIEXEC:?}" "${PROGRAMS:?}" "${SUMMAND:?}"
cd "$HOSTS/front" || exit 1
case $KIND$("$MPIEXEC" --version 2>&1) in
mpich* | *'Open MPI) 4.'* | *'OpenRTE) 4.'*) ;;
*)
    echo 'Hosts are left out: of launchers they know those of Open MPI 4 and MPICH (machine.sh, clean.sh)'
    exit 77
    ;;
esac
failed=0
# Lines of Open MPI's launcher about the namespaces, and about a rank that failed.
noise='setpgid(\|^---\|^$\|^Primary job\|^a non-zero\|detected that one or more\|the job to be term\|Process name\|Exit code'

fail() {
    echo "FAILED: $*" >&2
    failed=$((failed + 1))
}

# launch 'HOST:RANKS...' COMMAND...: the first host has the first ranks. With BY=node, ranks take turns among the hosts.
# BEFORE: words in front of the launcher.
launch() {
    ranks=0 hosts=
    for word in $1; do
        ranks=$((ranks + ${word#*:}))
        hosts=$hosts${hosts:+,}$word
    done
    shift
    # shellcheck disable=SC2086
    if [ "$KIND" = openmpi ]; then
        timeout "${LIMIT:-100}" ${BEFORE:-} "$MPIEXEC" -H "$hosts" ${BY:+--map-by $BY} -np $ranks "$@"
    else
        [ -z "${BY:-}" ] || hosts=$(echo "$hosts" | sed 's/:[0-9]*//g')
        rm -f "$HOSTS/left"
        LD_PRELOAD="$YIELD:$LEAVE" timeout "${LIMIT:-100}" ${BEFORE:-} "$MPIEXEC" -hosts "$hosts" -np $ranks "$@" || [ -e "$HOSTS/left" ]
    fi
}

finish() {
    [ "$failed" -eq 0 ] || echo "$failed check(s) failed" >&2
    [ "$failed" -eq 0 ]
    exit
}
