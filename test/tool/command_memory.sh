# SPDX-License-Identifier: BSD-3-Clause
# If any memory request fails, the command prints its normal output, or reports in one sentence that memory is lacking
# and ends with status 1.
. "$(dirname "$0")/common.sh"
: "${SCARCE:?}"
export SUMMAND_WARNINGS=off # of the variables that follow

# Times differ from run to run: the last two columns of sums.
timeless() { sed -E 's/ +[0-9.]+ +([0-9.]+|-)$//' "$1"; }

# each ARGUMENT...: all requests of a command, some of them where there are many.
each() {
    SUMMAND_TEST_COUNT=$work/count "$SCARCE" "$@" > want 2> err || fail "$*: $(cat err)"
    count=$(cat count)
    [ "$count" -gt 0 ] || fail "$*: asks for no memory"
    n=1
    while [ "$n" -le "$count" ]; do
        SUMMAND_TEST_REFUSE=$n "$SCARCE" "$@" > out 2> err
        status=$?
        if [ $status -eq 0 ]; then
            [ "$(timeless out)" = "$(timeless want)" ] || fail "$*: request $n of $count: other output, no error"
        else
            same "$*: request $n of $count: status" $status 1
            same "$*: request $n of $count: lines of '$(cat err)'" "$(wc -l < err)" 1
            grep -q 'memory' err || fail "$*: request $n of $count: '$(cat err)'"
        fi
        n=$((n + 1 + n / 4))
    done
}

printf '3\n0.5 0.25 0.125\n' > three.psllh
each list --json
each list --choose allreduce --ranks 64 --node-size 16 --json
each predict --ranks 12 --count 100,1000 --parameters segment=10
each predict --ranks 12 --count 1000 --set cross=0.5
each draw fibonacci --ranks 12
each draw chain --ranks 4 --count 100 --parameters segment=10 --timeline
study each distribution --ranks 16 --n 1000
each sum --method all three.psllh
finish
