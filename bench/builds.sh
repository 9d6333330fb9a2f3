#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Compares an old and a new build: is anything slower? Takes less than 9 minutes.
#     bench/builds.sh OLD NEW [PART...]
# OLD, NEW: folders of builds for Open MPI, with the command `summand`. PARTS: short (calls of 8 B, 20 launches of each
# build), long (128 B to 8 MiB, 6 launches), sums (460 and 65,536 elements, 6 launches), verify (processor time of a
# proof, of each algorithm that both have, 1 to 20 ranks, 6 runs). Launches of the builds take turns, and each pair
# gives one ratio, new over old: 1.02 takes 2 % longer. Shown are the median of the ratios and its 95 % interval, from
# order statistics as in bench/measure.h. A row is "slower" if all of the interval lies above 1.03. The exit status
# is 1 if there is such a row. Run it while nothing else runs (verify: at any time); SUMMAND_* variables hold as usual.
set -eu
old=${1:?usage: builds.sh OLD NEW [PART...]} new=${2:?usage: builds.sh OLD NEW [PART...]}
shift 2
parts=${*:-short long sums verify}
# shellcheck disable=SC2046
export $(grep -v '^#' "$(dirname "$0")/../packaging/launcher.env") SUMMAND_WARNINGS=off
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM

# Lines "BUILD LAUNCH SECONDS ROW" from the CSV of a launch; fields in quotes have commas.
rows()
{
    sed 's/""//g; s/"[^"]*"//g' "$work/csv" | awk -F, -v build="$1" -v launch="$2" '
        NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
        "subject" in at && $at["subject"] !~ /^(call|plan)$/ { next }
        { what = $at["benchmark"] ", " $at["ranks"] " ranks"
          if ("subject" in at) what = what ", " $at["subject"]
          if ("method" in at) what = what ", " $at["method"]
          print build, launch, $at["median_s"], what ", " ("bytes" in at ? $at["bytes"] " B" : $at["n"] " elements") }'
}

# launch BUILD LAUNCH RANKS WORD...: `summand bench` with these words.
launch()
{
    build=$1 number=$2 ranks=$3 bind=core
    shift 3
    [ "$ranks" -le "$(nproc)" ] || bind=none
    eval "folder=\$$build"
    rm -f "$work/csv"
    if timeout 60 mpiexec.openmpi -np "$ranks" --bind-to $bind "$folder/summand" bench "$@" --csv "$work/csv" \
        >"$work/out" 2>&1; then
        rows "$build" "$number" >>"$work/rows"
    else
        echo "failed: $folder/summand bench $*" >&2
        tail -n 3 "$work/out" >&2
        exit 2
    fi
}

# in_turn LAUNCHES RANKS WORD...: LAUNCHES launches of each build; the builds take turns in being first.
in_turn()
{
    launches=$1
    shift
    i=0
    while [ $i -lt "$launches" ]; do
        order='old new'
        [ $((i % 2)) = 0 ] || order='new old'
        for which in $order; do launch $which $i "$@"; done
        i=$((i + 1))
    done
}

part_short()
{
    in_turn 20 2 overhead --budget 0.3
    for ranks in 2 4; do
        for collective in allreduce reduce; do
            in_turn 20 $ranks $collective --datatype double --algorithms auto --sizes 8 --budget 0.2
        done
    done
}

part_long()
{
    for ranks in 2 4; do
        for collective in allreduce reduce; do
            in_turn 6 $ranks $collective --datatype double --algorithms auto --sizes 128..8m:16 --budget 0.2
        done
    done
}

part_sums()
{
    in_turn 6 2 sum --n 460,65536 --methods exact,exact-call,tree,tree-call --budget 0.2
}

# Processor seconds for each proof.
verify_once()
{
    eval "folder=\$$1"
    sh -c '"$0" verify --json --jobs 1 -p 20 -a "$1"; times' "$folder/summand" "$3" |
        awk -v build="$1" -v run="$2" -v what="verify, $3, each proof" '
            /"proofs":/ { sub(/.*: */, ""); proofs += $0 }
            END { split($1, user, /[ms]/); split($2, kernel, /[ms]/)
                  print build, run, (60 * (user[1] + kernel[1]) + user[2] + kernel[2]) / proofs, what }' >>"$work/rows"
}

part_verify()
{
    for build in old new; do
        eval "folder=\$$build"
        "$folder/summand" list --json | tr ',{' '\n\n' | sed -n 's/^ *"name": *"\([a-z-]*\)".*/\1/p' | sort -u >"$work/$build"
    done
    for name in $(comm -12 "$work/old" "$work/new"); do
        "$old/summand" verify -q -p 1 -a "$name" >/dev/null 2>&1 || continue # no algorithm
        for run in 1 2 3 4 5 6; do
            for which in old new; do verify_once $which $run "$name"; done
        done
    done
}

grep -m 1 'model name' /proc/cpuinfo || true
echo "$(nproc) processors, load $(cut -d ' ' -f 1-3 /proc/loadavg), $(date -u +%Y-%m-%d)"
: >"$work/rows"
for part in $parts; do "part_$part"; done
echo
echo '| new over old, time | median | 95 % interval | launches | |'
echo '|---|---|---|---|---|'
awk '
    { what = $0; sub(/^[^ ]* [^ ]* [^ ]* /, "", what)
      if (!(what in seen)) { seen[what]; row[++rows] = what }
      time[$1, $2, what] = $3
      if (!((what, $2) in had)) { had[what, $2]; launch[what, ++count[what]] = $2 } }
    # The number of values that may be left out at either end of n sorted ones.
    function left_out(n,   k, i, p, sum) {
        p = exp(-n * log(2)); sum = p
        for (k = 0; 2 * sum <= 0.05; ) { k++; p *= (n - k + 1) / k; sum += p }
        return k > 0 ? k - 1 : 0
    }
    END {
        for (r = 1; r <= rows; r++) {
            what = row[r]; n = 0
            for (i = 1; i <= count[what]; i++) {
                l = launch[what, i]
                if (!(("old", l, what) in time) || !(("new", l, what) in time) || time["old", l, what] <= 0) continue
                x = time["new", l, what] / time["old", l, what]
                for (j = ++n; j > 1 && ratio[j - 1] > x; j--) ratio[j] = ratio[j - 1]
                ratio[j] = x
            }
            if (!n) continue
            k = left_out(n)
            median = (ratio[int((n + 1) / 2)] + ratio[int(n / 2) + 1]) / 2
            slower = ratio[1 + k] > 1.03
            bad += slower
            printf "| %s | %.3f | %.3f, %.3f | %d | %s |\n", what, median, ratio[1 + k], ratio[n - k], n, slower ? "slower" : ""
        }
        printf "\n%d rows, %d slower\n", rows, bad
        exit bad > 0
    }' "$work/rows"
