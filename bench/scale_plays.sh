# SPDX-License-Identifier: BSD-3-Clause
# Shared by scripts that play choices on platforms. They read it with `root`, `out` and `most` set.
# shellcheck shell=sh

# sizes RANKS COLLECTIVE: bytes, in steps of 4 from one int, of each block if there are blocks.
sizes()
{
    awk -v ranks="$1" -v collective="$2" -v most="$most" 'BEGIN {
        n = collective ~ /scatter|gather/ ? 4 * ranks : 4
        for (; n <= most; n *= 4) printf "%s%d", comma++ ? "," : "", n }'
}

# selectors PLATFORM COLLECTIVE OPERATOR RANKS: "BYTES us", the best of the selectors, if bench/scale.sh has simulated
# them (OUT/rows/targets-PLATFORM-SELECTOR.csv).
selectors()
{
    for selector in ompi mpich mvapich2; do
        [ ! -s "$out/rows/targets-$1-$selector.csv" ] || cat "$out/rows/targets-$1-$selector.csv"
    done | awk -F, -v collective="$2" -v operator="$3" -v ranks="$4" '
        $2 == collective && $5 == operator && ($8 == "right" || $8 == "unchecked") {
            bytes = $4 * 4 * (collective ~ /scatter|gather/ ? ranks : 1)
            if (!(bytes in best) || $7 < best[bytes]) best[bytes] = $7
        }
        END { for (bytes in best) print bytes, best[bytes] }'
}

# read_nodes PLATFORM: sets `list`, `kind` and `ranks`.
read_nodes()
{
    list=$(sed '/^#/d; s/ .*//' "$root/bench/platforms/$1.nodes")
    kind=$(sed '/^#/d; s/.* //' "$root/bench/platforms/$1.nodes")
    ranks=$(echo "$list" | tr ',' '\n' | awk '{ n += $1 } END { print n }')
}

# promise_of COLLECTIVE OPERATOR: the promise that a choice must keep; fails if the operator makes no difference.
promise_of()
{
    case $1:$2 in
    *:sum) echo any ;;
    reduce*:affine | allreduce:affine) echo rank-order ;;
    *) return 1 ;;
    esac
}
