#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The loss of the automatic choice if the model's network latency, or its time per byte, is twice or half of the real
# one. Uses predictions: minutes on one core.
#
# Usage: bench/scale_wrong.sh [PLATFORM...]
# A line for each platform and collective: how many wrong choices (sizes x 4 wrong numbers), the geometric mean of how
# many times as fast they are as the choice by the right ones, and the least with its bytes; then the same against the
# best of the selectors, if bench/scale.sh has simulated these (OUT/rows/targets-PLATFORM-SELECTOR.csv).
# Environment: SUMMAND (the command), OUT (build/scale), FACTOR (2), MOST (bytes, 4 MiB), COLLECTIVES.
set -eu

root=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)
summand=${SUMMAND:-$root/build/openmpi/summand} out=${OUT:-$root/build/scale}
most=${MOST:-4194304}
collectives=${COLLECTIVES:-reduce allreduce bcast reduce_scatter_block reduce_scatter allgather allgatherv}

. "$root/bench/scale_plays.sh"

# against PLATFORM COLLECTIVE OPERATOR RANKS: from the table of `list --wrong`.
against()
{
    selectors "$@" >"$out/wrong.rows"
    awk -v collective="$2" -v operator="$3" -v name="$1" '
        FILENAME != "-" { best[$1] = $2; next }
        $1 ~ /^[0-9]+$/ && $3 ~ /^[0-9.]+$/ {
            for (i = 3; i <= 6; i++) {
                n++; sum += log($i)
                if (!least || $i < least) { least = $i; at = $1 }
                if (!($1 in best)) continue
                ratio = best[$1] / ($2 / $i)
                m++; all += log(ratio)
                if (!low || ratio < low) { low = ratio; where = $1 }
            }
        }
        END {
            if (!n) { print name ": " collective ": no numbers" > "/dev/stderr"; exit 1 }
            printf "%-16s %-22s %4d %6.3f %6.2f %8d", name, collective (operator == "affine" ? " in order" : ""), n, exp(sum / n), least, at
            if (m) printf " %6d %6.2f %6.2f %8d", m, exp(all / m), low, where
            printf "\n"
        }' "$out/wrong.rows" -
}

mkdir -p "$out"
printf '%-16s %-22s %4s %6s %6s %8s %6s %6s %6s %8s\n' platform collective n mean least bytes sel:n mean least bytes
for platform in ${*:-ib-uneven ib-cyclic eth1-7x9 ib-64x2 fat-tree-128x1 eth100-20x24}; do
    read_nodes "$platform"
    for collective in $collectives; do
        for operator in sum affine; do
            promise=$(promise_of "$collective" $operator) || continue
            "$summand" list --choose "$collective" --nodes "$list" --placement "$kind" --promise "$promise" \
                --model "$root/bench/platforms/$platform.model" --bytes "$(sizes "$ranks" "$collective")" \
                --wrong "${FACTOR:-2}" | against "$platform" "$collective" $operator "$ranks"
        done
    done
done
