#!/bin/sh
# Output that cannot be written is an error of every command that writes some, told in one sentence.
. "$(dirname "$0")/common.sh"
[ -e /dev/full ] || exit 77

full() { # full ARGUMENT...: status 1 and one sentence where the disk is full, or stdout closed
    "$SUMMAND" "$@" > /dev/full 2> err
    same "'$*' on a full disk: status" $? 1
    same "'$*' on a full disk: sentences" "$(grep -c 'standard output: \(No space left\|not everything was written\)' err)" 1
    same "'$*' on a full disk: lines" "$(wc -l < err)" 1
    "$SUMMAND" "$@" >&- 2> err
    same "'$*' without stdout: status" $? 1
    same "'$*' without stdout: lines" "$(wc -l < err)" 1
}

"$SUMMAND" generate psllh -n 100 -o x.npy
for p in 1 2; do
    "$SUMMAND" sum --method all --json x.npy > $p.json || fail "sum --json"
done
"$SUMMAND" bench sum -n 10 --budget 0.1 --json bench.json > /dev/null || fail "bench sum"
full help
full help sum
full help --json
full bench --help
full version
full info
full info --json
full list
full list --json
full list --choose reduce
full list --choose reduce -p 4 --bytes 64 --check
full predict -p 8
full predict -p 8 --json
full predict -p 8 --csv
full predict -p 8 --svg -
full predict --print-model
full draw binomial
full draw binomial --json
full verify -a binomial -p 3
full generate psllh
full generate psllh -n 1m
full generate psllh --json
full sum x.npy
full sum --json x.npy
full bench sum -n 10 --budget 0.1
full bench sum -n 10 --budget 0.1 --json -
full bench sum -n 10 --budget 0.1 --csv -
full bench compare bench.json bench.json
full study sum x.npy
full study spread 1.json 2.json
full study distribution
full gossip list
full gossip topology
full gossip allreduce
run 2 sum x.npy || fail "sum on two ranks: $(cat err)"
finish
