# SPDX-License-Identifier: BSD-3-Clause
# Cases of docs/results/data/scale.csv in which another algorithm is better by the play or by a simulation, us. Plays are
# made now; the last column was simulated as the cases of bench/scale.sh are.
rows=docs/results/data/scale.csv

# play PLATFORM COLLECTIVE BYTES ALGORITHM:PARAMETERS
play()
{
    case $1 in ib-36x16) ranks=576 ;; eth-48x16) ranks=768 ;; *) ranks=4096 ;; esac
    parameters=$(echo "${4#*:},node=16" | tr ';' ',')
    case $4 in two-tree:*) parameters=${parameters%,node=16} ;; esac
    summand predict -c "$2" -p $ranks -n $(($3 / 4)) -a "${4%%:*}" -P "$parameters" --model "bench/platforms/$1.model" --csv |
        awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next } { printf "%.2f\n", 1e6 * $at["seconds"] }'
}

echo '| case | better algorithm | play: choice | better | simulated: choice | better |'
echo '|---|---|---|---|---|---|'
while read -r platform collective bytes better simulated; do
    chosen=$(awk -F, -v p="$platform" -v c="$collective" -v b="$bytes" '$1 == p && $2 == c && $3 == "sum" && $4 == b { print $9 }' $rows)
    us=$(awk -F, -v p="$platform" -v c="$collective" -v b="$bytes" '$1 == p && $2 == c && $3 == "sum" && $4 == b { printf "%.2f\n", $5 }' $rows)
    name=$(echo "$collective" | sed 's/allreduce/all-reduce/')
    one=$(play "$platform" "$collective" "$bytes" "$chosen") && other=$(play "$platform" "$collective" "$bytes" "$better") || exit 1
    echo "| $name of $((bytes / 1024)) KiB, \`$platform\` | \`$better\` | $one | $other | $us |${simulated:+ $simulated} |"
done <<END
ib-36x16 reduce 16384 two-tree:segment=256 29.42
eth-48x16 reduce 1024 postal:radix=3;between=8 26.32
eth-48x16 reduce 4096 postal:radix=4;between=3 47.55
eth-48x16 allreduce 16384 node-leaders:radix=8;leaders=16;between=3 123.9
fat-tree-256x16 reduce 4096 node-trees:segment=256;radix=4;between=4
END
