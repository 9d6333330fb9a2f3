#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The loss of the automatic choice against the best of the library's own table, the accuracy of its estimates, and its
# comparison with the selectors. Uses predictions: a minute on one core for small platforms.
#
# Usage: bench/scale_check.sh [PLATFORM...]
# A line for each platform and collective: choices; how many times as long as the best they take in the mean and at most,
# with its bytes; the percentage of estimates within 10 % of the play; then, if bench/scale.sh has simulated the
# selectors, sizes, and how many times as fast as the best of these the play of the choice is, geometric mean and least.
# The last line is for all of a platform.
# Environment: SUMMAND (the command), OUT (build/scale), MOST (bytes, 1 MiB), COLLECTIVES.
set -eu

root=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)
summand=${SUMMAND:-$root/build/openmpi/summand} out=${OUT:-$root/build/scale}
most=${MOST:-1048576}
collectives=${COLLECTIVES:-reduce allreduce bcast reduce_scatter_block allgather}
. "$root/bench/scale_plays.sh"

# one PLATFORM: for each collective its name, the selectors' rows, and the choices checked.
one()
{
    read_nodes "$1"
    for collective in $collectives; do
        for operator in sum affine; do
            promise=$(promise_of "$collective" $operator) || continue
            echo "case $collective $operator"
            selectors "$1" "$collective" $operator "$ranks" | sed 's/^/selectors /'
            "$summand" list --choose "$collective" --nodes "$list" --placement "$kind" --promise "$promise" \
                --model "$root/bench/platforms/$1.model" --bytes "$(sizes "$ranks" "$collective")" --check --json
        done
    done
}

printf '%-16s %-30s %4s %6s %6s %8s %7s %6s %6s %6s\n' platform collective n mean most bytes within sel:n mean least
for platform in ${*:-ib-uneven eth1-7x9}; do
    one "$platform" | awk -v platform="$platform" '
        function line(name, of) {
            if (!n[of]) return
            printf "%-16s %-30s %4d %6.3f %6.2f %8s %5.0f %%", platform, name, n[of], sum[of] / n[of], most[of], at[of],
                100 * near[of] / n[of]
            if (m[of]) printf " %6d %6.2f %6.2f", m[of], exp(logs[of] / m[of]), least[of]
            printf "\n"
            if (of == "case") n[of] = sum[of] = most[of] = near[of] = m[of] = logs[of] = 0
        }
        function add(of, lost, good, ratio) {
            n[of]++; sum[of] += lost; near[of] += good
            if (lost > most[of]) { most[of] = lost; at[of] = bytes }
            if (!ratio) return
            if (!m[of] || ratio < least[of]) least[of] = ratio
            m[of]++; logs[of] += log(ratio)
        }
        { sub(/,$/, "") }
        $1 == "case" { line(name, "case"); name = $2 ($3 == "sum" ? "" : " in order"); split("", best) }
        $1 == "selectors" { best[$2] = $3 }
        $1 == "\"bytes\":" { bytes = $2 }
        $1 == "\"estimate\":" { estimate = $2 }
        $1 == "\"play\":" { play = $2 }
        $1 == "\"lost\":" {
            good = estimate >= 0.9 * play && estimate <= 1.1 * play
            ratio = bytes in best && play > 0 ? best[bytes] * 1e-6 / play : 0
            add("case", 1 + $2, good, ratio); add("all", 1 + $2, good, ratio)
        }
        END {
            line(name, "case"); line("all", "all")
            if (!n["all"]) { print platform ": no numbers" > "/dev/stderr"; exit 1 }
        }'
done
