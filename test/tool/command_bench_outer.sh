#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# summand bench outer: a row for every algorithm and the MPI's way, checked results, files, launches, and
# what is wrong in one sentence. No time is asserted.
. "$(dirname "$0")/common.sh"

at() { # at FILE PATH
    "$CHECK_JSON" "$1" "$2" || fail "$1: $2"
}

quick='--budget 0.02 --start barrier'

# A case has a row for each, in the four forms of the report.
run 2 bench outer --sizes 20,50 --shape 7x300 --algorithms all,outer-allreduce:ring $quick \
    --json a.json --csv a.csv --plot a.svg || fail "all: $(cat err)"
[ -s err ] && fail "progress without a terminal: $(cat err)"
mv out table
for algorithm in auto mpi-allreduce outer-allreduce outer-allreduce:ring \
    $("$SUMMAND" list | awk '/^outer-/ && !/^outer-reduce/ { print $1 }'); do # that one is for a root
    same "rows of $algorithm" "$(grep -c "^ *[0-9].* $algorithm[ (]" table)" 3
    same "lines of $algorithm in CSV" "$(grep -c ",20x20,1,3200,$algorithm,[0-9]" a.csv)" 1
    grep -q "<g><title>$algorithm</title>" a.svg || fail "$algorithm is not in the picture"
done
rows=$(grep -c '^ *[0-9]' table)
same 'at least seven algorithms' "$([ "$rows" -ge 27 ] && echo yes)" yes
same 'results in JSON' "$(at a.json results.#)" "$rows"
same 'lines of CSV' "$(wc -l < a.csv)" $((rows + 1))
same 'lines in the picture, time and speed-up' "$(grep -c '<polyline' a.svg)" $((2 * rows / 3))
coloured=$(grep '<polyline' a.svg | grep -vc '#b4b4b4')
for algorithm in auto mpi-allreduce; do
    same "$algorithm: lines of time and speed-up, violins of three shapes" \
        "$(grep -c "<g><title>$algorithm</title>" a.svg)" 5
done
[ "$coloured" -le 16 ] || fail "$coloured coloured lines in two charts"
same 'rows of one length in CSV' "$(sed 's/"[^"]*"//g; s/[^,]//g' a.csv | sort -u | wc -l)" 1
same 'columns that line up' "$(awk '/^ *[0-9]+x/ { print match($0, /[-0-9] +[a-z]/) }' table | sort -u |
    wc -l)" 1
grep -q '^ *# *Shape  *Pairs  *Median(us)  *CI95  *P90  *Algorithm  *vs-mpi  *vs-auto' table ||
    fail 'no head'
# What the choice took longer, of each case: the best of the algorithms that keep the order of pairs.
sed '1,/takes longer than the best/d' table > losses
same 'cases with a loss' "$(grep -c '^# [0-9]*x[0-9]* ' losses)" 3
grep -q 'mpi-allreduce\|outer-allreduce' losses && fail "what may not be chosen is the best: $(cat losses)"
same 'the loss follows from the ratios' "$(sed 's/"[^"]*"//g' a.csv | awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
    $at["shape"] == "20x20" && $at["algorithm"] ~ /^outer-/ && $at["algorithm"] !~ /allreduce/ {
        v = $at["vs_auto"]; if (best == "" || v + 0 > best) { best = v + 0; who = $at["algorithm"] } }
    END { print who }')" "$(awk '$2 == "20x20" { print $NF }' losses)"
study run 2 bench outer --sizes 20 --algorithms all --budget 0.2 > /dev/null || fail "study: $(cat err)"
sed '1,/takes longer than the best/d' out | grep -q outer-bruck && fail 'outer-bruck, which keeps no order, is the best'
tr -s '\n# ' ' ' < table | grep -q 'above 1 is better' || fail 'which way the ratio goes is not stated'
grep -q 'allocated and written before' table || fail 'when matrices are made is not stated'
same shape "$(at a.json results.0.shape)" 20x20
same 'bytes of G' "$(at a.json results.0.bytes)" 3200
same pairs "$(at a.json results.0.pairs)" 1
for i in 0 1; do
    algorithm=$(at a.json results.$i.algorithm)
    [ "$algorithm" = mpi-allreduce ] &&
        same 'mpi against itself' "$(at a.json results.$i.vs_mpi_allreduce)" 1.0
    [ "$algorithm" = auto ] && chosen=$(at a.json results.$i.chosen)
    same 'repetitions kept' "$(at a.json results.$i.samples_ns.0.#)" "$(at a.json results.$i.rounds)"
done
grep -q " auto (${chosen:-nothing}) " table || fail "auto: '${chosen:-}' is not in the table"
"$SUMMAND" list | grep -q "^${chosen:-nothing}" || fail "auto chose '${chosen:-}', which is not listed"
same 'repetitions asked for' "$(at a.json options.repetitions)" 25

# As many repetitions as are asked for, where there is time.
run 1 bench outer --sizes 4 --repetitions 7 --budget 60 --start barrier --json r.json || fail "$(cat err)"
same repetitions "$(at r.json results.0.rounds)" 7

# Each result, with the MPI's way to it, on a number of ranks that is prime; more columns than rows.
for result in rows blocks root; do
    case $result in root) rival=mpi-reduce ;; *) rival=mpi-reduce-scatter ;; esac
    run 3 bench outer --shape 2x31 --pairs 0,3 --result $result --algorithms all $quick --json b.json ||
        fail "$result: $(cat err)"
    same "$result: rows of $rival" "$(grep -c "^ *2x31 .* $rival " out)" 2
    same "$result: rows of outer-gather" "$(grep -c "^ *2x31 .* outer-gather " out)" 2
    [ $result != root ] || same "root: rows of outer-reduce" "$(grep -c "^ *2x31 .* outer-reduce " out)" 2
    grep -q ' outer-allreduce' out && fail "$result: an all-reduce"
    same "$result is noted" "$(at b.json options.result)" $result
done
for type in float bfloat16 float16; do
    run 2 bench outer --shape 5x9 --pairs 3 --type $type --algorithms all --plan $quick ||
        fail "$type: $(cat err)"
    grep -q "type $type, calls plan" out || fail "$type is not stated"
done
run 2 bench outer --shape 5x9 --any-order $quick || fail "any order: $(cat err)"

# Several launches, merged.
"$SUMMAND" bench outer --launches 2 --launcher "$MPIEXEC -n 2" --sizes 9,17 $quick --json l.json --plot l.svg \
    > out 2> err || fail "launches: $(cat err)"
grep -q '^# 2 launches' out || fail 'launches are not stated'
same launches "$(at l.json launches)" 2
same 'repetitions of each launch' "$(at l.json results.3.samples_ns.#)" 2
same 'shapes of launches' "$(at l.json results.3.shape)" 17x17
grep -q 'dots: medians of 2 launches' l.svg || fail 'what dots are is not stated'
[ "$(grep -c 'r="1.6"' l.svg)" -ge $((2 * 2 * 2)) ] || fail 'no dot for each launch, shape and method'

# A wrong result is no result.
cat > meddled << END
#!/bin/sh
exec env LD_PRELOAD="$MEDDLE" "$SUMMAND" "\$@"
END
chmod +x meddled
real=$SUMMAND
SUMMAND=$work/meddled
run 2 bench outer --sizes 40 --type bfloat16 --result root $quick --json wrong.json && fail 'a wrong result is reported'
grep -q 'mpi-reduce: wrong result of 40 x 40: element (39, 39) on rank 0' err || fail "wrong: $(cat err)"
[ -s out ] || [ -e wrong.json ] && fail 'a table of wrong results'
SUMMAND=$real

wrong() { # wrong WORDS ARGUMENT...
    words=$1
    shift
    run 2 bench outer "$@"
    [ $? -ne 0 ] || fail "'$*': exit status 0"
    same "'$*': sentences" "$(grep -c '^summand' err)" 1
    grep '^summand' err | grep -qF -e "$words" || fail "'$*': '$(cat err)' lacks '$words'"
    [ -s out ] && fail "'$*': output"
}
wrong "--sizes: '0' is not a list" --sizes 0
wrong "--shape: '7' is not a list of shapes" --shape 7
wrong "--shape: '7x0' is not a list of shapes" --shape 7x0
wrong "--pairs: '-1' is not a list" --pairs -1
wrong "--repetitions: 0 is not between" --repetitions 0
wrong "--result: 'some' is not one of all|rows|blocks|root" --result some
wrong "--type: 'int' is not one of double|float|bfloat16|float16" --type int
wrong "'outer-gahter' is not all" --algorithms outer-gahter
wrong "(did you mean 'outer-gather'?)" --algorithms outer-gahter
wrong "'ring' is not all" --algorithms ring
wrong "'star' is not an algorithm of a collective inside" --algorithms outer-gather:star
wrong "for this result the MPI's is mpi-allreduce" --algorithms mpi-reduce
wrong 'outer-allreduce does not make this result' --result rows --algorithms outer-allreduce --sizes 9
wrong 'no operand expected' file
wrong 'leave mpirun away' --launches 2
finish
