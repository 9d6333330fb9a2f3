#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# summand train on ranks that are killed, stopped, or whose loss is not finite: one mode of each kind, which are
# replicas, a pipeline's schedule, twins, groups; with the word `others` all other modes.
# shellcheck disable=SC2086 # words are split
others=${1:-}
. "$(dirname "$0")/common.sh"

# turn MODE...: whether it is the turn of $how, where those are one of each kind
turn() {
    for mode in "$@"; do
        [ "$mode" != "$how" ] || { [ -z "$others" ]; return; }
    done
    [ -n "$others" ]
}

# In stages, on groups and with twins: a signal ends the training between two stretches of an epoch, whose
# checkpoint goes on; one rank that is killed ends all, and the last checkpoint is whole.
epochs='--samples 3000 --layers 784,30,20,10 --batch 8 --seed 3'
started() { # started RANKS ARGUMENT...: the command in the background, once it has a checkpoint
    rm -f c.model
    ranks=$1
    shift
    "$MPIEXEC" -n "$ranks" "$SUMMAND" train $epochs --epochs 1000 --checkpoint "$work/c.model" "$@" > out 2> err &
    process=$!
    until [ -s c.model ] || ! kill -0 $process 2> /dev/null; do
        sleep 0.05
    done
}
ranks_of() { # of this test: another one may run beside it
    pgrep -f "^$SUMMAND train $epochs --epochs 1000 --checkpoint $work/c.model"
}
for how in 'data' 'sync' 'stashed' '2bw' 'poad' 'poad --update last' 'stashed --update last' 'stashed --twins apart' 'sync --groups 1x1,1x1' \
    'stashed --twins apart --groups 1x1' 'poad --groups 1x1'; do
    turn data stashed poad 'poad --groups 1x1' || continue
    started 2 --mode $how
    victim=$(ranks_of | tail -n 1)
    kill -KILL "$victim" || fail "$how: nobody to kill"
    guard $process
    wait $process && fail "$how: a rank was killed, and status 0"
    [ ! -e guarded ] || fail "$how: the others of a killed rank do not end"
    kill "$guard" 2> /dev/null
    "$SUMMAND" train --samples 3000 --seed 3 --evaluate c.model > out || fail "$how: the last checkpoint"
done
for how in 'data' 'sync' '2bw' 'stashed --update last' 'sync --groups 1x1,1x1'; do
    turn data 2bw 'sync --groups 1x1,1x1' || continue
    started 2 --mode $how
    kill -TERM "$(ranks_of | tail -n 1)" || fail "$how: nobody to stop"
    guard $process
    wait $process && fail "$how: stopped, and status 0"
    [ ! -e guarded ] || fail "$how: does not end after the signal"
    kill "$guard" 2> /dev/null
    grep -q 'interrupted: these are the results so far' err || fail "$how: after the signal: $(cat err)"
    # What is left of two epochs more has the bits of one process.
    case $how in data | sync*)
        done=$("$SUMMAND" train $epochs --epochs 1 --checkpoint c.model --resume | sed -n 's/.*goes on after epoch \([0-9]*\).*/\1/p')
        run 1 train $epochs --epochs $((done + 1)) --model whole.model || fail "$how: whole: $(cat err)"
        run 2 train $epochs --epochs $((done + 1)) --mode $how --checkpoint c.model --resume --model rest.model ||
            fail "$how: resume: $(cat err)"
        cmp -s whole.model rest.model || fail "$how: resumed: other weights"
        ;;
    esac
done

# A loss that is not finite ends every mode, at a batch that it names.
for how in sync stashed 2bw poad 'stashed --update last' 'stashed --groups 1x1,1x1' 'poad --groups 1x1' 'data'; do
    turn data stashed poad 'poad --groups 1x1' || continue
    run 2 train --samples 4000 --batch 4 --layers 784,9,10 --loss squared --output linear --rate 1e6 --mode $how --model bad.model &&
        fail "$how: diverged, and status 0"
    same "$how, diverged: lines" "$(grep -c '^summand train: the loss is not finite any more at batch' err)" 1
    [ ! -e bad.model ] || fail "$how: diverged, and a model is written"
done
finish
