#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Records of a program that knows nothing of Summand: hashes of its own buffers, which `summand diff` compares.
. "$(dirname "$0")/common.sh"
tests=$(dirname "$0")/../shim
tests=$(cd "$tests" && pwd)
preload=$SHIM${YIELD:+:$YIELD}
unset LD_PRELOAD

# calls RANKS RECORD WORD...: the program on so many ranks; the words are variables and, after --, arguments.
calls() {
    ranks=$1 record=$2
    shift 2
    timeout $LIMIT "$MPIEXEC" -n "$ranks" env LD_PRELOAD="$preload" SUMMAND_MODE=off SUMMAND_RECORD="$record" "$@" > out 2> err
}
# expect STATUS WORDS A B: that of `summand diff A B`, with these words in its output.
expect() {
    "$SUMMAND" diff "$3" "$4" > out 2> err
    same "status of diff $3 $4" $? "$1"
    cat out err | tr -s '\n ' '  ' > words
    grep -q -- "$2" words || fail "diff $3 $4: no '$2' in: $(cat words)"
    narrow out "diff $3 $4"
}

# Two runs are the same, to diff(1) as well: no address, time or rubbish of a gap is in a record.
mkdir bytes other
calls 3 A SUMMAND_RECORD_VALUES=12 "$RECORD_CALLS" bytes || fail "the program fails: $(cat err)"
[ -s err ] && fail "the record is not silent: $(cat err)"
calls 3 B SUMMAND_RECORD_VALUES=12 "$RECORD_CALLS" other || fail "the program fails: $(cat err)"
expect 0 'no difference: 90 calls of 3 ranks have the same inputs and results' A B
diff -r A B > differences || fail "equal runs have other records: $(head -n 5 differences)"
grep -q 'MPI_SUM - [0-9a-f]* [0-9a-f]* mpi solve+0x' A/rank-00000.txt || fail "no call of solve: $(tail -n 3 A/rank-00000.txt)"

# Each hash, computed by another program from the bytes that the program saw.
python3 "$tests/record_hash.py" A bytes > hashes || fail "record_hash.py: $(cat hashes)"
same 'hashes computed again' "$(tail -n 1 hashes)" '124 hashes'
same 'hashes that differ' "$(head -n 3 hashes)" '124 hashes'

# The values are those of the hashes.
same 'values' "$(sed -n '/^call 0 7 /,/^call/p' A/rank-00000.txt | grep '^in')" \
    'in 0.125 -7 0.1111111111111111 0 0.10000000000000001 7'

# Calls that are complete when they start.
same 'results on one rank' "$(grep -A 2 'MPI_Iallreduce 1 MPI_INT' A/rank-00000.txt | grep ^out | tr '\n' ' ')" 'out 41 out 43 '

# Another input on one rank.
rm other/*
calls 3 C "$RECORD_CALLS" other order || fail "the program fails: $(cat err)"
expect 1 'first difference: call 22 on communicator 0 (3 ranks), MPI_Allreduce, 12 doubles, MPI_SUM, at solve+0x[0-9a-f]*: inputs differ on rank 1: the program had parted before' A C

# Served by Summand: other algorithms, and what they return.
rm other/*
calls 3 D SUMMAND_MODE=canonical "$RECORD_CALLS" other || fail "the program fails: $(cat err)"
grep -q ' [a-z-]* solve+0x' D/rank-00000.txt || fail "no algorithm: $(tail -n 3 D/rank-00000.txt)"
grep ' solve+0x' D/rank-00000.txt | grep -q ' mpi solve' && fail 'canonical is not served'
python3 "$tests/record_hash.py" D other > hashes || fail "record_hash.py: $(cat hashes)"
same 'hashes of served calls' "$(cat hashes)" '124 hashes'

# Two algorithms.
for algorithm in recursive-doubling ring; do
    rm other/*
    echo "allreduce 4 0- $algorithm" > tuned
    calls 4 $algorithm SUMMAND_MODE=fast SUMMAND_TUNING=tuned SUMMAND_RECORD_VALUES=20 "$RECORD_CALLS" other ||
        fail "the program fails: $(cat err)"
done
expect 1 'first difference: call 22 on communicator 0 (4 ranks), MPI_Allreduce, 12 doubles, MPI_SUM, at solve+0x[0-9a-f]*: inputs equal, results differ in [0-9]* of 12: ranks combined in another order (recursive-doubling, ring)' recursive-doubling ring
grep -q '^ *[0-9]* *[0-9.]* *[0-9.]* *[1-4]$' out || fail "no distance in ulps: $(cat out)"

# Other numbers of ranks.
expect 1 'first different result on rank 0: call ' A ring

# A program that a rank starts leaves the record of the rank alone.
rm other/*
calls 3 P "$RECORD_CALLS" other child || fail "the program fails: $(cat err)"
same 'words of the second program' "$(grep -c '^summand: rank 0: P: a running program writes its record there' err)" 1
expect 0 'no difference' A P

# The program ends in the middle: without a word to anybody, and by MPI_Abort.
rm other/*
calls 3 G "$RECORD_CALLS" other lose
expect 2 'G: the record of rank 0 has no end' A G
for r in 0 1 2; do
    rm -f other/*
    calls 3 H$r "$RECORD_CALLS" other abort $r && fail 'an abort is not one'
    same "calls before MPI_Abort on rank $r" "$(grep -c ^call H$r/rank-0000$r.txt)" 30
    grep -q ' 4 MPI_Iallreduce 12 MPI_DOUBLE MPI_SUM - [0-9a-f]* - mpi ' H$r/rank-0000$r.txt ||
        fail "a call that is not complete: $(tail -n 3 H$r/rank-0000$r.txt)"
done
expect 1 'MPI_Iallreduce, 12 doubles, MPI_SUM, at [^:]*: only run B makes it, on rank 2' A H2

# NaN show all their bits if these are not the usual ones, so two of them look different.
for n in 0 7; do
    calls 1 nan$n SUMMAND_RECORD_VALUES=4 "$RECORD_CALLS" other nan $n || fail "the program fails: $(cat err)"
done
same 'NaN of 7' "$(grep '^in' nan7/rank-00000.txt | tr '\n' ' ')" \
    'in nan(0x8000000000007) -nan(0x7) in nan(0x400007) -nan(0x7) '
same 'usual NaN and infinities' "$(grep '^in' nan0/rank-00000.txt | tr '\n' ' ')" 'in nan -inf in nan -inf '
expect 1 'nan nan(0x8000000000007) -' nan0 nan7

# Persistent requests that ranks start in different orders, beside samples; and a wait that fails.
calls 3 R SUMMAND_REPORT=report SUMMAND_REPORT_SAMPLE=2 "$RECORD_CALLS" other requests || fail "the program fails: $(cat err)"
for r in 0 1 2; do
    same "calls of requests on rank $r" "$(tail -n 1 R/rank-0000$r.txt)" 'end 152'
    same "results of requests on rank $r" "$(grep ^call R/rank-0000$r.txt | awk '$10 == "-"' | wc -l)" 0
done

# What cannot be written is said, and the program goes on.
rm other/*
: > file
calls 3 file "$RECORD_CALLS" other || fail "the program fails: $(cat err)"
same 'words of a folder that is none' "$(grep -c 'summand: rank [0-2]: file: Not a directory' err)" 3
rm other/*
mkdir full
ln -s /dev/full full/rank-00001.txt
calls 3 full "$RECORD_CALLS" other || fail "the program fails: $(cat err)"
grep -q 'summand: rank 1: full: No space left on device' err || fail "a full disk is not told: $(cat err)"
finish
