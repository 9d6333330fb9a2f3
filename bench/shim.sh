#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# What the shim costs or brings: a program alone, and with the library preloaded in several ways, in turns.
#     cmake --build build/openmpi --target summand-mpi bench-calls
#     bench/shim.sh [-n TURNS] [-w WAYS] BUILD WORDS...   how the program starts: mpiexec -n 2 lmp -in FILE
#     bench/shim.sh build/openmpi mpiexec.openmpi -n 2 --bind-to core build/openmpi/bench/bench-calls
# WAYS: "alone", "record", "report", and modes ("alone off fast canonical record report").
# In each of TURNS (9) turns each way runs once, and begins with the next one. Printed are medians over the turns, as
# ratios to the program alone in the same turn, with the quartiles: of the seconds that the command takes, and of each
# number of the lines "WORD NUMBER" that it prints, as bench-calls does. Run it while nothing else runs.
set -eu
turns=9
ways='alone off fast canonical record report'
while getopts n:w: option; do
    case $option in
    n) turns=$OPTARG ;;
    w) ways=$OPTARG ;;
    *) exit 2 ;;
    esac
done
shift $((OPTIND - 1))
[ $# -ge 2 ] || { sed -n '3,11s/^# //p' "$0" >&2 && exit 2; }
build=$(cd "$1" && pwd)
shift
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
library=$(find "$build" -maxdepth 1 -name 'libsummand-mpi-*.so' ! -name '*-core.so')

# run WAY COMMAND...: one run; lines "WAY WORD NUMBER" are added to the file.
run()
{
    way=$1
    shift
    rm -rf "$work/record"
    begin=$(date +%s%N)
    case $way in
    alone) "$@" ;;
    record) LD_PRELOAD=$library SUMMAND_MODE=off SUMMAND_RECORD=$work/record "$@" ;;
    report) LD_PRELOAD=$library SUMMAND_MODE=off SUMMAND_REPORT=$work/report "$@" ;;
    *) LD_PRELOAD=$library SUMMAND_MODE=$way "$@" ;;
    esac >"$work/out" 2>"$work/err" || { cat "$work/err" >&2 && exit 1; }
    end=$(date +%s%N)
    echo "$turn $way seconds $(((end - begin) / 1000))e-6"
    awk -v w="$turn $way" 'NF == 2 && $2 ~ /^[0-9.]+(e[-+]?[0-9]+)?$/ && $2 > 0 { print w, $1, $2 }' "$work/out"
}

turn=0
while [ "$turn" -lt "$turns" ]; do
    turn=$((turn + 1))
    echo "turn $turn of $turns" >&2
    for way in $ways; do
        run "$way" "$@" >>"$work/lines"
    done
    ways="${ways#* } ${ways%% *}"
done
grep -m 1 'model name' /proc/cpuinfo | sed 's/.*: //'
awk '
    { x[$1, $2, $3] = $4; if (!seen[$3]++) words[++n] = $3; if (!known[$2]++) ways[++m] = $2; turns = $1 }
    function quantile(q) { return r[int(q * (k - 1) + 1.5)] }
    function sort(   i, j, t) {
        for (i = 2; i <= k; i++) { t = r[i]; for (j = i - 1; j > 0 && r[j] > t; j--) r[j + 1] = r[j]; r[j + 1] = t }
    }
    END {
        printf "%-10s %12s", "", "alone"
        for (w = 1; w <= m; w++) if (ways[w] != "alone") printf "  %-18s", ways[w]
        print ""
        for (i = 1; i <= n; i++) {
            k = 0
            for (t = 1; t <= turns; t++) r[++k] = x[t, "alone", words[i]]
            sort()
            printf "%-10s %12.4f", words[i], quantile(0.5)
            for (w = 1; w <= m; w++) {
                if (ways[w] == "alone") continue
                k = 0
                for (t = 1; t <= turns; t++) r[++k] = x[t, ways[w], words[i]] / x[t, "alone", words[i]]
                sort()
                printf "  %5.2f [%4.2f, %4.2f]", quantile(0.5), quantile(0.25), quantile(0.75)
            }
            print ""
        }
    }' "$work/lines"
