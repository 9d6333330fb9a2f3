#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Started by another MPI's launcher, each rank would be alone. This is reported once, with an exit status and no
# result. The other launcher is found by its name in Debian, or imitated by its variables.
. "$(dirname "$0")/common.sh"
unset OMPI_MCA_ess_singleton_isolated # a rank without launcher as users have it, with Open MPI's daemon

"$SUMMAND" generate psllh -n 10 -o x.npy
told() { # told WHAT: what a start by another launcher must say, once
    same "$1: sentences" "$(grep -c 'each of them is alone' err)" 1
    grep -q "start it with $MPIEXEC" err || fail "$1: does not say the right launcher: $(cat err)"
    [ -s out ] && fail "$1: prints a result: $(cat out)"
}

mine=$("$SUMMAND" info --json > info.json && "$CHECK_JSON" info.json mpi)
case $mine in
*Open*) other=mpiexec.mpich ;;
*) other=mpiexec.openmpi ;;
esac
if command -v $other > /dev/null; then
    timeout $LIMIT $other -n 2 "$SUMMAND" sum x.npy > out 2> err && fail "$other: exit status 0"
    told "$other"
fi
# One process of three, by the variables of a batch system's launcher.
env SLURM_STEP_NUM_TASKS=3 SLURM_PROCID=0 "$SUMMAND" sum x.npy > out 2> err
same 'first of srun: status' $? 2
told 'first of srun'
env SLURM_STEP_NUM_TASKS=3 SLURM_PROCID=2 "$SUMMAND" sum x.npy > out 2> err
same 'last of srun: status' $? 2
[ -s out ] && fail "the last one prints a result: $(cat out)"
[ -s err ] && fail "the last one speaks too: $(cat err)"
# A single process is right to be alone, and commands without MPI may run where they like.
env SLURM_STEP_NUM_TASKS=1 SLURM_PROCID=0 "$SUMMAND" sum x.npy > out 2> err || fail "one process: $(cat err)"
env SLURM_STEP_NUM_TASKS=3 SLURM_PROCID=0 "$SUMMAND" list > out 2> err || fail "list: $(cat err)"
run 2 sum x.npy || fail "the right launcher: $(cat err)"

# Without MPI one of them reports the error. The others fail later, because a launcher could end all at the first
# failure; the reporting one ends after its message is read.
for words in foo 'list --foo' bench; do
    # shellcheck disable=SC2086
    env SLURM_STEP_NUM_TASKS=3 SLURM_PROCID=2 "$SUMMAND" $words > out 2> err
    same "$words, last of srun: status" $? 2
    [ -s err ] && fail "$words: the last one speaks too: $(cat err)"
    mkfifo heard
    { env SLURM_STEP_NUM_TASKS=3 SLURM_PROCID=0 "$SUMMAND" $words 2> heard; echo $? > over; } &
    { sleep 1; [ -e over ] && echo early; cat; } < heard > err
    wait
    same "$words, first of srun: status" "$(cat over)" 2
    grep -q '^summand' err || fail "$words: says nothing"
    grep -q early err && fail "$words: ends before it is heard"
    rm heard over
done
finish
