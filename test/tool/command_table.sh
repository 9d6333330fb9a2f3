#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Every command of the table: its lines fit a screen whose columns are known; it says "1 rank" of one; of several
# launched processes one runs what needs no ranks.
# shellcheck disable=SC2086 # words are split
. "$(dirname "$0")/common.sh"
. "$(dirname "$0")/arguments.sh"

# fits COLUMNS WHAT: no line of `out` is longer, except commands to be copied, and lines of files
fits() {
    sed -i -E '/^  +(mpirun|summand|SUMMAND|sh |for |zcat |total=)/d' out
    awk -v most="$1" -v what="$2" 'length > most { print what ": " length " columns: " $0; bad = 1 } END { exit bad }' out >&2 ||
        fail "$2: lines of more than $1 columns"
}

nouns='ranks|processes|processors|nodes|files|elements|messages|samples|runs|rounds|launches|bytes|threads|calls|columns|rows|steps|transfers|epochs|batches|parameters|proofs|faults|repetitions|stages|operations'
# singular WHAT: one thing has no plural
singular() {
    ! grep -nE "(^|[^0-9a-z.,_=-])1 ($nouns)\\b" out > plural || fail "$1: $(cat plural)"
}

check() { # check NAME PARALLEL: of a command
    name=$1
    words=$(arguments "$name")
    case $name in
    generate | draw | plot | table | run) return ;; # data, pictures, Markdown, a line for a shell
    esac
    launch=timeout\ $LIMIT
    two_ranks "$name" && launch="$launch $MPIEXEC -n 2"
    for columns in 40 80; do
        COLUMNS=$columns $launch "$SUMMAND" $name $words > out 2> err || fail "$name $words: $(cat err)"
        [ "$name" = tune ] || fits $columns "$name $words" # prints its file
    done
    singular "$name $words"
    COLUMNS=40 "$SUMMAND" help $name > out || fail "help $name"
    fits 40 "help $name"
}

# Imitates the processes of a launch, which would take longer.
check_launched() { # check_launched NAME
    name=$1
    words=$(arguments "$name")
    mkdir empty
    for process in 1 2; do
        (cd empty && env SLURM_STEP_NUM_TASKS=3 SLURM_PROCID=$process "$SUMMAND" $name $words > ../out 2> ../err) ||
            fail "$name: process $process: status $?"
        [ -s out ] && fail "$name: process $process prints: $(head -n 3 out)"
        [ -s err ] && fail "$name: process $process complains: $(head -n 3 err)"
    done
    rmdir empty || fail "$name: others than the first process write files"
    env SLURM_STEP_NUM_TASKS=3 SLURM_PROCID=0 "$SUMMAND" $name $words > out 2> err || fail "$name: first process: $?"
    [ -s out ] || fail "$name: the first process prints nothing"
    case $name in
    run | figure | help | version) ;;
    *) grep -q 'needs no ranks: one of 3 processes ran it' err || fail "$name: does not say that it needs no ranks" ;;
    esac
}

check_both() { # check_both NAME INDEX: of a command
    check "$1"
    [ "$("$CHECK_JSON" table.json commands.$2.parallel)" = true ] || check_launched "$1"
}
make_operands
each_command 25 check_both
study each_command 9 check_both

# Other forms.
for words in 'list --all' 'list binomial' 'list --choose allreduce' 'list --choose reduce --bytes 64k' \
    'list --choose allreduce -p 8 --bytes 1k --check' 'list --choose allreduce -p 8 --bytes 1k --wrong 2' \
    'predict -p 2..34+16 -n 1' 'predict -p 8 -n 1k --path -a binomial' 'predict train -p 4' 'verify -a train-sync -p 5' \
    'sum --method all --op dot x.npy x.npy'; do
    COLUMNS=40 "$SUMMAND" $words > out 2> err || fail "$words: $(cat err)"
    fits 40 "$words"
    singular "$words"
done
COLUMNS=40 "$SUMMAND" help > out
fits 40 help

# What a program reads stays in one line; a terminal's own columns are in command_bars.
"$SUMMAND" sum --method all x.npy > out 2> err || fail "sum: $(cat err)"
same 'fields of a row' "$(grep -c '^x.npy ' out)" 3
awk '/^x.npy / && NF != 9 { exit 1 }' out || fail 'a row is cut where the columns are not known'
finish
