#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Programs that do to their process what a library may not expect give with a record and a report what they give without,
# and both are good.
. "$(dirname "$0")/common.sh"

# edges OPTIONS P ARGUMENT...: with a record in R.
edges() {
    options=$1 ranks=$2
    shift 2
    rm -rf R
    # shellcheck disable=SC2086
    timeout $LIMIT "$SUMMAND" run $options --record R -- "$MPIEXEC" -n "$ranks" "$PROGRAMS/edges" "$@" > out 2> err
}
# good_record CALLS...: the record is whole, and rank N has so many calls.
good_record() {
    "$SUMMAND" diff R R > diff.out 2>&1 || fail "the record: $(cat diff.out)"
    rank=0
    for calls; do
        same "calls of rank $rank" "$(grep -c '^call ' R/rank-0000$rank.txt)" "$calls"
        rank=$((rank + 1))
    done
}

# A loop of each rank rounds before the call, in mode exact too; the report and a comparison say so.
edges '--mode exact --report' 2 harmonic || fail "harmonic: $? $(cat err)"
mv R two
grep -q '^exact: of what the ranks pass in' err || fail "the report does not say what exact is: $(cat err)"
edges '--mode exact' 3 harmonic || fail "harmonic: $? $(cat err)"
"$SUMMAND" diff two R > out 2> err
tr -s '\n ' '  ' < out | grep -q 'what rank 0 passes in differs already' || fail "the comparison does not say it: $(cat out err)"

# A program's own file in the place of our descriptors keeps what it has; the record goes on in its own file, and a
# report does not go where stderr was.
mkdir data
edges '--mode off' 2 closes data all || fail "closes: $? $(cat err)"
same 'closes: its files' "$(cat out)" ''
good_record 3010 3010
edges '--mode off --report' 2 closes data stderr || fail "closes stderr: $? $(cat err)"
same 'closes stderr: its files' "$(cat out)" ''
same 'closes stderr: the report' "$(grep -c '^Allreduce' err)" 1
good_record 3010 3010

# A limit of the files' size ends the record with a line, and not the program; so does a pipe whose reader has gone.
edges '--mode off' 2 small || fail "small: $? $(cat err)"
same 'small: the program' "$(cat out)" 'the end'
same 'small: lines' "$(grep -c 'rank [01]: its record lacks [0-9]* calls or lines: File too large' err)" 2
grep -q '^end ' R/rank-00000.txt && fail 'small: the record says that it is whole'
mkfifo pipe
: < pipe &
timeout $LIMIT "$SUMMAND" run --mpi "$KIND" --mode fast --report -- "$MPIEXEC" -n 1 \
    sh -c "exec '$PROGRAMS/edges' many 2000 2> pipe" > out 2> err || fail "a pipe without a reader: $? $(cat err)"

# Whatever the program's locale is, numbers have points: German has a decimal comma, Turkish other letters for i and I.
export LOCPATH="$work"
for locale in de_DE tr_TR; do
    localedef -i $locale -f UTF-8 "$work/$locale.UTF-8" > made 2>&1 || true
    if [ ! -f "$work/$locale.UTF-8/LC_NUMERIC" ]; then
        echo "left out: $locale, which cannot be made here (Debian: locales)"
        continue
    fi
    if ! timeout $LIMIT "$MPIEXEC" -n 2 "$PROGRAMS/edges" comma $locale.UTF-8 > plain 2>&1; then
        echo "left out: $locale, in which the MPI itself does not start (UCX in Turkish)"
        continue
    fi
    SUMMAND_TIMEOUT=100.5 edges '--mode fast --report=report.json --values 4' 2 comma $locale.UTF-8 || fail "$locale: $? $(cat out err)"
    good_record 102 102
    grep -n ',' R/*.txt && fail "$locale: a comma in the record"
    grep -q '^out.* 1\.0000000000000001e+300\|^out.* 1e+300' R/rank-00000.txt || fail "$locale: the values: $(grep '^out' R/rank-00000.txt | tail -n 2)"
    "$SUMMAND" report report.json > table 2>&1 || fail "$locale: the report: $(cat table)"
    edges '--mode fast --report' 2 comma $locale.UTF-8 || fail "$locale: $? $(cat err)"
    grep -q '^[0-9]*\.[0-9]* s from MPI_Init' err || fail "$locale: the report on stderr: $(cat err)"
done
unset LOCPATH

# The folder of a run is that in which it was started.
mkdir other
edges '--mode fast --report=report.json' 2 moves other || fail "moves: $? $(cat err)"
good_record 6 6
[ -s report.json ] || fail 'moves: no report'
same 'moves: elsewhere' "$(ls other)" ''
# By hand it is that of MPI_Init.
rm -rf R
timeout $LIMIT "$MPIEXEC" -n 2 env LD_PRELOAD="$SHIM" SUMMAND_MODE=fast SUMMAND_RECORD=R SUMMAND_REPORT=report.json \
    "$PROGRAMS/edges" moves other > out 2> err || fail "moves by hand: $? $(cat err)"
same 'moves by hand' "$(ls other | tr '\n' ' ')" 'R report.json '

# A record of more ranks leaves nothing behind.
edges '--mode off' 3 many 5 || fail "many: $? $(cat err)"
cp -r R three
: > three/rank-00012.text
timeout $LIMIT "$SUMMAND" run --mode off --record three -- "$MPIEXEC" -n 2 "$PROGRAMS/edges" many 4 > out 2> err ||
    fail "a record again: $? $(cat err)"
same 'a record again' "$(ls three | tr '\n' ' ')" 'rank-00000.txt rank-00001.txt rank-00012.text '
rm -rf R
mv three R
good_record 4 4

# A signal ends a rank: the record has all its calls.
edges '--mode fast' 2 crashes
same 'crashes: calls' "$(grep -c '^call ' R/rank-00000.txt)" 7
"$SUMMAND" diff R R > out 2> err
same 'crashes: diff' $? 2
grep -q 'no end' err || fail "crashes: diff: $(cat out err)"

# A call with a wrong argument on one rank is not that rank's part of a call.
for mode in fast canonical; do
    plain 2 "$PROGRAMS/edges" retries
    with $mode 2 "$PROGRAMS/edges" retries
    as_plain "retries, $mode"
done

# by_rank RANKS FIRST OTHERS [ROW]: the program on ranks with other variables. One launch for all of them, because launchers of
# Open MPI 5.0 crash where programs are separated by colons.
by_rank() {
    # shellcheck disable=SC2016
    timeout $LIMIT "$MPIEXEC" -n "$1" sh -c 'case ${OMPI_COMM_WORLD_RANK:-${PMI_RANK:?}} in 0) words=$1 ;; *) words=$2 ;; esac
        exec env $words "$3" $4 3' sh "$2" "$3" "$PROGRAMS/edges" "${4:-many}" > out 2> err
}

# Ranks with other settings: an error of one line, which names them.
# settings WORDS FIRST OTHERS
settings() {
    by_rank 3 "LD_PRELOAD=$SHIM $2" "LD_PRELOAD=$SHIM $3" && fail "$2, $3: status 0"
    same "$2, $3: lines" "$(grep -c '^summand: all ranks need the same settings; ' err)" 1
    grep -qF "$1" err || fail "$2, $3: '$(cat err)' lacks '$1'"
}
settings 'SUMMAND_MODE: canonical on rank 0, fast on ranks 1-2' SUMMAND_MODE=canonical SUMMAND_MODE=fast
settings 'SUMMAND_MODE: fast on rank 0, off on ranks 1-2' SUMMAND_MODE= SUMMAND_MODE=off
settings 'SUMMAND_REPORT: set on rank 0, not set on ranks 1-2' SUMMAND_REPORT=1 SUMMAND_REPORT=
# A rank without the library: the others say for what they wait, and end with an error if they were told to.
by_rank 2 "LD_PRELOAD=$SHIM SUMMAND_MODE=fast SUMMAND_STALL=0.2 SUMMAND_TIMEOUT=2" A=1 && fail 'a rank without the library: status 0'
grep -q '^summand: rank 0 of 2 .* has waited .* in MPI_Init, where all ranks compare SUMMAND_MODE' err ||
    fail "a rank without the library: $(cat err)"
by_rank 2 "LD_PRELOAD=$SHIM SUMMAND_MODE=fast SUMMAND_STALL=0.2" A=1 && fail 'a rank without the library, no limit: status 0'
grep -q '^summand: rank 0: .* waited' err || fail "a rank without the library, no limit: $(cat err)"
# What the ranks with the library compare is not taken for a collective of a rank without it.
for row in starts doubles; do
    with="LD_PRELOAD=$SHIM SUMMAND_MODE=fast SUMMAND_TIMEOUT=2"
    by_rank 3 "$with" A=1 $row && fail "$row, others without the library: status 0"
    grep -q '^summand: rank 0: .* waited' err || fail "$row, others without the library: $(cat err)"
    ! grep -q 'goes on' out || fail "$row, others without the library: a rank goes on"
    by_rank 3 A=1 "$with" $row && fail "$row, rank 0 without the library: status 0"
    grep -q '^summand: rank [12]: .* waited' err || fail "$row, rank 0 without the library: $(cat err)"
    ! grep -q 'goes on' out || fail "$row, rank 0 without the library: a rank goes on"
done
finish
