#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Accuracy of every mode of `summand train`, as medians of seeds, and how far each is from plain descent:
#     bench/train_modes.sh SUMMAND DATA [LAYERS [EPOCHS [RATE [SEEDS]]]]
# DATA: a folder with samples, or synthetic. MODES='single 1;stashed 9' (mode, its options, ranks) in place of all
# modes on two ranks at most; LAYERS is at least of as many layers as a mode has stages. Numbers are percents of
# correct test samples after the last epoch. Takes EPOCHS x SEEDS epochs for each mode; other programs do not
# matter, as no time is measured.
set -eu
summand=${1:?usage: $0 SUMMAND DATA [LAYERS [EPOCHS [RATE [SEEDS]]]]}
data=${2:?which samples?}
layers=${3:-784,128,10} epochs=${4:-5} rate=${5:-0.1} seeds=${6:-5}
mpiexec=${MPIEXEC:-mpirun}

accuracy() { # accuracy RANKS ARGUMENT...
    ranks=$1
    shift
    "$mpiexec" -np "$ranks" "$summand" train --data "$data" --layers "$layers" --epochs "$epochs" --rate "$rate" \
        --schedule linear "$@" < /dev/null 2> /dev/null | awk '/^test: loss/ { print $4 }'
}

printf '%s, %s, %s epochs, rate %s falling linearly\n' "$data" "$layers" "$epochs" "$rate"
printf '%-22s %7s %7s  %s\n' mode median behind 'all seeds'
plain=
printf '%s\n' "${MODES:-single 1;data 2;sync 2;stashed 2;2bw 2;poad 2;poad --twins together 2;stashed --twins apart 2}" | tr ';' '\n' |
while read -r line; do
    ranks=${line##* } mode=${line% *}
    all=
    seed=1
    while [ $seed -le "$seeds" ]; do
        # shellcheck disable=SC2086
        all="$all $(accuracy "$ranks" --mode $mode --seed $seed)"
        seed=$((seed + 1))
    done
    # shellcheck disable=SC2086
    median=$(printf '%s\n' $all | sort -n | awk '{ v[NR] = $1 } END { print (v[int((NR + 1) / 2)] + v[int((NR + 2) / 2)]) / 2 }')
    plain=${plain:-$median}
    awk -v m="$mode" -v x="$median" -v p="$plain" -v a="$all" 'BEGIN { printf "%-22s %7.2f %7.2f %s\n", m, x, p - x, a }'
done
