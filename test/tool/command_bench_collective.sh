#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# summand bench reduce, allreduce, ...: every algorithm's row, checked results, files, launches, and
# what is wrong in one sentence. No time is asserted.
. "$(dirname "$0")/common.sh"
: "${MEDDLE:?}"

at() { # at FILE PATH
    "$CHECK_JSON" "$1" "$2" || fail "$1: $2"
}

quick='--budget 0.01 --start barrier'

# The algorithms that can do it, all of them, and the report in its four forms.
run 2 bench allreduce --sizes 8,1000 --algorithms all $quick --json a.json --csv a.csv --plot a.svg ||
    fail "allreduce: $(cat err)"
[ -s err ] && fail "progress without a terminal: $(cat err)"
mv out table
for algorithm in auto mpi ring circulant recursive-doubling recursive-multiplying rabenseifner \
    dual-root node-circulant; do
    same "rows of $algorithm" "$(grep -c "^ *[0-9].* $algorithm[ (]" table)" 2
    grep -q ",1000,250,$algorithm,[0-9]" a.csv || fail "no row of $algorithm in CSV"
    grep -q "<g><title>$algorithm</title>" a.svg || fail "$algorithm is not in the picture"
done
rows=$(grep -c '^ *[0-9]' table)
same 'results in JSON' "$(at a.json results.#)" "$rows"
same 'lines of CSV' "$(wc -l < a.csv)" $((rows + 1))
same 'lines in the picture, time and speed-up' "$(grep -c '<polyline' a.svg)" "$rows"
for chart in 1 2; do
    same "coloured lines in chart $chart" "$(awk -v chart=$chart '/<text.*(median time|times as fast as)/ { n++ }
        n == chart && /<polyline/ && !/#b4b4b4/ { c++ } END { print c + 0 }' a.svg)" 8
done
grep -q '>Grey: ' a.svg || fail 'grey lines without names'
awk '{ gsub(/"[^"]*"/, ""); print gsub(/,/, "") }' a.csv | sort -u > fields
same 'rows of one length' "$(wc -l < fields)" 1
grep -q '^# *Size  *Median(us)  *CI95  *P99  *Algorithm  *vs-mpi' table || fail 'no head'
grep -q '^# auto ' table || fail 'no geometric mean of auto'
grep -q 'a barrier, then one call' table || fail 'the start is not stated'
same 'sizes in order' "$(awk '/^ *[0-9]/ { print $1 }' table | uniq | xargs)" '8 1000'
for i in 0 1; do
    [ "$(at a.json results.$i.algorithm)" = mpi ] && same 'mpi against itself' \
        "$(at a.json results.$i.vs_mpi)" 1.0
    same 'repetitions kept' "$(at a.json results.$i.samples_ns.0.#)" \
        "$(at a.json results.$i.rounds)"
done
for i in 0 1; do
    [ "$(at a.json results.$i.algorithm)" = auto ] && chosen=$(at a.json results.$i.chosen)
done
grep -q " auto (${chosen:-nothing}) " table || fail "auto: '${chosen:-}' is not in the table"
"$SUMMAND" list | grep -q "${chosen%%:*}" || fail "auto chose '$chosen', which is not listed"
for key in build mpi arch machine processors date; do
    [ -n "$(at a.json setting.$key)" ] || fail "setting.$key is empty"
done
same 'options in JSON' "$(at a.json options.start)" barrier

# Each collective on an odd number of ranks; more ranks than processors are told about.
for collective in reduce allreduce reduce_scatter bcast allgather; do
    run 3 bench $collective --sizes 400 --datatype double $quick ||
        fail "$collective: $(cat err)"
    [ "$(nproc)" -ge 3 ] || grep -q 'Warning: 3 ranks share' out || fail "$collective: no warning"
done
for type in float16 bfloat16; do
    run 3 bench allreduce --sizes 6,400 --datatype $type --op prod --algorithms all $quick || fail "$type: $(cat err)"
    run 2 bench reduce --sizes 400 --datatype $type --algorithms mpi,memory $quick || fail "$type: $(cat err)"
done
run 3 bench reduce --op affine --in-place --root 1 --plan --algorithms all --sizes 1k $quick --plot p.svg ||
    fail "in place: $(cat err)"
# One size: bars, each with its name, and what is a plan's start.
bars=$(grep -c '^ *[0-9]' out)
grep -q '<polyline' p.svg && fail 'a curve of one point'
same 'bars, of time and speed-up' "$(grep -c '<g><title>.* (plan)</title>\|<g><title>mpi (call)</title>' p.svg)" $((2 * bars))
same 'titles with the size' "$(grep -c '>bytes: 1 Ki</text>' p.svg)" 2
grep -q ' in-order' out || grep -q ' binary-in-order ' out || fail 'no algorithm that keeps order'
grep -q ' ring ' out && fail 'a ring does not keep the order of ranks'
run 2 bench allreduce --op maxloc --datatype double_int --promise canonical --sizes 48 $quick ||
    fail "maxloc: $(cat err)"
# What a promise costs: beside the free choice, in the same rounds.
run 2 bench allreduce --algorithms auto,auto:promise=canonical --sizes 8,64 $quick --json v.json ||
    fail "auto:promise: $(cat err)"
same 'rows of vs-auto' "$(grep -c '^# auto:promise=canonical  *[0-9]*  *[0-9.]*  *[0-9.]*\.\.[0-9.]*$' out)" 2
at v.json results.1.vs_auto_low > low && at v.json results.1.vs_auto_high > high || fail 'no interval of vs_auto'
awk -v median="$(at v.json results.1.vs_auto)" 'NR == 1 { low = $1 } END { exit !(low <= median && median <= $1) }' \
    low high || fail "vs_auto: $(at v.json results.1.vs_auto) is not within $(cat low high)"
# What checks cost, the same way, of a choice and of an algorithm by its name.
run 2 bench allreduce --algorithms auto,auto:promise=canonical:check=correct,ring,ring:check=detect --sizes 8 $quick ||
    fail "check: $(cat err)"
same 'checked rows' "$(grep -c '^ .* auto:promise=canonical:check=correct \|^ .* ring:check=detect ' out)" 2
run 2 bench bcast --algorithms auto:check=detect --sizes 8 $quick || fail "bcast: $(cat err)"
run 2 bench reduce --algorithms mpi,memory --sizes 64k $quick || fail "memory: $(cat err)"
grep -q ' memory ' out || fail 'no row of memory'
run 2 bench reduce --imbalance 20 --algorithms chain:segment=2,mpi --sizes 64 $quick ||
    fail "imbalance: $(cat err)"
grep -q ' chain:segment=2 ' out || fail 'no row of chain:segment=2'
grep -q 'late by 0 to 20 us' out || fail 'the imbalance is not stated'
run 2 bench allreduce --write --in-place --algorithms auto,mpi --sizes 64,1k $quick || fail "write: $(cat err)"
tr -s '\n# ' '   ' <out | grep -q 'operands written' || fail 'that operands are written is not stated'
run 2 bench allgather --malloc --algorithms auto,mpi --sizes 64,64k $quick || fail "malloc: $(cat err)"
tr -s '\n# ' '   ' <out | grep -q 'buffers from malloc' || fail 'that buffers are from malloc is not stated'
run 2 bench bcast --write --algorithms auto,mpi --sizes 64 $quick || fail "write, bcast: $(cat err)"

# By clock, as if on two nodes. A busy machine does not change the exit status.
SUMMAND_NODE_SIZE=1
export SUMMAND_NODE_SIZE
run 2 bench bcast --start clock --sizes 8 --budget 0.3 --json - || fail "by clock: $(cat err)"
same 'start by clock' "$(at out options.start)" clock
same 'the variable is noted' "$(at out setting.environment.SUMMAND_NODE_SIZE)" 1
unset SUMMAND_NODE_SIZE

# Several launches, merged.
"$SUMMAND" bench reduce --launches 2 --launcher "$MPIEXEC -n 2" --sizes 8,800 $quick --json l.json \
    > out 2> err || fail "launches: $(cat err)"
grep -q '^# 2 launches' out || fail 'launches are not stated'
grep -q '^# *Size .* Range ' out || fail 'the range of two launches is called an interval'
same launches "$(at l.json launches)" 2
same 'repetitions of each launch' "$(at l.json results.3.samples_ns.#)" 2
"$SUMMAND" bench reduce --launches 2 --launcher ./none > out 2> err
same 'no launcher: status' $? 1
same 'no launcher: sentences' "$(wc -l < err)" 1

# A wrong result is no result.
cat > meddled << END
#!/bin/sh
exec env LD_PRELOAD="$MEDDLE" "$SUMMAND" "\$@"
END
chmod +x meddled
real=$SUMMAND
SUMMAND=$work/meddled
# Ranks learn of each start later than usual starts are put ahead.
export MEDDLE_LATE=30
run 2 bench allreduce --start clock --sizes 8 --budget 0.1 --json - || fail "late: $(cat err)"
same 'results of late ranks' "$(at out results.#)" 2
[ "$(at out results.0.rounds)" -ge 1 ] || fail 'no repetition of late ranks'
unset MEDDLE_LATE
run 2 bench reduce --sizes 40 $quick --json wrong.json && fail 'a wrong result is reported'
grep -q 'mpi: wrong result of 10 elements: element 9 on rank 0' err || fail "wrong: $(cat err)"
[ -s out ] || [ -e wrong.json ] && fail 'a table of wrong results'
SUMMAND=$real

run 3 bench allreduce --start counter --sizes 8 --budget 0.02 --json - || fail "$(cat err)"
same 'start by a counter' "$(at out options.start)" counter

run 2 bench overhead --budget 0.05 --start barrier --calls 20 --json o.json || fail "$(cat err)"
same subjects "$(at o.json results.#)" 4
grep -q '^# call  *[0-9]' out || grep -q '^call  *[0-9]' out || fail 'no row of the call'
run 3 bench overhead --first --budget 0.05 --start barrier --json o.json || fail "$(cat err)"
same 'cases of a first call, each by two subjects' "$(at o.json results.#)" 8
for case in first processor duplicate split; do
    for subject in mpi summand; do
        grep -q "^$case  *$subject  *[0-9]" out || fail "no row '$case $subject': $(cat out)"
    done
done
same 'a first call happens once' "$(at o.json results.1.rounds)" 1

wrong() { # wrong WORDS ARGUMENT...
    words=$1
    shift
    run 2 bench "$@"
    [ $? -ne 0 ] || fail "'$*': exit status 0"
    same "'$*': sentences" "$(grep -c '^summand' err)" 1
    grep '^summand' err | grep -qF -e "$words" || fail "'$*': '$(cat err)' lacks '$words'"
    [ -s out ] && fail "'$*': output"
}
wrong "--op: 'plus' is not one of sum|prod" reduce --op plus
wrong '--op: band does not go with float16' allreduce --op band --datatype float16
wrong '--op: land does not go with double' allreduce --op land --datatype double
wrong "--sizes: '8..' is not a list" reduce --sizes 8..
wrong "--algorithms: 'chains' is not" reduce --algorithms chains
wrong 'segment is not between 1 and' reduce --algorithms chain:segment=0
wrong "'promise=all' is not promise=any" reduce --algorithms auto:promise=all
wrong "'check=some' is not check=off" reduce --algorithms auto:check=some
wrong "'check=' is not check=off" reduce --algorithms ring:check=
wrong 'a promise is for what has an operator' bcast --algorithms auto:promise=canonical
wrong 'memory does not do this bcast' bcast --algorithms memory
wrong 'memory does not do this allreduce' allreduce --algorithms memory --op affine
wrong 'ring does not do this allreduce' allreduce --algorithms ring --op affine
wrong '--root: no rank 2 among 2' bcast --root 2
wrong 'no operand expected' allgather file
wrong 'leave mpirun away' reduce --launches 2
wrong '--bytes: 0 is not' overhead --bytes 0
wrong '--calls: goes without --first' overhead --first --calls 3
finish
