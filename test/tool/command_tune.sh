#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# summand tune: what it writes is read back, used, merged and refused as it should be; the model that
# it measures is a model for predict.
. "$(dirname "$0")/common.sh"

tune() { # tune RANKS ARGUMENT...: within seconds
    run "$@" || fail "tune $*: exit status $?: $(cat err)"
}

tune 2 tune --budget 1.5 --with-model --collectives allreduce,bcast --least 64 --most 4k -o t.txt
grep -q '^t.txt: [0-9]* lines after [0-9]* comparisons$' out || fail "said: $(cat out)"
grep -q '^tune: the budget ended with about [0-9]* comparisons to go; --budget [1-9][0-9]* makes them$' err || [ ! -s err ] || fail "speaks where there is no terminal: $(cat err)"
for name in allreduce bcast; do
    grep -q "^$name 2 0-" t.txt || fail "$name: no line from 0"
    awk -v name=$name '$1 == name && $0 !~ /promise/ { split($3, range, "-")
        if (range[1] != last) exit 1; last = range[2] } BEGIN { last = "0" }' t.txt || fail "$name: ranges with gaps: $(grep "^$name" t.txt)"
done
grep -q '^machine .* per node, .*, \(no \)*memory shared$' t.txt || fail 'no machine'
same 'parameters of the model' "$(grep -c '^model ' t.txt)" "$("$SUMMAND" predict --print-model | grep -c =)"
same 'other collectives' "$(grep -c '^reduce' t.txt)" 0
[ -z "$(find . -name '.summand-*')" ] || fail 'a file left behind'

# The file is used: no warning; of its own machine only.
SUMMAND_TUNING=t.txt
export SUMMAND_TUNING
run 2 bench allreduce --sizes 64 --algorithms auto --start barrier --budget 0.1 || fail "bench: $(cat err)"
same 'warnings' "$(grep -c SUMMAND_TUNING err)" 0
sed 's/^machine /machine old /' t.txt > old.txt
for file in old.txt missing.txt .; do
    SUMMAND_TUNING=$file
    run 2 bench allreduce --sizes 64 --algorithms auto --start barrier --budget 0.1 || fail "bench: $(cat err)"
    same "$file: warnings" "$(grep -c "^summand: SUMMAND_TUNING: $file: " err)" 1
done
unset SUMMAND_TUNING

# A second run adds: lines by hand and of other sizes or calls stay, what is measured anew goes.
cp t.txt merged.txt
{ echo 'reduce 64/16 0-1k chain # by hand'; echo 'bcast 2 1g-2g chain'; } >> merged.txt
tune 2 tune --budget 0.2 --collectives allreduce --least 8 --most 64 -o merged.txt
grep -q '^reduce 64/16 0-1k chain$' merged.txt || fail 'a line by hand is lost'
same 'lines by hand for 2 ranks' "$(grep -c '^bcast 2 1g-2g chain$' merged.txt)" 1
same 'lines of allreduce from 0' "$(grep '^allreduce 2 0-' merged.txt | grep -cv promise)" 1

refused() { # refused WORDS ARGUMENT...: one sentence, and no file is touched
    words=$1
    shift
    run 2 tune "$@" && fail "tune $*: exit status 0"
    same "tune $*: sentences" "$(grep -c '^summand' err)" 1
    grep -qF -e "$words" err || fail "tune $*: '$(cat err)' lacks '$words'"
}
cp old.txt kept.txt
refused 'old.txt: comes from another machine' --budget 0.1 -o old.txt
cmp -s old.txt kept.txt || fail 'old.txt was changed'
echo 'allreduce two 0- chain' > bad.txt
refused "bad.txt: line 1: 'two' is not a number of ranks" --budget 0.1 -o bad.txt
refused 'nowhere/t.txt' --budget 0.1 --collectives bcast --most 8 -o nowhere/t.txt
refused "'scatter' is none of reduce" --collectives scatter
refused '--budget: 0 is not above 0' --budget 0
refused '--least: 64 is above --most' --least 64 --most 32
refused 'no operand expected' t.txt
run 1 tune && fail 'one rank: exit status 0'
grep -q 'at least two ranks' err || fail "one rank: $(cat err)"

# The model, alone and in the tuning file.
tune 2 tune --measure -o here.model
grep -q '^# one-way time of messages in a node' here.model || fail 'no fit error'
grep -q '^here.model: a model for' out || fail "says nothing at its end: $(cat out)"
"$SUMMAND" predict --model here.model --ranks 8 --count 1000 2>&1 > out | grep -q 'measured on one node' ||
    fail 'no warning that the network is a copy of the memory'
"$SUMMAND" predict --model here.model --ranks 2 --count 1000 2> err > out
[ -s err ] && fail "a warning on one node: $(cat err)"
"$SUMMAND" predict --model here.model --ranks 8 --set network.latency=1e-5 2> err > out
[ -s err ] && fail "a warning of a network: $(cat err)"
run 2 tune --measure --budget 2 && fail '--measure takes a budget that it ignores'
for model in here.model t.txt; do
    "$SUMMAND" predict --model $model --ranks 8 --count 1000 > predicted ||
        fail "$model: not read by predict"
    "$SUMMAND" predict --model $model --print-model > printed
    awk '$1 ~ /^node\.(latency|send|recv|byte)$/ { n++; if (!($3 >= 0 && $3 < 1)) exit 1
        sum += $3 } END { exit !(n == 4 && sum > 0) }' printed || fail "$model: $(cat printed)"
done

# --calibrate measures the machine for programs that take the file as it stands. On a busy machine it says that it cannot,
# and writes nothing: both are right, and nothing between.
XDG_CACHE_HOME=$work/cache
export XDG_CACHE_HOME
measured=no
for attempt in 1 2 3; do
    run 2 tune --calibrate -o c.txt && measured=yes && break
    grep -q '^summand tune: the first two ranks need a processor each' err || fail "calibrate: $(cat err)"
    [ -e c.txt ] && fail 'a calibration that was not measured'
done
if [ $measured = yes ]; then
    same 'calibrate says' "$(cat out)" "c.txt: 'summand info' shows it"
    SUMMAND_CALIBRATION=c.txt "$SUMMAND" info 2> err > info
    [ -s err ] && fail "info with c.txt: $(cat err)"
    same 'quantities' "$(grep -c ' = ' c.txt)" 8
    SUMMAND_CALIBRATION=c.txt "$SUMMAND" info --json > info.json || fail 'info --json'
    same 'from' "$("$CHECK_JSON" info.json calibrations.0.from)" c.txt
    same 'settled' "$("$CHECK_JSON" info.json calibrations.0.settled)" true
    awk '$2 == "=" { print $1, $3, $4 }' c.txt > wanted
    awk 'NR == FNR { want[$1] = $0; next } $1 in want { print $1, $2, $3; delete want[$1] }' wanted info > shown
    cmp -s wanted shown || fail "info shows $(cat shown), not $(cat wanted)"
    awk '$1 == "line" && $2 > 0 { n++ } $1 == "byte" && $2 > 0 { n++ } END { exit n != 2 }' wanted ||
        fail "no times: $(cat wanted)"
fi
[ -e cache ] && fail '-o also writes where programs keep it'
run 2 tune --calibrate -o nowhere/c.txt && fail 'a calibration without a folder'
run 2 tune --calibrate --measure && fail '--calibrate and --measure'
grep -q 'exclude each other' err || fail "--calibrate and --measure: $(cat err)"
run 1 tune --calibrate && fail 'one rank calibrates'
grep -q 'needs at least two ranks' err || fail "one rank: $(cat err)"
unset XDG_CACHE_HOME
finish
