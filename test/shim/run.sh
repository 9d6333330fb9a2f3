#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# summand run: exit status, signals, words that are wrong, static programs.
. "$(dirname "$0")/common.sh"

# refused WORDS ARGUMENT...: status 2, one line that has WORDS, and nothing is started
refused() {
    words=$1
    shift
    "$SUMMAND" run "$@" > out 2> err
    same "'$*': status" $? 2
    same "'$*': lines" "$(wc -l < err)" 1
    grep -qF -e "$words" err || fail "'$*': '$(cat err)' lacks '$words'"
    [ -s out ] && fail "'$*': prints on stdout"
}
refused 'what to run?' --
refused 'write -- before the launcher' "$MPIEXEC" -n 2 "$PROGRAMS/life"
refused "'fastt' is no mode; there are fast, ordered" --mode fastt -- "$MPIEXEC" "$PROGRAMS/life"
refused "'gather' is no call; there are reduce, allreduce" --mode exact:gather,fast -- "$PROGRAMS/life"
refused "'<=x' is no size" --mode 'exact:bcast<=x' -- "$PROGRAMS/life"
refused "'' is no mode" --mode fast, -- "$PROGRAMS/life"
refused 'out.json: only options go before --; a report in this file is --report=out.json' \
    --report out.json -- "$PROGRAMS/life"
refused 'other: only options go before --' other -- "$PROGRAMS/life"
refused '--values: goes with --record only' --values 3 -- "$PROGRAMS/life"
case $KIND in
openmpi) other=mpich ;;
*) other=openmpi ;;
esac
refused "--mpi: $other, but $PROGRAMS/life belongs to $KIND" --mpi $other -- "$PROGRAMS/life"
"$SUMMAND" run --mpi "$KIND" -- ./no-such-program 2> err
same 'no such program: status' $? 127

# A wrong word by hand: one rank says so, and no rank goes on.
timeout $LIMIT "$MPIEXEC" -n 3 env LD_PRELOAD="$SHIM" SUMMAND_MODE=fastt "$PROGRAMS/life" sums > out 2> err &&
    fail 'a wrong mode: status 0'
same 'a wrong mode: lines' "$(grep -c '^summand: SUMMAND_MODE: .fastt. is no mode' err)" 1
grep -q 'end of' out && fail 'a wrong mode: the program has run'

# The launcher's exit status and signals.
timeout $LIMIT "$MPIEXEC" -n 2 "$PROGRAMS/life" status > plain 2> plain.err
status=$?
timeout $LIMIT "$SUMMAND" run -- "$MPIEXEC" -n 2 "$PROGRAMS/life" status > out 2> err
same 'exit status' $? $status
# Hydra's status after SIGTERM is 0 at times, so a shell stands for the launcher.
"$SUMMAND" run --mpi "$KIND" -- sh -c 'trap "exit 7" TERM; : > ready; while :; do sleep 0.05; done' > out 2> err &
child=$!
guard $child
until [ -f ready ] || ! kill -0 $child 2> /dev/null; do sleep 0.05; done
kill -TERM $child
wait $child
same 'status after SIGTERM' $? 7
kill $guard
[ ! -f guarded ] || fail 'SIGTERM did not end the launcher'

# The program's MPI, whatever the command's own.
"$SUMMAND" run --show -- "$MPIEXEC" -n 2 "$PROGRAMS/life" > out || fail "--show: $?"
grep -q "^LD_PRELOAD=[^ ]*libsummand-mpi-$KIND.so" out || fail "--show: $(cat out)"

# A program of the standard ABI, whatever the brand of its MPI: its own kind of shim, and no other one serves it. Nor
# does a shim serve an MPI of its kind that lacks what it calls, as an older one may. That takes all calls, and it is said.
# passed_on WORDS COMMAND
passed_on() {
    for mode in off fast; do
        # shellcheck disable=SC2086
        LD_LIBRARY_PATH=$PROGRAMS LD_PRELOAD=$SHIM SUMMAND_MODE=$mode $2 > out 2> err
        same "$2: status" $? 0
        same "$2" "$(cat out)" 'rank 0, code 0: 1'
        same "$2: said" "$(grep -c "all calls go to the MPI: $1" err)" 1
        same "$2: lines" "$(wc -l < err)" 1
    done
}
lacks="the program's MPI is of another version of $KIND than this shim's: .*undefined symbol"
other="this shim is for $KIND, and the program's MPI is of the kind abi"
[ "$KIND" != abi ] || other=$lacks
for program in "$PROGRAMS/stranger" "$PROGRAMS/loader $PROGRAMS/libstranger.so"; do
    passed_on "$other" "$program"
    [ "$KIND" = abi ] || passed_on "$lacks" "env STRANGER_OLDER=1 $program"
done
[ "$KIND" = abi ] || refused "--mpi: $KIND, but $PROGRAMS/stranger belongs to abi" --mpi "$KIND" -- "$PROGRAMS/stranger"

# A shell reads the same words.
printf '%s\n' one "it's two" '' 'a$b`c`' > words
"$SUMMAND" run --mpi "$KIND" --mode 'exact:bcast<=1k,fast' --show -- printf '%s\n' one "it's two" '' 'a$b`c`' > line ||
    fail "--show of other words: $?"
sh ./line | cmp -s - words || fail "--show: a shell reads other words in $(cat line)"

# A rank of a program without a launcher.
"$SUMMAND" run -- "$PROGRAMS/life" sums > out 2> err || fail "without a launcher: $?"
same 'without a launcher' "$(cat out)" 'end of sums'

# Pitfall 12: nothing can be preloaded into a static program, and that is said.
"$PROGRAMS/static" > plain
"$SUMMAND" run --mpi "$KIND" -- "$PROGRAMS/static" > out 2> err
same 'static: status' $? 3
cmp -s plain out || fail 'static: another output'
same 'static: said' "$(grep -c 'is linked statically' err)" 1
# So no MPI need be known.
"$SUMMAND" run -- "$PROGRAMS/static" > out 2> err
same 'static, no MPI: status' $? 3
cmp -s plain out || fail 'static, no MPI: another output'
same 'static, no MPI: said' "$(grep -c 'is linked statically' err)" 1

# What the user preloads stays in front, as a sanitizer's runtime must; without that its program starts, too.
LD_PRELOAD=first.so "$SUMMAND" run --mpi "$KIND" --show -- ./any > out 2> err
grep -q "^LD_PRELOAD=first.so:[^ ]*libsummand-mpi-$KIND.so " out || fail "--show with LD_PRELOAD: $(cat out)"
if [ -x "$PROGRAMS/address" ]; then
    (
        unset LD_PRELOAD
        export ASAN_OPTIONS=detect_leaks=0 # of the MPI
        export OMPI_MCA_memory=^patcher    # it rewrites mprotect, which is the sanitizer's: a crash without us, too
        timeout $LIMIT "$SUMMAND" run -- "$MPIEXEC" -n 2 "$PROGRAMS/address" many 3 > out 2> err
    ) || fail "AddressSanitizer: $? $(head -n 4 err)"
fi

# A path is that of the folder in which the command is, whatever the program does.
(
    cd /usr && SUMMAND_TUNING=t "$SUMMAND" run --report=r --record d --show -- "$PROGRAMS/life"
) > out || fail "--show of paths: $?"
for path in REPORT=/usr/r RECORD=/usr/d TUNING=/usr/t; do
    grep -q "SUMMAND_$path " out || fail "--show lacks $path: $(cat out)"
done
finish
