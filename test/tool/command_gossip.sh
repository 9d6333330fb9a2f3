#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# summand gossip: known measures, repeatability, resumption, figures, faults over MPI, complaints.
# shellcheck disable=SC2086 # words are split
. "$(dirname "$0")/common.sh"

"$SUMMAND" gossip topology --nodes 64 hypercube ring > out || fail 'topology'
same 'hypercube' "$(awk '$1 == "hypercube" { print $2, $3, $5 }' out)" '64 6 6'
same 'ring' "$(awk '$1 == "ring" { print $2, $3, $5 }' out)" '64 2 32'
printf '0 1\n1 2\n2 3\n3 4\n4 0\n0 5\n1 6\n2 7\n3 8\n4 9\n5 7\n7 9\n9 6\n6 8\n8 5\n' > petersen
"$SUMMAND" gossip topology file:petersen > out && grep -q '^file:petersen  *10 ' out || fail 'nodes of a file'
"$SUMMAND" gossip run --topology file:petersen | grep -q ' 10 nodes: accurate' || fail 'run: nodes of a file'
"$SUMMAND-study" rounds --algorithm pfcc --topology file:petersen --eps 1e-4 | grep -q '^10 nodes, .* accurate' ||
    fail 'rounds: nodes of a file'
"$SUMMAND" gossip topology --nodes 10 file:petersen > out || fail 'topology of a file'
same 'Petersen graph' "$(awk 'END { printf "%d %d %d %d %.6f", $2, $3, $4, $5, $6 }' out)" \
    '10 3 3 2 0.333333'

for algorithm in ps pf pflc pfcc; do
    "$SUMMAND" gossip list | grep -q "^$algorithm " || fail "$algorithm is not listed"
    for i in 1 2; do
        "$SUMMAND" gossip run --algorithm $algorithm --loss 0.01 --rate 1e-3 --seed 5 --trace \
            > run$i || fail "run of $algorithm"
    done
    cmp -s run1 run2 || fail "$algorithm does not repeat itself"
done
"$SUMMAND" gossip run --loss 0.1 --duplication 0.1 --rate 1e-3 | grep -q ': accurate' ||
    fail 'pfcc in fixed point does not heal'

# Killed during the run and resumed: the same result as in one run. A run that ends before it is killed, because a
# busy machine delays this shell, is tried again.
set -- gossip run --algorithm pflc --form double --nodes 2048 --loss 0.01 --rate 1e-4 --most 500
"$SUMMAND" "$@" > whole || fail 'the run that is not killed'
for try in 1 2 3 4 5; do
    rm -f events
    "$SUMMAND" "$@" --checkpoint events --save-every 0 > part &
    killed=$!
    until [ -e events ] || ! kill -0 $killed; do
        sleep 0.01
    done 2> gone
    kill -9 $killed 2> gone
    wait $killed 2> gone
    [ -s part ] || break
done
[ -s part ] && fail 'the run has ended before it was killed'
"$SUMMAND" "$@" --checkpoint events > rest || fail 'the run that goes on'
cmp -s whole rest || fail "a killed run goes on to another end: $(cat rest)"
"$SUMMAND" "$@" --checkpoint events --seed 2 > out 2> err && fail 'the state of another run is taken'

# Stopped after 3 rounds and resumed: the same result as in one run.
"$SUMMAND-study" rounds --nodes 10k --most 6 > whole || fail 'rounds'
"$SUMMAND-study" rounds --nodes 10k --most 3 --checkpoint state > part || fail 'rounds'
"$SUMMAND-study" rounds --nodes 10k --most 6 --checkpoint state > rest || fail 'rounds'
same 'round 6' "$(grep '^6,' whole | cut -d, -f 1,3,4)" "$(grep '^6,' rest | cut -d, -f 1,3,4)"
"$SUMMAND-study" root --nodes 1m --runs 10 --eps 1e-2 | grep -q ' 0 not reached' || fail 'root'

# Any number of nodes, own data, several runs, JSON.
for nodes in 1 2 7; do
    "$SUMMAND" gossip run --nodes $nodes | grep -q ': accurate' || fail "run of $nodes nodes"
    "$SUMMAND-study" rounds --nodes $nodes | grep -q ', accurate' || fail "rounds of $nodes nodes"
    "$SUMMAND-study" root --nodes $nodes --runs 3 | grep -q ' 0 not reached' ||
        fail "root of $nodes nodes"
done
printf '1 2 3\n4.5 -6e1\n' > numbers
"$SUMMAND" gossip run --data numbers | grep -q ' 5 nodes: accurate' || fail 'own data'
for lonely in '--nodes 1 --stay' '--nodes 1 --after 5 --bit 3' '--nodes 2 --stop-rank 0 --stop-time 5 --stay'; do
    timeout $LIMIT "$SUMMAND" gossip run $lonely > out || fail "$lonely: nobody is left to send to, and the run goes on"
done
printf '# five, and a remark\n1,2;3\n4.5 -6e1 # the last\n' > numbers
"$SUMMAND" gossip run --data numbers --nodes 5 | grep -q ' 5 nodes: accurate' || fail 'data with commas'
"$SUMMAND" gossip run --data numbers --nodes 6 > out 2> err && fail 'more nodes than data'
grep -q '5 numbers, but --nodes 6' err || fail "complaint about too few data: $(cat err)"
printf '1 2\n3 x\n' > numbers
"$SUMMAND" gossip run --data numbers > out 2> err && fail 'a file that is not of numbers'
grep -q 'numbers: line 2: ' err || fail "complaint about a number: $(cat err)"
printf '1 -1 1 -1\n' > numbers
"$SUMMAND" gossip run --data numbers > out 2> err && fail 'an error relative to 0'
for norm in rms absolute; do
    "$SUMMAND" gossip run --data numbers --norm $norm | grep -q ' 4 nodes: accurate' || fail "norm $norm"
done
"$SUMMAND" gossip run --runs 12 --stay --most 500 > out || fail 'several runs'
grep -q 'within it at the end      12 of 12 runs' out || fail "runs do not stay: $(cat out)"
grep -q 'median .* (95 %: ' out || fail 'no interval'
"$SUMMAND" gossip run --runs 3 --json > json || fail 'JSON of several runs'
"$CHECK_JSON" json || fail 'JSON of several runs is none'
grep -q '"low": null' json || fail 'three runs have an interval'

# Scripted faults, from the command line and from a file; pictures of own runs.
"$SUMMAND" gossip run --faults 'rank=3,to=2,bit=52+62,after=20,burst=3,both' > out || fail 'scripted faults'
same 'flips' "$(awk '$1 == "flips" { print $2 }' out)" 12
grep -q ': accurate' out || fail 'scripted faults are not healed'
printf '# two\nrank=1,variable=message,bit=62,after=5\n\nrank=2,variable=input,bit=40 # remark\n' > faults
"$SUMMAND" gossip run --faults faults --runs 3 --plot runs.svg > out || fail 'scripted faults of a file'
same 'runs drawn' "$(tail -n 1 runs.svg)" '</svg>'
"$SUMMAND-study" rounds --algorithm pfcc --topology file:petersen --nodes 10 --loss 0.1 --eps 1e-4 --plot \
    rounds.svg | grep -q 'accurate' || fail 'rounds on the topology of a file'
same 'rounds drawn' "$(tail -n 1 rounds.svg)" '</svg>'
"$SUMMAND-study" rounds --algorithm hps --variant permutation --nodes 1k | grep -q ', accurate' || fail 'any permutation'
"$SUMMAND-study" rounds --algorithm pfcc --variant printed --nodes 32 --most 40 | grep -q 'NOT accurate' ||
    fail 'algorithm 5 runs as printed'
"$SUMMAND-study" root --nodes 1k --eps 1e-2 --runs 9 --json > root.json || fail 'root'
[ "$(at root.json mean)" != 0 ] && [ "$(at root.json standard_error)" != 0 ] || fail 'root has no mean'
"$SUMMAND-study" rounds --algorithm ps --topology file:petersen --nodes 10 --loss 0.1 --eps 1e-4 |
    grep -q 'NOT accurate' || fail 'push-sum forgives lost messages'

"$SUMMAND-study" figure 7 --quick --output figures > out || fail 'figure 7'
same 'readings of figure 7' "$(grep -c 'rounds [-/] log2 N is constant' out)" 8
tr '\n' ' ' < out | tr -s ' ' | grep -q 'more rounds: in 16 of 16 pairs; nearest: [0-9]* ([0-9]*\.\.[0-9]*) on ' || fail 'the pairs of figure 7 have no intervals'
"$SUMMAND-study" figure 13 --quick --nodes 256 --runs 60 --output figures > out || fail 'figure 13'
[ "$(wc -l < figures/figure13-rounds.csv)" -gt 20 ] || fail 'figure 13 does not strike in all rounds'
for svg in figures/*.svg; do
    width=$(sed -n 's/^<svg.* width="\([0-9]*\)".*/\1/p' "$svg")
    [ "$width" -le 800 ] || fail "$svg is $width pixels wide"
done
"$SUMMAND-study" figure 1 6 --runs 7 --output figures > out || fail 'figures of 7 runs'
same 'runs of figure 1' "$(awk -F, 'NR > 1 { run[$1] } END { print length(run) }' figures/figure1.csv)" 7
same 'runs of figure 6' "$(awk -F, 'NR > 1 { runs += $3 } END { print runs }' figures/figure6.csv)" 14
same 'first passage' "$(grep -c 'reaches 1e-14 in .* of .* runs' out)" 6
same 'staying' "$(grep -c 'is within it after .* messages in .* runs' out)" 6
# Grids of the user's own: --runs and --nodes act on each figure.
"$SUMMAND-study" figure 2 --runs 6 --nodes 8 --output figures > out || fail 'figure 2 of 8 nodes'
grep -q 'in all of 6 runs' out || fail 'runs of figure 2'
grep -q 'Figure 2: .* N = 8<' figures/figure2.svg || fail 'nodes of figure 2'
"$SUMMAND-study" figure 7 9 12 --runs 6 --nodes 16,64 --output figures > out || fail 'figures of 16 and 64 nodes'
for n in 7 9; do
    same "sizes of figure $n" "$(cut -d, -f $((n == 7 ? 2 : 1)) figures/figure$n.csv | sort -un | tr '\n' ' ')" "nodes 16 64 "
done
grep -q 'no difference  root, eps 0.1, N = 2^6: .*; difference 1 (-1.5..3)$' out ||
    fail 'figure 12 sees a difference that its interval does not show'
same 'runs and sizes of figure 12' "$(awk -F, 'NR > 1 { print $1, $4 }' figures/figure12.csv | sort -u | tr '\n' ' ')" \
    '16 6 64 6 '
"$SUMMAND-study" figure 1 7 --quick --output figures > out || fail 'figures'
for n in 1 7; do
    same "end of figure $n" "$(tail -n 1 figures/figure$n.svg)" '</svg>'
    [ "$(wc -l < figures/figure$n.csv)" -gt 10 ] || fail "figure $n has no data"
done
grep -q 'holds .*PFCC recovers to 1e-14' out || fail 'the claim of figure 1'
# Cells that an interrupted run has finished are not computed again, except cells with a flipped bit.
cell() { # cell NUMBER: as it is kept, its values all 1/8
    printf "$1" > line
    i=0
    while [ $i -lt 104 ]; do
        printf ' 0x1p-3' >> line
        i=$((i + 1))
    done
    printf '%s %s ;\n' "$(cat line)" "$(cksum < line | cut -d ' ' -f 1)"
}
{
    echo 'figure1 quick seed 1 cells 80 width 104'
    cell 0
    cell 2 | sed 's/0x1p-3/0x1p-1/7'
} > figures/figure1.part
"$SUMMAND-study" figure 1 --quick --output figures > out || fail 'figure 1 resumed'
same 'a kept cell' "$(sed -n 2p figures/figure1.csv)" '0,PF,0,0.125'
grep -q '^0,PFCC,30,0.5$' figures/figure1.csv && fail 'a cell with a flipped bit is taken'
[ -e figures/figure1.part ] && fail 'the cells of a finished figure are still there'

# The same of those over MPI.
printf '3 0x1.eep+6 0x0p+0 0x0p+0' > line
printf '%s\n%s %s ;\n' \
    'figure8 quick seed 1 cells 4 width 3 runs 1 ranks 2 least 2 factor 2, real processes' "$(cat line)" \
    "$(cksum < line | cut -d ' ' -f 1)" > figures/figure8.part
study run 2 figure 8 --quick --runs 1 --output figures || fail 'figure 8'
same 'a kept cell of figure 8' "$(grep Allreduce figures/figure8.csv)" 'MPI_Allreduce,2,123.5,0,0'
grep -q '^hypercube,2,[0-9]' figures/figure8.csv || fail 'the other cells of figure 8'
[ -e figures/figure8.part ] && fail 'the cells of figure 8 are still there'

SUMMAND_FAULT='rank=1,variable=flow,component=weight,bit=62,round=5' \
    run 3 gossip allreduce || fail 'allreduce'
grep -q 'repairs 1, resets 0' out || fail "the flip was not repaired: $(cat out)"
same 'result and MPI' "$(sed -n 1p out | awk '{ printf "%.9f", $NF }')" \
    "$(sed -n 2p out | awk '{ printf "%.9f", $NF }')"

printf 'rank=1,bit=3\nrank=2,bit=4\0zzz\n' > zero
for wrong in 'run --algorithm hps' 'run --nodes 0' 'run --period 0' 'topology moebius' 'bogus' \
    'run --runs 0' 'run --faults rank=1,bit=64' 'run --faults rank=1' 'run --faults rank=1,bit=3,bit=4' 'run --faults rank=1,rank=2' 'run --faults rank=1,bit=3,' 'run --faults zero' \
    'run --faults rank=1,bit=3+3' 'run --norm bogus' 'run --faults bogus' 'run --data no-such-file' 'run --runs 2 --trace' 'topology --nodes 12 hypercube'; do
    "$SUMMAND" gossip $wrong > out 2> err
    same "$wrong: status" $? 2
    same "lines of complaint about $wrong" "$(wc -l < err | tr -d ' ')" 1
done
for wrong in 'figure 99' 'figure 1 --nodes 16,32' 'figure 1 --nodes 48' 'figure 8 --nodes 16' 'figure 9 --nodes 32,16' \
    'figure 9 --runs 1001' 'figure 9 --runs 5' 'figure 12 --least 4' 'figure all --nodes 16' 'figure all --runs 3' 'rounds --loss 2' 'rounds --topology ring' 'rounds --nodes 0' 'figure' 'bogus'; do
    "$SUMMAND-study" $wrong > out 2> err
    same "$wrong: status" $? 2
    same "lines of complaint about $wrong" "$(wc -l < err | tr -d ' ')" 1
done
finish
