#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# What fresh calibrations cost: each against the best of three fixed ways, by size, on two ranks.
#     cmake --build build/openmpi --target summand-command bench-calibrations
#     bench/calibrations.sh [-b] [CALIBRATIONS [SECONDS [BUILD]]]
# Makes CALIBRATIONS (10) one after another; -b: while each processor has another program to run. Then compares them by
# bench-calibrations, whose head says how, SECONDS (1) for each of 22 rows. BUILD: build/openmpi. A program
# that cannot calibrate, because others have the processors, uses the defaults; up to five are started for each.
set -eu
busy=
[ "${1:-}" != -b ] || { busy=1 && shift; }
calibrations=${1:-10} seconds=${2:-1} build=${3:-build/openmpi}
work=$(mktemp -d)
others=
# shellcheck disable=SC2086
trap '[ -z "$others" ] || kill $others 2>/dev/null; rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
if [ -n "$busy" ]; then
    for _ in $(seq "$(nproc)"); do
        (while :; do :; done) &
        others="$others $!"
    done
fi
tries=0
set --
while [ $# -lt "$calibrations" ] && [ "$tries" -lt $((5 * calibrations)) ]; do
    tries=$((tries + 1))
    file=$work/$tries.file
    XDG_CACHE_HOME="$work/$tries" timeout 60 mpiexec.openmpi -np 2 --bind-to core "$build/summand" bench allreduce \
        --algorithms auto --sizes 8 --budget 3 >"$work/out" 2>&1 || { cat "$work/out" >&2 && exit 2; }
    if cat "$work/$tries/summand/"* >"$file" 2>/dev/null; then
        set -- "$@" "$file"
        grep -E '^(line|byte|results|copies) ' "$file" | tr '\n' ' '
        echo
    fi
done
# shellcheck disable=SC2086
[ -z "$others" ] || kill $others
others=
echo
echo "$# calibrations in $tries starts${busy:+ beside other programs};" \
    "$(grep -m 1 'model name' /proc/cpuinfo | cut -d : -f 2), load $(cut -d ' ' -f 1-3 /proc/loadavg)," \
    "$(date -u +%Y-%m-%d)"
mpiexec.openmpi -np 2 --bind-to core "$build/bench/bench-calibrations" "$seconds" "$@"
