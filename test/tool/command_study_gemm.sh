#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# summand-study gemm: numbers of the dissertation, its cluster, simulated points, pictures, and what it refuses.
. "$(dirname "$0")/common.sh"
source_dir=$(cd "$(dirname "$0")/../.." && pwd)

gemm() { # gemm ARGUMENT...: into out
    "$SUMMAND-study" gemm "$@" >out 2>err || fail "gemm $*: $(cat err)"
}
value() { # value LINE KIND X: y of a point of out; names have spaces
    awk -v name="$1" -v kind="$2" -v x="$3" 'index($0, name " ") == 1 {
        $0 = substr($0, length(name) + 1)
        if ($1 == kind && $2 == x) { print $3; exit } }' out
}

# Figure 5.5. The 6 x 6 blocks of tables 5.2 and 5.3 are not drawn: P = 2, nu_l = 1, 2, 4 and (5.6), (5.7).
gemm --figure 5.5 --grids 2,4
same '(5.6), P = 2, nu_l = 4' "$(value 'gemm-pairs-rows, nu_l = 4' formula 8)" 57
same 'played, P = 2, nu_l = 4' "$(value 'gemm-pairs-rows, nu_l = 4' played 8)" 57
same '(5.7), P = 2, nu_l = 4' "$(value 'gemm-pairs, nu_l = 4' formula 8)" 32
same 'played along diagonals' "$(value 'gemm-pairs, nu_l = 4' played 8)" 32
same '(5.6), P = 4, nu_l = 2' "$(value 'gemm-pairs-rows, P = 4' formula 2)" 57
same 'played, P = 4, nu_l = 2' "$(value 'gemm-pairs-rows, P = 4' played 2)" 43
gemm --figure 5.5 --grids 2 --products 1
grep -q ' played  *[0-9]' out && fail '--products 1 plays loops'

# Figure 5.6: (5.12) holds from b = 382 on (381.1 there, with more digits of T_FLOP).
gemm --figure 5.6 -o figure.svg
same 'figure 5.6' "$(value 'transfer, (5.10), (5.11)' crossing 381.36)" 0.0034675
grep -q 'Figure 5.6' figure.svg || fail 'title of figure 5.6'
"$SUMMAND-study" gemm --figure 5.6 --json >out.json || fail '--json'
same 'block of figure 5.6' "$("$CHECK_JSON" out.json lines.2.points.0.block)" 382

# Tables 5.4 to 5.8: the dissertation's steps, and the time of (5.19).
steps() { # steps TABLE: of a, then of b
    gemm --table "$1"
    for process in a b; do awk -v p=$process '$1 == p && $2 ~ /\(/ { printf "%s ", $2 }' out; done
}
same 'table 5.4' "$(steps 5.4)" 'wait(1) calc(0) write_notify(0,1) '
same 'table 5.5' "$(steps 5.5)" 'write_notify(1,1) wait(1) calc(0) write_notify(0,1) wait(1) calc(1) '
same 'table 5.6, the last calc(1) there is of piece 2' "$(steps 5.6)" \
    'write_notify(2,1) wait(1) calc(0) wait(2) calc(1) write_notify(0,1) write_notify(1,2) wait(1) calc(2) '
same 'table 5.7, r = 2' "$(steps 5.7)" 'write_notify(2,1) write_notify(3,2) wait(1) calc(0) wait(2) calc(1) '\
'write_notify(0,1) write_notify(1,2) wait(1) calc(2) wait(2) calc(3) '
same 'table 5.8, r = 2' "$(steps 5.8)" 'write_notify(3,1) write_notify(4,2) wait(1) calc(0) wait(2) calc(1) wait(3) calc(2) '\
'write_notify(0,1) write_notify(1,2) wait(1) calc(3) write_notify(2,3) wait(2) calc(4) '
for number in 5.4 5.5 5.6 5.7 5.8; do
    gemm --table $number
    same "table $number: b" "$(awk '$1 ~ /^(191|382|764)$/ { print $1 }' out | tr '\n' ' ')" '191 382 764 '
    awk '$1 ~ /^(191|382|764)$/ && $4 != $5 { bad = 1 } END { exit bad }' out || fail "table $number: not (5.19): $(cat out)"
done

# Table 5.12; the dissertation's last column is above what (5.21) allows in segments of 4 GB.
gemm --table 5.12
same 'table 5.12' "$(awk '$2 == "x" { print $4 "/" $5 }' out | tr '\n' ' ')" \
    '32768/32768 65536/65536 131072/131072 131072/262144 '

# The model is that of bench/platforms.
"$SUMMAND-study" gemm --table 5.13 --grids 2 --sizes 64 --json >out.json || fail '--table 5.13 --json'
"$SUMMAND" predict --model "$source_dir/bench/platforms/qdr-64x8.model" --print-model --json >model.json
"$CHECK_JSON" model.json model >expected
"$CHECK_JSON" out.json model >model
cmp expected model || fail 'another cluster than bench/platforms/qdr-64x8.model'
same 'block of table 5.13' "$("$CHECK_JSON" out.json cells.0.measured_block)" 32
gemm --table 5.13 --grids 2 --sizes 64,1k
same 'measured blocks' "$(awk '$2 == "x" { print $7 }' out | tr '\n' ' ')" '32 512 '
gemm --table 5.14 --grids 2 --sizes 64,1k
same 'blocks of a rank' "$(awk '$2 == "x" { print $7 }' out | tr '\n' ' ')" '1 1 '

# Figures 5.7 to 5.10: ratios of known times, which a simulation has left.
{
    echo algorithm,ranks,n,block,seconds,efficiency,elements_put,between_nodes,result
    echo gemm-pairs,8,128,0,0.004,0.5,1,1,right
    echo gemm-pairs,32,128,0,0.002,0.5,1,1,right
    echo gemm-pairs,32,256,0,0.016,0.5,1,1,right
    echo gemm-pairs,32,256,0,0.001,0.5,,,predicted
    echo gemm-pairs,32,512,0,0.016,0.5,1,1,right
} >all.csv
few='--grids 2,4 --sizes 128,256 --algorithm gemm-pairs'
gemm --figure 5.7 $few all.csv
same 'figure 5.7' "$(value '2 x 4 x 4 ranks' simulated 256)" 0.016
same 'a prediction of a file' "$(value '2 x 4 x 4 ranks' predicted 256)" 0.001
gemm --figure 5.7 $few --csv
mv out times.csv
same 'CSV' "$(wc -l <times.csv)" 5
gemm --figure 5.7 $few
mv out direct
gemm --figure 5.7 $few times.csv
cmp direct out || fail 'times of --csv make another figure'
gemm --figure 5.8 $few all.csv
same 'figure 5.8' "$(value 'n = 128' simulated 32)" 2
same 'ideal' "$(value ideal formula 32)" 4
gemm --figure 5.9 $few all.csv
same 'figure 5.9' "$(value 'n = 128' simulated 32)" 0.5
gemm --figure 5.10 $few all.csv -o weak.svg
same 'figure 5.10' "$(value 'n / P = 64' simulated 32)" 0.5
grep -q 'stroke-width="1.4"' weak.svg || fail 'no ring'
# Her own algorithm, with barriers and all-reduces: on few elements the smallest grid is the fastest, as in figure 5.7.
gemm --figure 5.7 --grids 2,8 --sizes 64 --algorithm gemm-barriers
awk '/^2 x/ { y[++n] = $9 } END { exit !(n == 2 && y[1] > 0 && y[2] > 2 * y[1]) }' out || fail "gemm-barriers: $(cat out)"
mv out calls
gemm --figure 5.7 --grids 2,8 --sizes 64 --algorithm gemm-barriers --segment 1k
cmp -s calls out && fail '--segment 1k: all-reduces in as many calls'
# A prediction is that of the two operations an element at 3.13e-11 s, or longer.
gemm --figure 5.7 --grids 1 --sizes 1k --algorithm gemm-panels
least=$(awk 'BEGIN { print 1024 ^ 3 * 3.13e-11 }')
awk -v y="$(value '2 x 1 x 1 ranks' predicted 1024)" -v least="$least" 'BEGIN { exit !(y >= least && y < 1.2 * least) }' ||
    fail "predicted: $(cat out)"

refuse() { # refuse PATTERN ARGUMENT...
    pattern=$1
    shift
    "$SUMMAND-study" gemm "$@" >out 2>err
    same "'$*': status" $? "${status:-2}"
    grep -q -e "$pattern" err || fail "'$*': no '$pattern' in: $(cat err)"
}
refuse 'one of --figure and --table'
refuse 'one of --figure and --table' --figure 5.5 --table 5.13
refuse "'5.4' is not 5.5" --figure 5.4
refuse "'5.11' is not 5.4 to 5.8" --table 5.11
refuse 'not a list of 1 to 8' --figure 5.7 --grids 1..100+1
refuse '1000 is not a multiple of 16' --figure 5.7 --sizes 1000
refuse "'gemm-boxes' is not gemm-panels" --figure 5.7 --algorithm gemm-boxes
refuse 'goes with --algorithm gemm-barriers' --figure 5.7 --segment 255
refuse 'goes with --algorithm gemm-barriers' --figure 5.7 --segment 255 --algorithm gemm-pairs
refuse 'gemm-panels has no blocks' --table 5.13 --algorithm gemm-panels
refuse 'goes with --figure 5.7' --figure 5.5 --csv
refuse 'goes with --figure' --table 5.13 -o table.svg
refuse 'go with --figure' --figure 5.6 all.csv
status=1 refuse 'nothing-there.csv' --figure 5.7 nothing-there.csv
echo 1,2,3 >other.csv
status=1 refuse 'not a file of bench/scale_gemm.sh' --figure 5.7 other.csv
head=$(head -n 1 all.csv)
rows() { printf '%s\n%s\n' "$head" "$1" >row.csv; }
for seconds in 0 -1 nan inf; do
    rows "gemm-panels,8,1024,0,$seconds,0,,,right"
    status=1 refuse 'row.csv: line 2: its seconds are not above 0' --figure 5.7 row.csv -o z.svg
done
rows 'gemm-panels,8,1024,0,5,0,,,wrong'
status=1 refuse 'line 2: the result of this product was wrong' --figure 5.7 row.csv
rows 'gemm-panels,eight'
status=1 refuse 'line 2: not a row' --figure 5.7 row.csv
{ echo "$head" && printf 'gemm-panels,8,\0' && echo && echo 'gemm-panels,8,1024,0,5,0,,,right'; } >row.csv
status=1 refuse 'row.csv: line 2: ' --figure 5.7 row.csv
refuse '5.5 takes no --sizes' --figure 5.5 --sizes 64
refuse '5.6 takes no --grids' --figure 5.6 --grids 2
refuse '5.12 takes no --model' --table 5.12 --model node
refuse '5.7 takes no --grids' --table 5.7 --grids 2
gemm --figure 5.5 --grids 3 --products 100
gemm --figure 5.6 -o -
same 'a picture alone' "$(head -n 1 out | cut -c 1-4),$(grep -c '^5\.6\|^ *b ' out)" '<svg,0'
finish
