#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# summand-study outer: quantiles of launches known beforehand, both quantities, the picture, and what it refuses.
. "$(dirname "$0")/common.sh"

# Six launches of three repetitions: the all-reduce's medians are 10, 20, ... 60 us, the other's 5 us.
launches() { # launches FACTOR STEP
    for i in 1 2 3 4 5 6; do
        m=$(($1 + $2 * i))
        printf '%s[%d,%d,%d]' "$([ $i -gt 1 ] && echo ,)" $((m * 900)) $((m * 1000)) $((m * 7000))
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

# Reports of a launch each, one after another, are the launches of one file. Lines of two shapes have bands.
report() { # report LAUNCH RANKS MORE
    printf '{"command":"bench outer","ranks":%d%s,"results":[' "$2" "$3"
    for shape in 40x90 80x80; do
        printf '{"shape":"%s","pairs":3,"algorithm":"mpi-allreduce","samples_ns":[[%d]]},' $shape $((20000 * $1))
        printf '{"shape":"%s","pairs":3,"algorithm":"outer-gather","samples_ns":[[10000]]}%s' $shape \
            "$([ $shape = 80x80 ] || echo ,)"
    done
    printf ']}\n'
}
for launch in 1 2 3 4 5 6; do report $launch 4 ''; done > lines.json
"$SUMMAND-study" outer --figure 3 lines.json -o lines.svg | awk '$4 == "outer-gather" { print $1, $2, $5, $8 }' > out
same 'six reports' "$(cat out)" "4 40x90 3.000 6
4 80x80 3.000 6"
same 'bands' "$(grep -c '<polygon.*opacity' lines.svg)" 1 # the base has no spread
same 'ends of a band of two points' "$(sed -n 's/.*<polygon.*opacity.* points="\([^"]*\)".*/\1/p' lines.svg | wc -w)" 4
grep -q 'bands: 95 % (bootstrap)' lines.svg || fail 'the title does not name the bands'
"$SUMMAND-study" outer --figure 12 lines.json launches.json -o violins.svg > out || fail 'figure 12'
for shape in 40x90 80x80; do grep -q ">$shape<" violins.svg || fail "no violins of $shape"; done
grep -q 'Figure 12: Distribution of times, 16 ranks' violins.svg || fail 'title of figure 12'
report 3 8 ',"simulated":"a cluster"' > simulated.json
same 'simulated' "$("$SUMMAND-study" outer simulated.json | awk '$NF == 1 && /outer-gather/ { print $1, $2, $6 }')" \
    "8, simulated 6.000
8, simulated 6.000"
"$SUMMAND-study" outer simulated.json -o simulated.svg > out || fail 'simulated'
grep -q '8 simulated ranks' simulated.svg || fail 'title of simulated times'
grep -q 'Simulated: a cluster' simulated.svg || fail 'where it was simulated'
grep -q '<polygon.*opacity' simulated.svg && fail 'bands of single times'

refuse 'are needed'
refuse 'not between 2 and 12' --figure 13 launches.json
report 7 5 '' | cat lines.json - > ranks.json
refuse 'a report of 5 ranks after one of 4' ranks.json
report 7 4 '' | sed 's/,{"shape":"80x80","pairs":3,"algorithm":"outer-gather"[^}]*}//' | cat lines.json - > fewer.json
refuse 'outer-gather of 80x80 has 6 launches, others have 7' fewer.json
head -c 500 lines.json > cut.json
refuse 'cut.json: ' cut.json
: > nothing.json
refuse 'nothing.json: ' nothing.json
sed 's/"pairs":3,"algorithm":"outer-gather"/"pairs":4,"algorithm":"outer-gather"/' launches.json > pairs.json
refuse 'results of 3 and of 4 pairs; a figure has one' pairs.json
echo nonsense > nonsense.json
refuse "nonsense.json: this is no JSON (line 1: .*'summand bench outer --json' writes such a file" nonsense.json
# Repetitions without a time: no point, no violin, and no endless axis.
for none in '[null,null]' '[0]' '[]' '[-5]'; do
    sed "s/\[[0-9]*,[0-9]*,[0-9]*\]/$none/g" launches.json > none.json
    for figure in 2 4 5; do
        timeout -s KILL 60 "$SUMMAND-study" outer --figure $figure none.json -o none.svg > out 2> err ||
            fail "figure $figure of $none: $? $(cat err)"
        grep -q 'nan\|inf' none.svg && fail "figure $figure of $none: $(grep -m 1 'nan\|inf' none.svg)"
    done
done
echo '{"command":"bench sum","results":[1]}' >other.json
refuse 'not a file of' other.json
refuse 'nothing-there' nothing-there.json
finish
