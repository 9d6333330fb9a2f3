#!/bin/sh
# What the automatic choice loses against the best of the library's own table, and how near its estimates are: by
# prediction, minutes on one core for small platforms.
#
# Usage: bench/scale_check.sh [PLATFORM...]
# A line for each platform and collective: choices; how many times as long as the best they take in the mean and at most,
# with its bytes; and the percentage of estimates within 10 % of the play. Then a line for all of a platform.
# Environment: SUMMAND (the command), MOST (bytes, 1 MiB), STEP (4), COLLECTIVES.
set -eu

root=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)
summand=${SUMMAND:-$root/build/openmpi/summand}
collectives=${COLLECTIVES:-reduce allreduce bcast reduce_scatter_block allgather}

printf '%-16s %-32s %4s %6s %6s %8s %7s\n' platform collective n mean most bytes within
for platform in ${*:-ib-uneven eth1-7x9}; do
    nodes=$root/bench/platforms/$platform.nodes
    list=$(sed '/^#/d; s/ .*//' "$nodes") kind=$(sed '/^#/d; s/.* //' "$nodes")
    for collective in $collectives; do
        for promise in any rank-order; do
            case $collective:$promise in bcast:rank-order | allgather:rank-order) continue ;; esac
            echo "case $collective $promise"
            "$summand" list --choose "$collective" --nodes "$list" --placement "$kind" --promise $promise \
                --model "$root/bench/platforms/$platform.model" --bytes "4..${MOST:-1048576}:${STEP:-4}" --check --json
        done
    done | awk -v platform="$platform" '
        function line(name, n, sum, most, at, near) {
            if (n) printf "%-16s %-32s %4d %6.3f %6.2f %8s %5.0f %%\n", platform, name, n, sum / n, most, at, 100 * near / n
        }
        function close_case() {
            line(name, n, sum, most, at, near)
            n = sum = most = near = 0
        }
        { sub(/,$/, "") }
        $1 == "case" { close_case(); name = $2 ($3 == "any" ? "" : " in order") }
        $1 == "\"bytes\":" { bytes = $2 }
        $1 == "\"estimate\":" { estimate = $2 }
        $1 == "\"play\":" { play = $2 }
        $1 == "\"lost\":" {
            times = 1 + $2; good = estimate >= 0.9 * play && estimate <= 1.1 * play
            n++; sum += times; near += good; all++; all_sum += times; all_near += good
            if (times > most) { most = times; at = bytes }
            if (times > all_most) { all_most = times; all_at = bytes }
        }
        END {
            close_case(); line("all", all, all_sum, all_most, all_at, all_near)
            if (!all) { print platform ": no numbers" > "/dev/stderr"; exit 1 }
        }'
done
