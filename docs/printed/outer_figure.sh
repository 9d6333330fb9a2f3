# SPDX-License-Identifier: BSD-3-Clause
# Sums of outer products on 48 predicted ranks, a pair on each, over the side of the matrix:
#     outer_figure.sh speedup|time -o FILE      times as fast as outer-allreduce; milliseconds
work=$(mktemp)
trap 'rm -f "$work"' EXIT
base= label=milliseconds
[ "$1" = time ] || base=outer-allreduce label='times as fast as outer-allreduce'
summand-study predict -c outer -p 48 -n 1000..8000+1000 --model bench/platforms/eth-48-1core.model --csv |
    awk -F, -v base=$base '
        NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
        { n = $at["count"]; name = $at["algorithm"]; seconds[n, name] = $at["seconds"]
          if (!seen[n]++) size[++sizes] = n
          if (!seen[name]++) names[++count] = name }
        END {
            printf "N"
            for (i = 1; i <= count; i++) printf ",%s", names[i]
            for (s = 1; s <= sizes; s++) {
                printf "\n%s", n = size[s]
                for (i = 1; i <= count; i++)
                    printf ",%g", base ? seconds[n, base] / seconds[n, names[i]] : 1000 * seconds[n, names[i]]
            }
            print "" }' >"$work"
summand-study plot -x 'N = M' -y "$label" --title 'A pair on each of 48 ranks, predicted' \
    --keep outer-hybrid,outer-pipeline,outer-gather,outer-bruck,outer-grid,outer-rabenseifner,outer-allreduce,outer-allgather \
    "$2" "$3" "$work"
