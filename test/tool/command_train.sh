#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# summand train: learns; has the same bits on any number of ranks, and after a stop; refuses what is wrong.
# SUMMAND_TEST_DATA=FOLDER: that folder's samples too (MNIST: 97 % after 5 epochs).
# shellcheck disable=SC2086 # words are split
tests=$(CDPATH="" cd -- "$(dirname -- "$0")" && pwd)
. "$(dirname "$0")/common.sh"

at() { # at FILE PATH
    "$CHECK_JSON" "$1" "$2" || fail "$1: $2"
}

small='--samples 1500 --layers 784,40,10 --batch 32 --epochs 3 --seed 7'
run 1 train $small --model one.model --csv one.csv --plot one.svg --json || fail "one: $(cat err)"
[ ! -s err ] || fail "one: $(cat err)"
mv out one.json
same 'end' "$(at one.json end)" epochs
same 'epochs' "$(at one.json epochs.#)" 3
accuracy=$(at one.json test.accuracy)
awk -v a="$accuracy" 'BEGIN { exit !(a > 0.7 && a < 1) }' || fail "accuracy $accuracy"
same 'lines of CSV' "$(wc -l < one.csv)" 4
head -n 1 one.csv | grep -q ',seconds,train_loss,train_accuracy,' || fail "CSV: $(head -n 1 one.csv)"
grep -q 'seconds of training' one.svg || fail 'no picture'
for p in 2 3; do
    run $p train $small --mode data --model $p.model --json || fail "$p ranks: $(cat err)"
    mv out $p.json
    cmp -s one.model $p.model || fail "$p ranks: other weights"
    for path in ranks epochs.2.train.loss epochs.2.test.accuracy; do
        same "$p ranks: $path" "$(at $p.json $path)" "$([ $path = ranks ] && echo $p || at one.json $path)"
    done
done
run 2 train $small --mode sync --model sync.model || fail "sync: $(cat err)"
cmp -s one.model sync.model || fail 'sync: other weights than on one process'
modes='sync stashed'
"$SUMMAND" train --samples 50 --epochs 1 --arithmetic blas > out 2>&1 || {
    grep -q 'there is no BLAS here' out || fail "blas: $(cat out)"
    modes=
}
for mode in $modes; do
    run 2 train $small --mode $mode --arithmetic blas --json || fail "$mode, blas: $(cat err)"
    awk -v a="$(at out test.accuracy)" 'BEGIN { exit !(a > 0.7) }' || fail "$mode, blas: accuracy $(at out test.accuracy)"
done
run 3 train $small --mode sync --groups '1x1,1x2' --model groups.model || fail "groups: $(cat err)"
cmp -s one.model groups.model || fail 'groups: other weights than on one process'
run 2 train $small --mode stashed --timeline line.svg || fail "time line: $(cat err)"
same 'time line: ranks' "$(grep -c '^rank [01]: computed .* idle ' out)" 2
grep -q 'The first 8 of 47 batches of an epoch' line.svg || fail 'no time line'
# Stage 0 has room for the samples of a stretch, which are bytes, stage 1 none.
stage=$(sed -n 's/^# stages keep more, in MB on each rank: \([0-9.]*\), \([0-9.]*\)$/\1 > \2 + 1 \&\& \2 > 0/p' out)
awk "BEGIN { exit !(${stage:-0}) }" || fail "memory of stages: $(cat out)"
for how in 'sync' '2bw' 'stashed --update last' 'stashed --groups 1x1,1x1' 'poad' 'poad --update last' 'poad --groups 1x1' 'sync --groups 1x2'; do
    rm -f line.svg
    run 2 train $small --mode $how --timeline line.svg || fail "$how: time line: $(cat err)"
    same "$how: time line: ranks" "$(grep -c '^rank [01]: computed [0-9.]* %, sent [0-9.]* %, idle ' out)" 2
    grep -q 'batches of an epoch, recorded' line.svg || fail "$how: no time line"
    case $how in
    *--update*) mode=$how ;;
    *) mode=${how%% *} ;;
    esac
    grep -q "A pipeline on 2 ranks, mode $mode<" line.svg || fail "$how: another mode in the time line"
done
for mode in stashed 2bw 'stashed --twins apart' 'stashed --update last'; do
    run 2 train $small --mode $mode --rate 0.6 --model behind.model --json || fail "$mode: $(cat err)"
    grep -q 'a rate above 0.5 may not converge' err || fail "$mode: no warning: $(cat err)"
    awk -v a="$(at out test.accuracy)" 'BEGIN { exit !(a > 0.7) }' || fail "$mode: accuracy $(at out test.accuracy)"
    cmp -s one.model behind.model && fail "$mode: the weights of one process"
done
same 'the mode that reports name' "$(at out mode)" 'stashed --update last'
# The warm-up rate acts on weights that are behind.
for how in '1 single' '2 stashed'; do
    for schedule in warm linear; do
        run ${how% *} train $small --mode ${how#* } --schedule $schedule --model $schedule.model || fail "$schedule: $(cat err)"
    done
    cmp -s warm.model linear.model && alike=yes || alike=no
    same "$how: warm and linear alike" $alike "$([ "$how" = '1 single' ] && echo yes || echo no)"
done
run 2 train $small --mode poad --staleness 0 --model poad.model || fail "poad: $(cat err)"
cmp -s one.model poad.model || fail 'poad, no batch behind: other weights than on one process'
run 4 train $small --mode poad --update last --staleness 0 --model poad.model || fail "poad --update last: $(cat err)"
cmp -s one.model poad.model || fail 'poad --update last, no batch behind: other weights than on one process'
run 2 train $small --mode poad --staleness 0 --groups 1x1 --model poad.model || fail "poad on groups: $(cat err)"
cmp -s one.model poad.model || fail 'poad on groups, no batch behind: other weights than on one process'
run 2 train $small --mode poad --staleness 3 --rescale --json || fail "poad: $(cat err)"
grep -q 'the rate is lowered to 0.05' err || fail "poad: not rescaled: $(cat err)"
awk -v a="$(at out behind.most)" 'BEGIN { exit !(a <= 3) }' || fail "poad: $(at out behind.most) behind"
awk -v r="$(at out rate)" 'BEGIN { exit !(r > 0.0499 && r < 0.0501) }' || fail "poad: rate $(at out rate)"
run 1 train --samples 1500 --seed 7 --layers 784,40,10 --evaluate one.model --json || fail "evaluate: $(cat err)"
same 'evaluated' "$(at out test.accuracy)" "$accuracy"

# What a model says of samples without classes, against Python's reading of the file (network.py). The same samples as
# bytes of images, as CSV and as arrays of bytes and of integers.
python3 - <<'EOF' || fail 'samples'
import random, struct
random.seed(3)
rows = [[random.randrange(4) for _ in range(784)] for _ in range(7)]
def npy(path, kind, values):
    head = "{'descr': '%s', 'fortran_order': False, 'shape': (7, 784), }" % kind
    open(path, 'wb').write(b'\x93NUMPY\1\0' + struct.pack('<H', 118) + head.ljust(117).encode() + b'\n' + values)
flat = [v for row in rows for v in row]
npy('u1.npy', '|u1', bytes(flat))
npy('i2.npy', '<i2', struct.pack('<%dh' % len(flat), *flat))
open('digits', 'wb').write(struct.pack('>IIII', 0x803, 7, 28, 28) + bytes(flat))
open('bad.csv', 'w').write('1,x' + ',0' * 782)
open('u1.csv', 'w').writelines(','.join(map(str, row)) + '\n' for row in rows)
EOF
for data in u1.npy i2.npy u1.csv digits; do
    run 1 train --predict one.model --data $data -o $data.said || fail "predict $data: $(cat err)"
    same "predict $data" "$(cat out)" "$data.said: 7 samples, a row for each: the class, and 10 probabilities"
done
cmp -s u1.npy.said i2.npy.said && cmp -s u1.npy.said u1.csv.said || fail 'predict: bytes, integers and text differ'
python3 "$tests/network.py" one.model u1.npy u1.npy.said > out 2>&1 || fail "predict: $(cat out)"
python3 "$tests/network.py" one.model u1.npy digits.said 255 > out 2>&1 || fail "predict: $(cat out)"
gzip -k digits
run 1 train --predict one.model --data digits.gz -o gz.said --json || fail "predict packed: $(cat err)"
same 'predict packed: samples' "$(at out samples)" 7
cmp -s digits.said gz.said || fail 'predict: packed images differ'
run 1 train --samples 300 --layers 784,20,10 --loss squared --output tanh --epochs 1 --model tanh.model || fail "tanh: $(cat err)"
run 1 train --predict tanh.model --data digits -o tanh.said || fail "predict tanh: $(cat err)"
same 'predict tanh' "$(cat out)" 'tanh.said: 7 samples, a row for each: the class, and 10 outputs'
python3 "$tests/network.py" tanh.model u1.npy tanh.said 255 > out 2>&1 || fail "predict tanh: $(cat out)"

# Targets rather than classes: y = A x + b, which one linear layer learns; the same bits in all modes.
mkdir targets
python3 - <<'EOF' || fail 'targets'
import random, struct
random.seed(5)
def npy(path, rows):
    head = "{'descr': '<f4', 'fortran_order': False, 'shape': (%d, %d), }" % (len(rows), len(rows[0]))
    flat = [v for row in rows for v in row]
    open('targets/' + path, 'wb').write(b'\x93NUMPY\1\0' + struct.pack('<H', 118) + head.ljust(117).encode() + b'\n' +
                                        struct.pack('<%df' % len(flat), *flat))
for part, count in ('train', 400), ('test', 50):
    x = [[random.uniform(-1, 1) for _ in range(4)] for _ in range(count)]
    npy(part + '-x.npy', x)
    npy(part + '-y.npy', [[2 * a - b + 0.5, c + 3 * d - 1, -a] for a, b, c, d in x])
EOF
targets='--data targets --loss squared --output linear --batch 8 --epochs 20 --rate 0.1'
run 1 train $targets --layers 4,3 --json --model linear.model || fail "targets: $(cat err)"
awk -v a="$(at out test.loss)" 'BEGIN { exit !(a < 1e-9) }' || fail "targets: loss $(at out test.loss)"
awk -v a="$(at out guessing)" 'BEGIN { exit !(a > 2.3 && a < 3) }' || fail "targets: guessing $(at out guessing)" # 16/6
same 'targets: accuracy' "$(at out test.accuracy)" null
run 1 train --predict linear.model --data targets/test-x.npy -o said.npy || fail "targets: $(cat err)"
python3 "$tests/network.py" linear.model targets/test-x.npy said.npy > out 2>&1 || fail "targets: $(cat out)"
run 1 train $targets --layers 4,9,3 --model targets.model || fail "targets: $(cat err)"
for how in '--mode data' '--mode sync' '--mode sync --groups 1x2' '--mode poad --staleness 0'; do
    run 2 train $targets --layers 4,9,3 $how --model other.model || fail "targets, $how: $(cat err)"
    cmp -s targets.model other.model || fail "targets, $how: other weights than on one process"
done

# With few samples the validation loss soon rises: the weights of the best epoch are kept, and their score is told.
run 1 train --samples 300 --validation 0.3 --patience 2 --epochs 200 --rate 0.4 --json || fail "patience: $(cat err)"
same 'patience: end' "$(at out end)" early
[ "$(at out epochs.#)" -lt 200 ] || fail "patience: $(at out epochs.#) epochs"
# Enough right answers: the first epoch with 60 % is the last.
run 1 train --samples 1000 --validation 0.3 --stop-at 60 --epochs 200 --json || fail "stop-at: $(cat err)"
same 'stop-at: end' "$(at out end)" enough
e=$(at out epochs.#)
awk -v a="$(at out epochs.$((e - 1)).validation.accuracy)" -v b="$(at out epochs.$((e - 2)).validation.accuracy)" \
    'BEGIN { exit !(b < 0.6 && a >= 0.6) }' || fail "stop-at: $e epochs"

# The same samples as lines, as arrays and as bytes of images: features 1 and 2, the class is which comes first.
mkdir lines arrays images
head_of() { # head_of SHAPE: of an array of floats
    printf "\\223NUMPY\\001\\000\\166\\000%-117s\\n" "{'descr': '<f4', 'fortran_order': False, 'shape': ($1), }"
}
zero='\000\000\000\000' one='\000\000\200\077' two='\000\000\000\100'
for part in train test; do
    head_of '6, 2' > arrays/$part-x.npy
    head_of '6,' > arrays/$part-y.npy
    for i in 1 2 3; do
        printf '0,1,2\n1,2,1\n' >> lines/$part.csv
        # shellcheck disable=SC2059
        printf "$one$two$two$one" >> arrays/$part-x.npy
        # shellcheck disable=SC2059
        printf "$zero$one" >> arrays/$part-y.npy
    done
done
for part in train t10k; do
    printf '\000\000\010\003\000\000\000\006\000\000\000\001\000\000\000\002\177\377\377\177\177\377\377\177\177\377\377\177' \
        > images/$part-images-idx3-ubyte
    printf '\000\000\010\001\000\000\000\006\000\001\000\001\000\001' > images/$part-labels-idx1-ubyte
done
for folder in lines arrays images; do
    run 1 train --data $folder --layers 2,4,2 --batch 4 --epochs 40 --rate 0.5 --model $folder.model || fail "$folder: $(cat err)"
    grep -q '100.00 % of 6 samples right' out || fail "$folder: $(tail -n 1 out)"
done
cmp -s lines.model arrays.model || fail 'the same samples as lines and as arrays: other weights'
printf x >> images/t10k-labels-idx1-ubyte
run 1 train --data images --layers 2,4,2 && fail 'a file that is too long'
grep -q 'images/t10k-labels-idx1-ubyte: ' err || fail "too long: $(cat err)"

"$SUMMAND" predict train --ranks 6 --gflops 100 --json > out 2> err || fail "predict: $(cat err)"
same 'predict: groupings' "$(at out groupings.#)" 3
# The suggested one has the least time of all.
i=0 least=
while [ $i -lt 3 ]; do
    least="$least$(at out groupings.$i.epoch) $(at out groupings.$i.groups)
"
    i=$((i + 1))
done
same 'predict: suggested' "$(at out suggested)" "$(printf '%s' "$least" | sort -g | sed -n '1s/.* //p')"
same 'predict: the mode' "$(at out suggested_mode)" stashed
"$SUMMAND" predict train --ranks 2 --layers 784,128,10 --gflops 100 --json > out 2> err || fail "predict: $(cat err)"
same 'predict: one large layer' "$(at out suggested_mode)" data
"$SUMMAND" predict train --ranks 2 --layers 784,128,10 --gflops 100 > out 2> err || fail "predict: $(cat err)"
grep -q '^suggested: --mode data' out || fail "predict: $(cat out)"
"$SUMMAND" predict train --ranks 4 --mode 2bw --gflops 100 --json > out 2> err || fail "predict: $(cat err)"
awk -v e="$(at out groupings.1.efficiency)" 'BEGIN { exit !(e > 0 && e <= 1) }' || fail "predict: 2bw: $(cat out)"
"$SUMMAND" predict train --groups '2x(1x2)' --gflops 100 > out 2> err || fail "predict: $(cat err)"
grep -q '^2x(1x2) ' out || fail "predict: $(cat out)"
"$SUMMAND" predict train --groups '2x(1x2)' --mode poad --gflops 100 > out 2> err || fail "predict: $(cat err)"
grep -q '^2x(1x2) .* twin ' out || fail "predict: poad: $(cat out)"
"$SUMMAND" predict train --ranks 9 --twins apart --gflops 100 --json > out 2> err || fail "predict: $(cat err)"
same 'predict: twins: groupings' "$(at out groupings.#)" 3
"$SUMMAND" predict train --mode sync --twins apart > out 2> err && fail 'predict: twins that sync has not'
grep -q 'apart goes with --mode stashed or poad only' err || fail "predict: $(cat err)"
# Where stage 0 makes all gradients it is the slowest one, and a second stage gains less.
"$SUMMAND" predict train --ranks 2 --gflops 100 --json > own.json 2> err || fail "predict: $(cat err)"
"$SUMMAND" predict train --ranks 2 --update last --gflops 100 --json > out 2> err || fail "predict: last: $(cat err)"
same 'predict: last: groups' "$(at out groupings.1.groups)" '2x(1x1)'
same 'predict: last: slowest' "$(at out groupings.1.slowest)" 0
awk -v a="$(at own.json groupings.1.epoch)" -v b="$(at out groupings.1.epoch)" 'BEGIN { exit !(a < b) }' || fail 'predict: last costs nothing'
"$SUMMAND" predict train --ranks 2 --update last --gflops 100 > out || fail 'predict: last'
grep -q '^suggested: [12] ranks\{0,1\}, ' out || fail "predict: last: $(cat out)"
for wrong in '--groups 1x1' '--mode 2bw' '--twins apart' '--mode poad --groups 1x1'; do
    "$SUMMAND" predict train --update last $wrong > out 2> err && fail "predict: last with $wrong"
    grep -q 'last: goes with --mode stashed or poad, and one rank' err || fail "predict: last: $(cat err)"
done
# The same of twins: that of stage 0 makes all gradients, and puts versions twice.
"$SUMMAND" predict train --ranks 4 --mode poad --gflops 100 --json > own.json 2> err || fail "predict: $(cat err)"
"$SUMMAND" predict train --ranks 4 --mode poad --update last --gflops 100 --json > out 2> err || fail "predict: poad last: $(cat err)"
same 'predict: poad last: slowest' "$(at out groupings.1.slowest) $(at out groupings.1.slowest_twin)" '0 true'
same 'predict: poad last: the mode' "$(at out suggested_mode)" poad
awk -v a="$(at own.json groupings.1.epoch)" -v b="$(at out groupings.1.epoch)" 'BEGIN { exit !(a < b) }' || fail 'predict: poad last costs nothing'
"$SUMMAND" predict train --groups 1x > out 2> err && fail 'predict: groups that are none'
grep -q 'is no list such as 2x(1x2),2x2' err || fail "predict: $(cat err)"

# A signal between two batches: a checkpoint, from which the end is that of a training without one.
long='--samples 3000 --layers 784,100,10 --batch 8 --epochs 30'
"$SUMMAND" train $long --model whole.model > /dev/null || fail 'whole'
# A run that ends before the signal, because a busy machine delays this shell, is tried again.
for try in 1 2 3 4 5; do
    rm -f c.model
    "$SUMMAND" train $long --checkpoint c.model > out 2> err &
    process=$!
    until [ -s c.model ] || ! kill -0 $process 2> /dev/null; do
        sleep 0.01
    done
    kill -TERM $process 2> /dev/null
    guard $process
    wait $process
    status=$?
    kill "$guard" 2> /dev/null
    [ $status = 0 ] || break
done
same 'after the signal: status' $status 130
grep -q 'interrupted: these are the results so far' err || fail "after the signal: $(cat err)"
run 1 train --samples 100 --layers 784,10 --epochs 1 --checkpoint new.model --resume ||
    fail "resume without a checkpoint: $(cat err)"
grep -q -e '--resume: there is no new.model yet: the training starts afresh' err || fail "resume: $(cat err)"
[ -s new.model ] || fail 'no checkpoint of a first run'
run 1 train $long --checkpoint c.model --resume --model rest.model || fail "resume: $(cat err)"
grep -q 'goes on after epoch' out || fail "resume: $(cat out)"
cmp -s whole.model rest.model || fail 'resumed: other weights'

# refused STATUS WORDS ARGUMENT...: one line on stderr
refused() {
    status=$1 words=$2
    shift 2
    "$SUMMAND" train "$@" > out 2> err
    same "'$*': status" $? "$status"
    same "'$*': lines" "$(wc -l < err)" 1
    grep -qF -e "$words" err || fail "'$*': '$(cat err)' lacks '$words'"
}
refused 2 'not a list of at least two widths' --layers 784
refused 2 '--batch: 0 is not between 1' --batch 0
refused 2 '--momentum: 1 is not between' --momentum 1
refused 2 '--validation: 1 is not between' --validation 1
refused 1 '--patience: needs samples for validation; 0 of 100 are none' --samples 100 --patience 2
refused 1 '--stop-at: needs samples for validation; 0.0001 of 100 are none' --samples 100 --validation 0.0001 --stop-at 90
refused 2 '--resume: needs --checkpoint' --resume
refused 2 '--output: goes with --loss squared only' --output tanh
refused 2 '--staleness: goes with --mode poad only' --staleness 2
refused 2 '--timeline: goes with --mode sync, stashed, 2bw or poad only' --timeline x.svg
refused 2 '--groups: goes with --mode sync, stashed, 2bw or poad only' --groups 1x1
refused 1 'is no list such as 2x(1x2),2x2' --samples 100 --mode sync --groups 1y1
refused 1 'groups 2x2 need 4 ranks, and there are 1' --samples 100 --mode sync --groups 2x2
refused 1 'mode poad takes two ranks a stage' --samples 100 --mode poad
refused 1 'mode stashed takes two ranks a stage' --samples 100 --mode stashed --twins apart
refused 2 '--twins: goes with --mode poad or stashed only' --twins apart
refused 2 '--update: goes with --mode poad or stashed only' --update last
refused 2 '--update last: goes with a rank a stage only' --mode stashed --groups 1x1 --update last
refused 2 '--update last: in mode poad goes with twins apart' --mode poad --twins together --update last
refused 2 'no operand expected' mnist
refused 1 'train-y.npy has 3 targets a sample, not classes: they need --loss squared' --data targets --layers 4,3
refused 1 'the last layer has 5 outputs, a sample 3 targets' --data targets --layers 4,5 --loss squared
refused 1 'stop-at needs classes' --data targets --layers 4,3 --loss squared --validation 0.5 --stop-at 90
refused 2 '--epochs: goes with a training only' --predict one.model --data u1.npy -o x.npy --epochs 2
refused 2 '--predict: needs --predictions FILE' --predict one.model --data u1.npy
refused 2 '--predict: needs --data FILE' --predict one.model -o x.npy
refused 2 '--predict: does not go with --evaluate' --predict one.model --evaluate one.model --data u1.npy -o x.npy
refused 1 'u1.npy: not a file of a model' --predict u1.npy --data u1.npy -o x.npy
refused 1 'none.npy: No such file' --predict one.model --data none.npy -o x.npy
refused 1 'a sample has 11 features, the model 784 inputs' --predict one.model --data u1.npy.said -o x.npy
refused 1 'line 1: not 784 finite numbers' --predict one.model --data bad.csv -o x.npy
[ ! -e x.npy ] || fail 'predict: refused, and a file is written'
refused 1 '100 inputs, a sample 784 features' --samples 10 --layers 100,10
refused 1 '5 outputs for 10 classes' --samples 100 --layers 784,5
refused 1 'nowhere: no such folder' --data nowhere
refused 1 'one.csv: not a file of a model' --samples 10 --evaluate one.csv
refused 1 'c.model: from another network' --samples 10 --checkpoint c.model --resume
# An unwritable output is reported before the training, not after it.
for option in --model --checkpoint --csv --plot; do
    refused 1 'nowhere/x: No such file' --samples 100 $option nowhere/x
    grep -q '^epoch' out && fail "$option: trains before it says so"
done
# A rate that is too high leaves a finite loss above that of guessing, about ln 10: said once, and at the end.
run 1 train --samples 500 --layers 784,30,10 --epochs 3 --rate 30 --seed 2 || fail "collapsed: $(cat err)"
same 'collapsed: warnings' "$(grep -c 'warning: epoch 2: its loss, .*, is above 2.29[0-9], that of guessing' err)" 1
same 'collapsed: end' "$(grep -c 'the training ends with a loss above that of guessing, 2.29' err)" 1
"$SUMMAND" train --samples 500 --loss squared --output linear --rate 1e6 > out 2> err
same 'diverged: status' $? 1
same 'diverged: warnings' "$(grep -c 'warning: a rate above 1 may not converge' err)" 1
same 'diverged: lines' "$(grep -c '^summand train: the loss is not finite any more at batch' err)" 1
run 3 train --samples 100 --mode stashed && fail 'three stages of two layers'
grep -q '2 layers are too few for 3 stages' err || fail "three stages: $(cat err)"
run 2 train --mode single
same 'single on two ranks: lines' "$(grep -c '^summand train' err)" 1
run 3 train --samples 500 --loss squared --output linear --rate 1e6 --model bad.model && fail 'diverged, and status 0'
same 'diverged on three ranks: lines' "$(grep -c '^summand train: the loss is not finite' err)" 1
[ ! -e bad.model ] || fail 'diverged, and a model is written'

if [ -n "${SUMMAND_TEST_DATA:-}" ]; then
    run 2 train --data "$SUMMAND_TEST_DATA" --json || fail "$SUMMAND_TEST_DATA: $(cat err)"
    awk -v a="$(at out test.accuracy)" 'BEGIN { exit !(a > 0.85) }' || fail "accuracy on $SUMMAND_TEST_DATA"
fi
finish
