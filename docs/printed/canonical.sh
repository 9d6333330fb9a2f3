# SPDX-License-Identifier: BSD-3-Clause
# What canonical bits are estimated to cost: times as fast as the free choice.
#     canonical.sh                          the table
#     canonical.sh simulated [range]        the same of docs/results/data/canonical.csv, beside the free choice of scale.csv
#     canonical.sh COLLECTIVE|both RANKS... lowest to highest ratio of these, on one node
export COLUMNS=200
sizes='8,512,4k,32k,256k,2m,16m'

# ratios COLLECTIVE RANKS RANKS-OF-A-NODE: one for each size.
ratios()
{
    for promise in any canonical; do
        summand list --choose "$1" -p "$2" -k "$3" --bytes $sizes --promise $promise || exit 1
    done | awk '$1 == "bytes" { promise++ }
                $1 + 0 == $1 { us[promise, ++n[promise]] = $2 }
                END { for (i = 1; i <= n[1]; i++) printf "%.2f\n", us[1, i] / us[2, i] }'
}

if [ "$1" = simulated ]; then
    awk -F, -v range="$2" '
        FNR == 1 { next }
        FILENAME ~ /scale/ { if ($1 == "ib-36x16" && $3 == "sum") free[$2, $4] = $5; next }
        { if (!($1 in seen)) { seen[$1]; name[++names] = $1 }
          if (!($2 in seen)) { seen[$2]; size[++sizes] = $2 }
          us[$1, $2] = $3; of[$1, $2] = $4 }
        END {
            least = 9
            head = "| |"; line = "|---|"
            for (s = 1; s <= sizes; s++) {
                head = head (size[s] < 1024 ? " " size[s] : " " size[s] / 1024 " KiB") " |"
                line = line "---|"
            }
            text = head "\n" line "\n"
            for (n = 1; n <= names; n++) {
                title = name[n] == "allreduce" ? "all-reduce" : name[n]
                one = "| " title ", free choice |"; two = "| " title ", canonical |"
                three = "| with |"; four = "| times as fast |"
                for (s = 1; s <= sizes; s++) {
                    key = name[n] SUBSEP size[s]
                    ratio = free[key] / us[key]
                    if (ratio < least) least = ratio
                    if (ratio > most) most = ratio
                    one = one sprintf(" %.2f |", free[key]); two = two sprintf(" %.2f |", us[key])
                    three = three " `" of[key] "` |"; four = four sprintf(" %.2f |", ratio)
                }
                text = text one "\n" two "\n" three "\n" four "\n"
            }
            if (range) printf "%.2f to %.2f\n", least, most
            else printf "%s", text }' docs/results/data/scale.csv docs/results/data/canonical.csv
    exit
fi
if [ $# -gt 0 ]; then
    collective=$1
    shift
    [ "$collective" != both ] || collective='allreduce reduce'
    for ranks; do
        for one in $collective; do ratios "$one" "$ranks" "$ranks"; done
    done | sort -n |
        awk 'NR == 1 { least = $1 } END { printf "%.1f to %.1f\n", least, $1 }'
    exit
fi
echo '| canonical, times as fast as the free choice | 8 | 512 | 4 KiB | 32 KiB | 256 KiB | 2 MiB | 16 MiB |'
echo '|---|---|---|---|---|---|---|---|'
for collective in allreduce reduce; do
    for shape in 2/2 8/8 64/64 64/16 576/16 4096/16; do
        ranks=${shape%/*} node=${shape#*/} on='one node'
        [ "$ranks" = "$node" ] || on="$((ranks / node)) nodes"
        echo "$collective, $ranks ranks, $on" | sed 's/^/| /; s/allreduce/all-reduce/'
        ratios $collective "$ranks" "$node"
    done
done | awk '/^\|/ { if (line) print line " |"; line = $0; next } { line = line " | " $1 } END { print line " |" }'
