# SPDX-License-Identifier: BSD-3-Clause
# summand predict and list: numbers known beforehand, forms of output that agree, clear errors.
. "$(dirname "$0")/schedules.sh"

# Times that can be told by heart: one microsecond per message of the longest chain.
expect '^binomial +6\.00 ' predict --model unit -p 64 -n 1 -a binomial
expect '^chain +63\.00 ' predict --model unit -p 64 -n 1 -a chain -P segment=1
expect '^recursive-doubling +10\.00 ' predict --model unit -p 1k -n 5 -c allreduce -a recursive-doubling
expect '^binomial +16\.00 .* 65535 +4095 ' predict --model one-port -k 16 -p 64k -n 1 -a binomial
expect '^ +1 +0\.00 ' predict --model unit -p 1 -n 1..10 -a binomial
expect 'network.latency += 5e-06' predict --set network.latency=5e-6 --print-model

# Every algorithm of a collective is compared; every form tells the same.
[ "$(algorithms | wc -l)" -gt 1 ] || fail "list --json names no algorithms"
"$SUMMAND" predict -c allreduce -p 48 -n 1,1000 --csv >"$work/csv" || fail "predict --csv"
"$SUMMAND" predict -c allreduce -p 48 -n 1,1000 --json >"$work/json" || fail "predict --json"
for algorithm in $(algorithms); do
    does=$("$SUMMAND" predict -c allreduce -p 48 -n 1 -a "$algorithm" --csv 2>/dev/null | wc -l)
    [ "$does" -eq 2 ] && does=2 || does=0
    found=$(grep -c ",$algorithm," "$work/csv")
    [ "$found" -eq "$does" ] || fail "$algorithm: $found lines in CSV, $does expected"
    found=$(grep -c "\"algorithm\": \"$algorithm\"" "$work/json")
    [ "$found" -eq "$does" ] || fail "$algorithm: $found in JSON, $does expected"
done
[ "$(grep -c '"best": true' "$work/json")" -eq 2 ] || fail "JSON: not one best per size"

# A model's file is the model.
"$SUMMAND" predict --model eth48 --print-model >"$work/model" || fail "--print-model"
"$SUMMAND" predict --model eth48 -n 1,10000 --csv -p 64 >"$work/named"
"$SUMMAND" predict --model "$work/model" -n 1,10000 --csv -p 64 >"$work/read"
cmp -s "$work/named" "$work/read" || fail "a model's file predicts other times"
printf '# half as fast\nmodel = eth48\n network.latency=1e-5 # s\n\n' >"$work/slow"
"$SUMMAND" predict --model "$work/slow" -n 1,10000 --csv -p 64 >"$work/read"
cmp -s "$work/named" "$work/read" && fail "a model's file changes nothing"
"$SUMMAND" predict --model node --print-model >"$work/model" || fail "--print-model"
"$SUMMAND" list --choose reduce -p 8 -k 8 --bytes 64k..16m --model node >"$work/named"
"$SUMMAND" list --choose reduce -p 8 -k 8 --bytes 64k..16m --model "$work/model" >"$work/read"
cmp -s "$work/named" "$work/read" || fail "a model's file chooses otherwise"

# Where the best changes is searched: linear wins on few ranks, a tree on many.
"$SUMMAND" predict -p 64 -n 1e3,64k --csv >"$work/named" && "$SUMMAND" predict -p 64 -n 1000,65536 --csv >"$work/read"
cmp -s "$work/named" "$work/read" || fail "1e3 is not 1000"
expect 'on .* is faster than ' predict -p 2..66+16 -n 1
expect 'of +send|rank 1 .*send +to 0' predict -p 2 -n 10 -a binomial --path

# The choice: one row per size, promises kept, the same as JSON, rivals where there is one size.
expect '^ +64 +[0-9.]+ +(recursive-doubling|rabenseifner|binomial)' list --choose allreduce --bytes 64 --promise canonical
expect 'next best' list --choose reduce --bytes 64k
"$SUMMAND" list --choose allreduce --bytes 4..16m >"$work/chosen" || fail "list --choose"
"$SUMMAND" list --choose allreduce --bytes 4..16m --json >"$work/json" || fail "list --choose --json"
"$CHECK_JSON" "$work/json" choices.0.algorithm >/dev/null || fail "list --choose --json: no JSON"
[ "$(awk '$1 ~ /^[0-9]+$/ && $2 ~ /[.]/ { print $3 }' "$work/chosen")" = \
    "$(sed -n 's/.*"algorithm": "\(.*\)".*/\1/p' "$work/json")" ] || fail "JSON and text choose differently"
expect '^ *64 +[0-9.]+ +[0-9.]+ +[0-9.]+ % ' list --choose allreduce -p 8 -k 4 --bytes 64 --check
expect '^ *64( +[0-9.]+){5} +[a-z]' list --choose allreduce -p 8 -k 4 --bytes 64 --wrong 2
expect '"latency_short": [0-9.e-]+' list --choose reduce -p 8 -k 4 --bytes 64 --wrong 2 --json
refuse "not one of reduce" list --choose scatter
refuse "'x' is not a list" list --choose reduce --bytes x
refuse "is not between" list --choose reduce --node-size 0

refuse "no such algorithm" predict -a nothing
refuse "cannot do reduce" predict -a recursive-doubling -c reduce
refuse "not one of reduce" predict -c scatter
refuse "'0' is not a list" predict -p 0
refuse "'1..' is not a list" predict -n 1..
refuse "no rank 7 among 4" predict -p 4 -r 7
refuse "both lists" predict -p 1..100 -n 1..100
refuse "neither a known model nor a file" predict --model /nowhere
refuse "not a parameter of a model" predict --set speed=1
refuse "not a number from" predict --set network.latency=fast
refuse "not an integer" predict --set per_node=2.5
refuse "is not one of segment" predict -P colour=3
refuse "segmnt. is not one of segment, .*did you mean .segment" predict -P segmnt=3
refuse "in no algorithm's range" predict -P radix=0
refuse "one rank count" predict --path -p 2,4
refuse "no operands" predict binomial
printf 'eager = 1\nnonsense\n' >"$work/bad"
refuse "line 2: 'nonsense' is not name = value" predict --model "$work/bad"

# A prediction that would need too much memory is left out, and said so.
"$SUMMAND" predict -p 1000 -n 1 -a binomial --memory 0.000001 >"$work/out" 2>"$work/err" &&
    fail "--memory: succeeded"
grep -q "left out binomial at 1000 ranks" "$work/err" || fail "--memory: $(cat "$work/err")"
"$SUMMAND" predict -p 100k -n 1 -a binomial --patience 1e-9 >"$work/out" 2>"$work/err" &&
    fail "--patience: succeeded"
grep -q "takes too long" "$work/err" || fail "--patience: $(cat "$work/err")"
# Sums of outer products. The number of messages is known: each of 6 ranks sends slices of both factors to 5 others.
expect '^outer, 8 x 4 floats, 3 pairs of each rank, in rows, 6 ranks, 1 per node, 4 bytes' predict -c outer \
    -p 6 -k 1 --shape 8,4 --pairs 3 --result rows --type float
expect '^outer-slices( \(chosen\))? .* 60 +60 ' predict -c outer -p 6 -k 1 --shape 12,6 --result rows -a outer-slices
# The root has 5 messages of factors; or 60 of slices, then 5 of rows.
expect '^outer-gather .* 5 +5 +0\.001$' predict -c outer -p 6 -k 1 --shape 12,6 --result root -r 2 -a outer-gather
expect '^outer-slices .* 65 +65 ' predict -c outer -p 6 -k 1 --shape 12,6 --result root -r 2 -a outer-slices
expect '^outer-reduce ' predict -c outer -p 6 -k 1 --shape 12,6 --result root -a outer-reduce
expect '^outer-gather \(chosen\)' predict -c outer -p 6 -k 1 --shape 12x6 --result factored
expect ', c: the library.s choice' predict -c outer -p 6 -k 1 --shape 12,6 --pairs 1,2,4
refuse "exclude each other" predict -c outer --shape 3,4 -n 5
refuse "goes with sums of outer products" predict -c reduce --shape 3,4
refuse "not N,M" predict -c outer --shape 3
refuse "not N,M" predict -c outer --shape 3,0
refuse "a list goes with --shape" predict -c outer --pairs 1,2
refuse "type gives the elements" predict -c outer --bytes-per-element 4
# The choice is one of the predicted algorithms; that of `list` is the same.
for result in whole rows blocks root; do
    chosen=$("$SUMMAND" predict -c outer -p 6 -k 1 --model eth48 --shape 300,200 --pairs 7 --result $result --csv |
        sed -n 's/,1$//p' | cut -d, -f6)
    [ -n "$chosen" ] || fail "$result: no algorithm is marked"
    expect "^ +7 +[0-9.]+ +$chosen" list --choose outer -p 6 -k 1 --model eth48 --shape 300,200 --pairs 7 --result $result
    expect '^ +7 .* %' list --choose outer -p 6 -k 1 --model eth48 --shape 300,200 --pairs 7 --result $result --check
done
refuse "needs --shape" list --choose outer
refuse "of collectives of the MPI" list --choose outer --shape 3,4 --bytes 8
# Numbers of the network that are right lose nothing; those that are wrong by a factor, where the choice depends on them, do.
expect '^ +7 +[0-9.]+ +1.00 +1.00 +1.00 +1.00 +outer-' list --choose outer -p 6 -k 2 --shape 300,200 --pairs 1,7 --wrong 1
"$SUMMAND" list --choose outer -p 16 -k 1 --model eth48 --shape 784,512 --pairs 16,64,256 --wrong 100 --json > wrong.json ||
    fail 'list --wrong --json'
same 'pairs of --wrong' "$("$CHECK_JSON" wrong.json wrong.2.pairs)" 256
"$SUMMAND" list --choose outer -p 16 -k 1 --model eth48 --shape 784,512 --pairs 16,64,256 --wrong 100 |
    awk '$1 ~ /^(16|64|256)$/ { for (i = 3; i <= 6; i++) { n++; if ($i < 0.9) lost++; if ($i > 1.11) won++ } }
         END { exit !(n == 12 && lost && !won) }' || fail '--wrong 100: no loss, or a gain beyond that of estimates'

# Nodes of any sizes, ranks in any order. Each rank sends two slices, of 2 and of 6 doubles, to each other one. On nodes of
# 3, 2 and 1 ranks 22 of the 30 pairs of ranks are on two nodes; the root has 3 such peers, or 4 if its node has 2 ranks.
field() { # field NAME ARGUMENT...: of the only row of predict --csv
    name=$1
    shift
    "$SUMMAND" predict -c outer --shape 12,6 --csv "$@" |
        awk -F, -v name="$name" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) at = i } NR == 2 { print $at }'
}
for placement in block cyclic random:7; do
    set -- --nodes 3,2,1 --placement $placement --result rows -a outer-slices
    same "messages between nodes, $placement" "$(field messages_network "$@")" 44
    same "bytes between nodes, $placement" "$(field bytes_network "$@")" 1408
    same "bytes within nodes, $placement" "$(field bytes_node "$@")" 512
done
same 'to a root, block' "$(field messages_network --nodes 3,2,1 --result root -r 1 -a outer-gather)" 3
same 'to a root, cyclic' "$(field messages_network --nodes 3,2,1 --placement cyclic --result root -r 1 -a outer-gather)" 4
# Nodes that are all alike are those of --node-size.
for result in whole rows blocks root; do
    set -- list --choose outer --model eth48 --shape 784,512 --pairs 1,16 --result $result
    "$SUMMAND" "$@" -p 12 -k 4 > even.txt
    "$SUMMAND" "$@" --nodes 4,4,4 > listed.txt
    cmp even.txt listed.txt || fail "$result: nodes of four"
    "$SUMMAND" "$@" -p 5 -k 1 > even.txt
    "$SUMMAND" "$@" --nodes 1,1,1,1,1 --placement random:3 > listed.txt
    cmp even.txt listed.txt || fail "$result: nodes of one"
    for placement in block cyclic random:5; do
        chosen=$("$SUMMAND" predict -c outer --nodes 5,3,1 --placement $placement --model eth48 --shape 784,512 --pairs 16 \
            --result $result --csv | sed -n 's/,1$//p' | cut -d, -f6)
        [ -n "$chosen" ] || fail "$result, $placement: no algorithm is marked"
        expect "^ +16 +[0-9.]+ +[0-9.]+ +[0-9.]+ % +$chosen" list --choose outer --nodes 5,3,1 --placement $placement \
            --model eth48 --shape 784,512 --pairs 16 --result $result --check
    done
done
# An algorithm inside, by its name.
study expect '^outer-passes .* 30 +30 ' predict -c outer -p 6 -k 1 --shape 12,12 -a outer-passes
for inside in ring neighbor-exchange direct; do
    study expect "^outer, .*, inside $inside, 6 ranks" predict -c outer -p 6 -k 1 --shape 12,12 -a outer-allgather:$inside
done
study expect '^outer-allgather .* 60 +60 ' predict -c outer -p 6 -k 1 --shape 12,12 -a outer-allgather:ring
study expect '^outer-allgather .* 36 +36 ' predict -c outer -p 6 -k 1 --shape 12,12 -a outer-allgather:neighbor-exchange
expect ', inside ring' draw outer-allreduce:ring -p 6 --shape 9,9
study refuse "outer-passes runs no ring inside" predict -c outer -a outer-passes:ring
refuse "outer-allreduce runs no neighbor-exchange inside" draw outer-allreduce:neighbor-exchange
refuse "'star' is not an algorithm of a collective inside" draw outer-gather:star
refuse "'gemm-panels' is not an algorithm of a collective inside" predict -c outer -a outer-gather:gemm-panels
refuse "binomial has no algorithm inside" predict -a binomial:ring
expect '<svg' draw outer-slices -p 6 --shape 90,60 --pairs 4 --result rows
expect '90 x 60 doubles, 4 pairs of each rank, for a root' draw outer-slices --timeline -p 6 --shape 90,60 --pairs 4 --result root
finish
