#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The figures of Enderlin et al., "Distributed sum of outer products" (ETH), and of its supplement:
#     bench/outer_figures.sh SUMMAND FOLDER [measure|simulate|draw]...
# Without a word: measure and draw. Beside SUMMAND there is SUMMAND-study.
#     measure   LAUNCHES launches of `summand-study bench outer` on each number of RANKS. FOLDER/P.json has a line for each
#               launch on P ranks. All of RANKS are even, as neighbor exchange needs it.
#     simulate  the paper's cluster, 8 to 48 nodes, by `make scale-outer` (build/smpi; SCALE, OUT as in scale.sh) for
#               SIZES (two hours): FOLDER/simulated-P.json
#     draw      FOLDER/figure-N.svg: 2 to 5 of the most ranks, 6 to 12 of all; FOLDER/simulated-7.svg and
#               simulated-10.svg. A simulation has one time, so its other quantiles are the same.
# Stop it at any time (Ctrl-C, SIGTERM, a power cut): the same command goes on after the last whole launch or simulation.
# The environment may set RANKS, SIZES, LAUNCHES, REPETITIONS, BUDGET (seconds of a case in a launch) and MPIEXEC. A
# folder holds launches of the same SIZES. The paper: 16 to 48 ranks, 109 to 150 launches of 25 repetitions.
set -eu
summand=${1:?usage: $0 SUMMAND FOLDER [measure|simulate|draw]...}
folder=${2:?in which folder?}
shift 2
[ $# -gt 0 ] || set -- measure draw
root=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)
ranks=${RANKS:-2 4 8} sizes=${SIZES:-1000,2000,3000,4000,5000,6000,7000,8000} launches=${LAUNCHES:-20}
mpiexec=${MPIEXEC:-mpirun}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
mkdir -p "$folder"

# The paper's allreduce, allgather, allreduce-ring and g-rabenseifner-dsop; and the library's choice.
methods=mpi,outer-allgather:neighbor-exchange,outer-allreduce:ring,outer-rabenseifner:neighbor-exchange,auto

# Drops a last line that was cut short.
whole_lines() { # whole_lines FILE: their number
    touch "$1"
    [ -z "$(tail -c 1 "$1")" ] || { sed '$d' "$1" > "$work/lines" && cp "$work/lines" "$1"; }
    wc -l < "$1"
}

launch() { # launch P NUMBER
    status=0
    "$mpiexec" -n "$1" "$summand-study" bench outer --sizes "$sizes" --pairs 1 --algorithms $methods --seed "$2" \
        --repetitions "${REPETITIONS:-25}" --budget "${BUDGET:-10}" --json "$work/launch" \
        < /dev/null > "$work/out" 2> "$work/err" || status=$?
    if [ $status != 0 ]; then
        cat "$work/err" >&2
        echo "outer_figures: launch $2 on $1 ranks ended with status $status; the same command goes on" >&2
        exit $status
    fi
    # Of a method in a case the figures need its name and times, not the statistics: a third of the bytes.
    sed 's/,"ranks":[^[]*,"samples_ns":/,"samples_ns":/g' "$work/launch" >> "$folder/$1.json"
}

measure() {
    number=1
    while [ "$number" -le "$launches" ]; do
        for p in $ranks; do
            [ "$(whole_lines "$folder/$p.json")" -ge "$number" ] || launch "$p" "$number"
        done
        number=$((number + 1))
    done
}

# Rows of scale-outer as a report; the all-reduce is the fastest that the MPIs would select.
report_of() { # report_of P
    find "$OUT/rows" -name "outer-1-$1-*.csv" | sort | xargs -r cat | awk -F, -v ranks="$1" -v sizes="$sizes" '
        BEGIN { split(sizes, list, ","); for (i in list) wanted[list[i] "x" list[i]] = 1 }
        !($4 in wanted) || $8 == "wrong" || $2 != "whole" || $5 != "1/1x1" || $6 !~ /^(mpi-|auto$|outer-(allgather:neighbor-exchange$|allreduce:ring$|rabenseifner:ring$))/ { next }
        { key = ($6 ~ /^mpi-/ ? "mpi-allreduce" : $6) "\",\"shape\":\"" $4
          if (!(key in us)) { order[n++] = key; us[key] = $7 }
          if ($7 < us[key]) us[key] = $7 }
        END {
            printf "{\"command\":\"bench outer\",\"simulated\":\"10 Gb/s Ethernet, one core per node (SimGrid)\","
            printf "\"ranks\":%d,\"results\":[", ranks
            for (i = 0; i < n; i++)
                printf "%s{\"algorithm\":\"%s\",\"pairs\":1,\"samples_ns\":[[%.0f]]}", i ? "," : "", order[i], us[order[i]] * 1000
            print "]}" }'
}

simulate() {
    export OUT="${OUT:-$root/build/scale}" SCALE_SIZES="$(echo "$sizes" | tr ',' ' ')" SUMMAND="$summand"
    for p in 8 16 32 48; do
        SCALE_ONLY="outer-1-$p-[!p]*" sh "$root/bench/scale.sh" outer > "$work/out" || { cat "$work/out" >&2 && exit 1; }
        report_of $p > "$work/report"
        cp "$work/report" "$folder/simulated-$p.json"
    done
}

figure() { # figure N FILE INPUT...
    number=$1 output=$2
    shift 2
    "$summand-study" outer --figure "$number" -o "$output" "$@" > /dev/null
}

by_ranks() { # by_ranks PREFIX: the numbers of ranks, ascending
    find "$folder" -name "$1[0-9]*.json" | sed "s,.*/$1,,; s/\\.json\$//" | sort -n
}

draw() {
    all='' simulated='' most=''
    for p in $(by_ranks ''); do
        most=$folder/$p.json
        all="$all $most"
    done
    for p in $(by_ranks simulated-); do simulated="$simulated $folder/simulated-$p.json"; done
    [ -n "$all$simulated" ] || { echo "outer_figures: $folder has no launches to draw" >&2 && exit 1; }
    # shellcheck disable=SC2086
    for number in 2 3 4 5 6 7 8 9 10 11 12; do
        [ $number -gt 5 ] || set -- $most
        [ $number -le 5 ] || set -- $all
        [ $# = 0 ] || figure $number "$folder/figure-$number.svg" "$@"
        case $number in 7 | 10) [ -z "$simulated" ] || figure $number "$folder/simulated-$number.svg" $simulated ;; esac
    done
}

for word; do
    case $word in
    measure | simulate | draw) ;;
    *) echo "outer_figures: '$word' is not measure, simulate or draw" >&2 && exit 2 ;;
    esac
done
todo=$*
for word in $todo; do $word; done
