# SPDX-License-Identifier: BSD-3-Clause
# What canonical bits are estimated to cost: times as fast as the free choice.
#     canonical.sh                          the table
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
