# SPDX-License-Identifier: BSD-3-Clause
# Reduce-scatter by `pat` and by the fastest other algorithm, predicted on fat-tree-128x1: pat.sh RANKS/INTS...
echo '| ranks | block | best other | `pat` | times as fast |'
echo '|---|---|---|---|---|'
for shape; do
    summand predict -c reduce_scatter_block -p "${shape%/*}" -n "${shape#*/}" --tune \
        --model bench/platforms/fat-tree-128x1.model --csv || exit 1
done | awk -F, '
    function row() { if (ranks) printf "| %s | %s | %.2f %s | %.2f | %.2f |\n", ranks, count, best, name, pat, best / pat }
    $1 == "collective" { row(); for (i = 1; i <= NF; i++) at[$i] = i; best = 1e99; next }
    { ranks = $at["ranks"]; count = $at["count"]; us = 1e6 * $at["seconds"] }
    $at["algorithm"] == "pat" { pat = us; next }
    us < best { best = us; name = $at["algorithm"] }
    END { row() }'
