# SPDX-License-Identifier: BSD-3-Clause
# Reduce-scatter by `pat` and by the fastest other algorithm, predicted on fat-tree-128x1:
#     pat.sh predict >docs/results/data/pat.csv         two minutes of processor time
#     pat.sh table
case $1 in
predict)
    echo 'ranks,ints,us of the best other,best other,us of pat'
    for shape in 127/1 127/16 127/256 127/1024 100/16 100/256 100/1024 96/256 96/1024 128/1024; do
        summand predict -c reduce_scatter_block -p "${shape%/*}" -n "${shape#*/}" --tune \
            --model bench/platforms/fat-tree-128x1.model --csv | awk -F, -v OFS=, '
                NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; best = 1e99; next }
                { us = 1e6 * $at["seconds"] }
                $at["algorithm"] == "pat" { pat = us; next }
                us < best { best = us; name = $at["algorithm"] }
                END { print $at["ranks"], $at["count"], sprintf("%.2f", best), name, sprintf("%.2f", pat) }'
    done
    ;;
table)
    echo '| ranks | block | best other | `pat` | times as fast |'
    echo '|---|---|---|---|---|'
    awk -F, 'NR > 1 { printf "| %s | %s | %s %s | %s | %.2f |\n", $1, $2, $3, $4, $5, $3 / $5 }' docs/results/data/pat.csv
    ;;
esac
