#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# summand-study outer: quantiles of launches known beforehand, both quantities, the picture, and what it refuses.
. "$(dirname "$0")/common.sh"

# Six launches of three repetitions: the all-reduce's medians are 10, 20, ... 60 us, the other's 5 us.
launches() { # launches FACTOR STEP
    for i in 1 2 3 4 5 6; do
        m=$(($1 + $2 * i))
        printf '%s[%d,%d,%d]' "$([ $i -gt 1 ] && echo ,)" $((m * 1000)) $((m * 900)) $((m * 7000))
    done
}
{
    printf '{"command":"bench outer","ranks":16,"keys":["shape"],"results":['
    printf '{"shape":"40x90","pairs":3,"algorithm":"mpi-allreduce","samples_ns":[%s]},' "$(launches 0 10)"
    printf '{"shape":"40x90","pairs":3,"algorithm":"outer-gather","samples_ns":[%s]}]}' "$(launches 5 0)"
} >launches.json

row() { # row FIGURE METHOD: the value
    "$SUMMAND-study" outer --figure "$1" launches.json | awk -v name="$2" '$4 == name { print $1, $2, $3, $5, $8 }'
}
same 'figure 2' "$(row 2 outer-gather)" '16 40x90 3 7.000 6'
same 'figure 3' "$(row 3 outer-gather)" '16 40x90 3 3.000 6'
same 'figure 8' "$(row 8 outer-gather)" '16 40x90 3 11.000 6'
same 'figure 8, base' "$(row 8 mpi-allreduce)" '16 40x90 3 1.000 6'
same 'figure 9' "$(row 9 mpi-allreduce)" '16 40x90 3 15.000 6'
same 'figure 11' "$(row 11 mpi-allreduce)" '16 40x90 3 55.000 6'
"$SUMMAND-study" outer --figure 4 launches.json -o figure.svg >out || fail 'figure 4'
grep -q 'Figure 4: 90th percentile of times, 16 ranks, 6 launches' figure.svg || fail 'title of figure 4'
"$SUMMAND-study" outer --figure 2 launches.json --json >out.json || fail '--json'
same 'JSON' "$("$CHECK_JSON" out.json results.1.value)" 7.0

refuse() { # refuse PATTERN ARGUMENT...
    pattern=$1
    shift
    "$SUMMAND-study" outer "$@" >out 2>err && fail "'$*': succeeded"
    grep -q -e "$pattern" err || fail "'$*': no '$pattern' in: $(cat err)"
}
refuse 'are needed'
refuse 'drawn by' --figure 5 launches.json
echo '{"command":"bench sum","results":[1]}' >other.json
refuse 'not a file of' other.json
refuse 'nothing-there' nothing-there.json
finish
