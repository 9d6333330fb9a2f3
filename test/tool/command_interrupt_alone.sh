#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Ctrl-C on long commands without MPI: they end soon, say that they were interrupted, and answer with what
# there is.
. "$(dirname "$0")/common.sh"

# Hundredths of a second of processor time of a process and its workers.
used() {
    cat /proc/[0-9]*/stat 2> gone | awk -v process="$1" '{ sub(/\(.*\)/, "name") }
        $1 == process { ticks += $16 + $17 } $1 == process || $4 == process { ticks += $14 + $15 }
        END { print ticks + 0 }'
}

# interrupt HUNDREDTHS ARGUMENT...: after so much processor time: a busy machine takes longer, and has come as far
interrupt() {
    enough=$1
    shift
    "$SUMMAND" "$@" > out 2> err &
    process=$!
    # A shell's background process ignores the signal until it listens.
    until { grep -q '^SigCgt:.*[2367abef]$' "/proc/$process/status" &&
        [ "$(used $process)" -ge "$enough" ]; } || ! kill -0 $process; do
        sleep 0.05
    done 2> /dev/null
    kill -INT $process || fail "'$*' ended by itself"
    guard $process
    wait $process
    same "'$*': status" $? 130
    kill "$guard" 2> /dev/null
    same "'$*': words" "$(grep -c "interrupted: ${said:-these are the results so far}" err)" 1
}

# What must have a first result has more, until it has one.
interrupt 30 predict -p 20000 -n 1,2,4,8,16,1000000
for enough in 40 200 400 1600; do
    interrupt $enough predict -p 1000 -n 1,2,3,4,5,1m --json
    [ ! -s out ] || break
done
"$CHECK_JSON" out predictions.# > /dev/null || fail 'predict --json: no JSON after Ctrl-C'
interrupt 30 predict -p 2000 -n 1m --json # before its first result
same 'predict --json: without a result' "$("$CHECK_JSON" out predictions.#)" 0
grep -q 'could be predicted' err && fail 'predict: interrupted, and says that nothing can be predicted'
interrupt 50 list --choose allreduce -p 4096 -k 16 --bytes 4..4m --check
head -n 1 out | grep -q 'play/us' || fail "list --check: no table: $(cat out)"
for enough in 40 200 400 1600; do
    interrupt $enough verify -p 60
    [ ! -s out ] || break
done
[ "$(grep -c 'proofs.*faults' out)" -ge 1 ] || fail "verify: no row: $(cat out)"
interrupt 30 verify -p 200 --json -a circulant
same 'verify is not complete' "$("$CHECK_JSON" out complete)" false

# Experiments of papers, and numbers: what is finished is reported, or kept for the next time.
interrupt 30 generate psllh -n 100g -f f64
[ -s out ] || fail 'generate: no numbers'
rm out # gigabytes, where a disk is fast
said='big.npy is not written' interrupt 30 generate psllh -n 100g -o big.npy
[ ! -e big.npy ] || fail 'generate: a file without all its numbers'
for enough in 40 200 400 1600; do
    study interrupt $enough root --nodes 1m --runs 1m --json
    [ ! -s out ] || break
done
runs=$("$CHECK_JSON" out runs)
[ "${runs:-0}" -gt 0 ] && [ "$runs" -lt 1048576 ] || fail "root: $runs runs"
study interrupt 30 rounds --nodes 64m --eps 1e-300 --most 100000
grep -q 'rounds, NOT accurate' out || fail "rounds: $(tail -n 1 out)"
study interrupt 30 distribution --ranks 4096 --max-n 1g --samples 16m --csv d.csv
[ -s d.csv ] || fail 'distribution: no CSV'
for enough in 40 200 400 1600; do
    said='[0-9]* of 320 parts are done, in figures/figure2.part' study interrupt $enough figure 2
    grep -q '^[0-9]' figures/figure2.part && break
done
kept=$(grep -c ' ;$' figures/figure2.part)
said="[0-9]* of 320" study interrupt 30 figure 2
[ "$(grep -c ' ;$' figures/figure2.part)" -ge "$kept" ] || fail 'figure: begins again'
[ "$kept" -gt 0 ] || fail 'figure: keeps nothing'
said='[0-9]* of 405 parts are done, in figures/table.part' study interrupt 30 table

finish
