#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Accuracy of every mode of `summand train`, as medians of seeds, and how far each is from plain descent:
#     bench/train_modes.sh SUMMAND DATA[,DATA...] [LAYERS[;LAYERS...] [EPOCHS [RATE [SEEDS]]]]
# DATA: a folder with samples, or synthetic. MODES='single 1;stashed 9' (mode, its options, ranks) in place of all
# modes on two ranks at most; LAYERS is at least of as many layers as a mode has stages. Numbers are percents of
# correct test samples after the last epoch. Takes EPOCHS x SEEDS epochs for each mode; other programs do not
# matter, as no time is measured.
# RESULTS=FILE keeps each accuracy as soon as it is there. The same command with this file goes on where the last one
# was stopped (Ctrl-C, SIGTERM, a power cut); the file may have results of other networks and data too. A training of
# `single`, `data` or `sync` that was stopped goes on from its checkpoint, with the same bits; others begin again.
# All modes on both sets of samples and two networks (hours; stop it and go on):
#     RESULTS=modes.txt bench/train_modes.sh build/openmpi/summand mnist,fashion-mnist '784,128,10;784,512,512,10' 20
set -eu
summand=${1:?usage: $0 SUMMAND DATA[,DATA...] [LAYERS[;LAYERS...] [EPOCHS [RATE [SEEDS]]]]}
sets=${2:?which samples?}
networks=${3:-784,128,10} epochs=${4:-5} rate=${5:-0.1} seeds=${6:-5}
modes=${MODES:-single 1;data 2;sync 2;stashed 2;2bw 2;poad 2;poad --twins together 2;stashed --twins apart 2;stashed --update last 2}
mpiexec=${MPIEXEC:-mpirun}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
results=${RESULTS:-$work/results}
touch "$results"

# A line of the file is "DATA LAYERS EPOCHS RATE SEED MODE RANKS = PERCENT"; a line that was cut short has no percent.
key() { # key SEED MODE RANKS
    printf '%s %s %s %s %s %s %s' "$data" "$layers" "$epochs" "$rate" "$1" "$2" "$3"
}

found() { # found KEY: the accuracy, if it is there
    awk -v key="$1 = " 'index($0, key) == 1 && $NF ~ /^[0-9.]+$/ { print $NF; exit }' "$results"
}

train() { # train SEED MODE RANKS
    checkpoint=
    case $2 in
    single | data | sync)
        checkpoint=$results.$(key "$@" | cksum | cut -d ' ' -f 1).checkpoint
        again=
        [ ! -s "$checkpoint" ] || again=--resume
        ;;
    esac
    status=0
    # shellcheck disable=SC2086
    "$mpiexec" -np "$3" "$summand" train --data "$data" --layers "$layers" --epochs "$epochs" --rate "$rate" \
        --schedule linear --mode $2 --seed "$1" ${checkpoint:+--checkpoint "$checkpoint" $again} \
        < /dev/null > "$work/out" 2> "$work/err" || status=$?
    percent=$(awk '/^test: loss/ { print $4 }' "$work/out")
    if [ $status != 0 ] || [ -z "$percent" ]; then
        [ $status = 130 ] || cat "$work/err" >&2
        echo "train_modes: stopped at $(key "$@") (status $status); the same command with RESULTS=$results goes on" >&2
        exit "$([ $status = 0 ] && echo 1 || echo $status)"
    fi
    [ -z "$(tail -c 1 "$results")" ] || echo >> "$results" # after a line that was cut short
    printf '%s = %s\n' "$(key "$@")" "$percent" >> "$results"
    rm -f ${checkpoint:+"$checkpoint"}
}

for_modes() { # for_modes FUNCTION: with MODE RANKS, for each
    printf '%s\n' "$modes" | tr ';' '\n' > "$work/modes"
    while read -r line <&3; do
        "$1" "${line% *}" "${line##* }"
    done 3< "$work/modes"
}

measure() {
    seed=1
    while [ $seed -le "$seeds" ]; do
        [ -n "$(found "$(key $seed "$1" "$2")")" ] || train $seed "$1" "$2"
        seed=$((seed + 1))
    done
}

show() {
    all=
    seed=1
    while [ $seed -le "$seeds" ]; do
        all="$all $(found "$(key $seed "$1" "$2")")"
        seed=$((seed + 1))
    done
    # shellcheck disable=SC2086
    median=$(printf '%s\n' $all | sort -n | awk '{ v[NR] = $1 } END { print (v[int((NR + 1) / 2)] + v[int((NR + 2) / 2)]) / 2 }')
    plain=${plain:-$median}
    awk -v m="$1" -v x="$median" -v p="$plain" -v a="$all" 'BEGIN { printf "%-22s %7.2f %7.2f %s\n", m, x, p - x, a }'
}

printf '%s\n' "$sets" | tr ',' '\n' > "$work/sets"
printf '%s\n' "$networks" | tr ';' '\n' > "$work/networks"
while read -r data <&4; do
    while read -r layers <&5; do
        for_modes measure
        printf '%s, %s, %s epochs, rate %s falling linearly\n' "$data" "$layers" "$epochs" "$rate"
        printf '%-22s %7s %7s  %s\n' mode median behind 'all seeds'
        plain=
        for_modes show
    done 5< "$work/networks"
done 4< "$work/sets"
