#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# summand bench compare, on files whose repetitions are made up: what is to be found is known.
. "$(dirname "$0")/common.sh"

# file FACTOR FIRST [LAUNCHES [APART]]: times of auto scatter by 4 % about 1 us, those of mpi by as
# much about FACTOR us, in another order for each FIRST; launch by launch APART ns more.
file() {
    awk -v factor="$1" -v first="$2" -v launches="${3:-1}" -v apart="${4:-0}" '
    function samples(middle, l, i, text) {
        for (i = 0; i < 200; i++)
            text = text (i ? "," : "") int(middle * (0.96 + 0.08 * ((i * 37 + first) % 200) / 200) + l * apart)
        return "[" text "]"
    }
    function result(name, middle, l, text) {
        for (l = 0; l < launches; l++)
            text = text (l ? "," : "") samples(middle, l)
        return "{\"bytes\":8,\"algorithm\":\"" name "\",\"samples_ns\":[" text "]}"
    }
    BEGIN {
        print "{\"command\":\"bench reduce\",\"ranks\":2,\"launches\":" launches ","
        print "\"options\":{\"op\":\"sum\",\"seed\":" first "},\"keys\":[\"bytes\",\"algorithm\"],"
        print "\"results\":[" result("auto", 1000) "," result("mpi", factor * 1000) "]}"
    }'
}

compare() {
    "$SUMMAND" bench compare "$@" > out 2> err
}

file 3 1 > a.json
file 3 101 > again.json
file 6 1 > slow.json
file 3.09 1 > three.json
compare a.json a.json || fail 'a file differs from itself'
grep -q '^# no significant change in 2 cases' out || fail "itself: $(cat out)"
compare a.json again.json || fail 'another seed differs'
grep -q 'not measured alike' out && fail 'alike is not'

compare a.json slow.json
same 'status of slower' $? 1
grep -q 'algorithm=mpi  *3.00  *6.00  *+100.* slower$' out || fail "slower: $(cat out)"
grep -q 'algorithm=auto .*[+-]0.0 %.*[0-9]$' out || fail "unchanged: $(cat out)"
grep -q '^# 1 of 2 cases slower, 0 faster' out || fail "count: $(cat out)"
compare --changed slow.json a.json || fail 'faster: exit status'
grep -q 'algorithm=mpi .*-50.0 %.* faster$' out || fail "faster: $(cat out)"
grep -q 'algorithm=auto' out && fail '--changed shows what did not'

# 3 %, of which there is no doubt, is less than what counts, until that is lowered.
compare a.json three.json || fail '3 % counts'
compare --threshold 2 a.json three.json
same '3 % at a threshold of 2' $? 1

# Medians of launches that overlap: what differs between the files does between launches too.
file 3 1 4 0 > even.json
file 3 1 4 300 > uneven.json
compare --threshold 1 even.json even.json || fail 'launches differ from themselves'
compare --threshold 1 even.json uneven.json || fail "overlapping launches: $(cat out)"
file 6 1 4 300 > slower.json
compare --threshold 1 even.json slower.json
same 'launches apart' $? 1

sed 's/"op":"sum"/"op":"max"/' a.json > max.json
compare a.json max.json
grep -q 'not measured alike' out || fail 'another operator is not told'

wrong() { # wrong WORDS ARGUMENT...: status 2 and one sentence
    words=$1
    shift
    compare "$@"
    same "'$*': status" $? 2
    same "'$*': sentences" "$(wc -l < err)" 1
    grep -qF -e "$words" err || fail "'$*': '$(cat err)' lacks '$words'"
}
sed 's/"bytes":8/"bytes":9/g' a.json > nine.json
sed 's/"samples_ns":\[\[[0-9]*/"samples_ns":[["x"/' a.json > text.json
head -c 200 a.json > cut.json
echo '{}' > empty.json
wrong 'no case is in both files' a.json nine.json
wrong 'with its repetitions' a.json text.json
wrong 'with its repetitions' empty.json a.json
wrong 'cut.json' a.json cut.json
wrong 'missing.json' missing.json a.json
wrong 'two files' a.json
wrong '--alpha' --alpha 2 a.json a.json
finish
