#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# `summand diff` on records written here by hand: which call it names, its exit status, and records that are damaged.
. "$(dirname "$0")/common.sh"

# record FOLDER RANK RANKS: the beginning of a record; its calls follow on standard input.
record() {
    mkdir -p "$1"
    file=$(printf '%s/rank-%05d.txt' "$1" "$2")
    { printf 'summand record 1\nrank %d of %d\nprogram app\nmpi M 1\nmode off\n' "$2" "$3"; cat; } > "$file"
}

# sums FOLDER: two ranks, five calls; rank 1 has a communicator of its own between the common ones.
sums() {
    for r in 0 1; do
        {
            echo "communicator 0 size 2 rank $r group 00000000000000aa nth 0"
            echo 'call 0 1 MPI_Bcast 3 MPI_INT - 0 '"$([ $r = 0 ] && echo 1111111111111111 || echo -)"' 1111111111111111 mpi main+0x10'
            echo "call 0 2 MPI_Allreduce 4 MPI_DOUBLE MPI_SUM - 222222222222222$r 3333333333333333 ring solve+0x1a4"
            echo 'in 1 2 3 4'
            echo 'out 2 4.5 6 8'
            [ $r = 0 ] || echo 'communicator 1 size 1 rank 0 group 00000000000000bb nth 0'
            [ $r = 0 ] || echo 'call 1 1 MPI_Allreduce 1 MPI_INT MPI_MAX - 4444444444444444 4444444444444444 mpi main+0x20'
            echo "call 0 3 MPI_Reduce 1 MPI_FLOAT MPI_SUM 0 555555555555555$r $([ $r = 0 ] && echo 6666666666666666 || echo -) mpi main+0x30"
            echo "call 0 4 MPI_Allreduce 1 MPI_INT MPI_MAX - 777777777777777$r 8888888888888888 mpi main+0x40"
            echo "end $((4 + r))"
        } | record "$1" $r 2
    done
}

# expect STATUS WORDS: that of `summand diff A B`, with these words among its output.
expect() {
    "$SUMMAND" diff A B > out 2> err
    same "status for '$2'" $? "$1"
    tr -s '\n ' '  ' < out > words
    cat err >> words
    grep -qF -- "$2" words || fail "no '$2' in: $(cat words)"
    narrow out "$2"
}

sums A
# edit SCRIPT RANK...: B is A, with a change by sed on these ranks.
edit() {
    rm -rf B
    cp -r A B
    script=$1
    shift
    for r; do sed -i "$script" B/rank-0000$r.txt; done
}

edit ''
expect 0 'no difference: 9 calls of 2 ranks'
diff -r A B > /dev/null || fail 'the record is not the same'

edit 's/ 3333333333333333 ring/ 3333333333333334 recursive-doubling/; s/4.5 6/4.5000000000000009 6/' 0 1
expect 1 'first difference: call 2 on communicator 0 (2 ranks), MPI_Allreduce, 4 doubles, MPI_SUM, at solve+0x1a4: inputs equal, results differ in 1 of 4: ranks combined in another order (ring, recursive-doubling)'
grep -q '^ *1 *4.5 *4.5000000000000009 *1$' out || fail "the ulps are wrong: $(cat out)"

# Of a word that is no number there is no distance.
sed -i 's/ 4.5000000000000009 6/ 4.5x 6/' B/rank-0000*.txt
expect 1 'results differ in 1 of 4'
grep -q '^ *1 *4.5 *4.5x *-$' out || fail "a word has a distance: $(cat out)"

# Other modes: not the order alone. And a call without its result.
edit 's/^mode off/mode exact/; s/ 3333333333333333 ring/ 3333333333333334 recursive-doubling/' 0 1
expect 1 'results differ on all 2 ranks: the runs have other modes (off: ring, exact: recursive-doubling)'
edit 's/ 3333333333333333 ring/ - ring/' 0 1
expect 1 'results differ on all 2 ranks: in run B the call failed or was not complete'

# The input differs on one rank, and the results on all.
edit 's/ 3333333333333333 ring/ 3333333333333334 ring/' 0 1
sed -i 's/ 2222222222222221 / 2222222222222223 /' B/rank-00001.txt
expect 1 'call 2 on communicator 0 (2 ranks), MPI_Allreduce, 4 doubles, MPI_SUM, at solve+0x1a4: inputs differ on rank 1: the program had parted before'

# Rank 0's result of this call follows from rank 1's input, so it is no other result of equal inputs.
grep -qF '9 calls are in both runs (of all ranks): 1 have other inputs, 1 other results where the input of another rank differs, and 0 other' words || fail "totals: $(cat out)"
grep -qF 'other results of inputs that are equal on all ranks.' words || fail "totals: $(cat out)"

# Rank 1 sees only that its input differs, after rank 0's result did.
edit 's/ 6666666666666666 / 6666666666666667 /' 0
sed -i 's/ 7777777777777771 / 7777777777777770 /' B/rank-00001.txt
expect 1 'call 3 on communicator 0 (2 ranks), MPI_Reduce, 1 float, MPI_SUM, root 0, at main+0x30: inputs equal, results differ on rank 0: ranks combined in another order (both mpi)'

# On several communicators: that of one rank is before the common call.
edit 's/ 4444444444444444 4444444444444444 / 4444444444444444 4444444444444445 /; s/ 8888888888888888 / 8888888888888889 /' 0 1
expect 1 'call 1 on communicator 1 (1 rank), MPI_Allreduce, 1 int, MPI_MAX, at main+0x20: inputs equal, results differ on rank 1: no order of the ranks explains that'

# And behind it.
edit 's/ 4444444444444444 4444444444444444 / 4444444444444444 4444444444444445 /' 1
sed -i 's/ 1111111111111111 1111111111111111 / 1111111111111112 1111111111111112 /' B/rank-00000.txt
expect 1 'call 1 on communicator 0 (2 ranks), MPI_Bcast, 3 ints, root 0, at main+0x10: inputs differ on rank 0'

# Calls of some callers are left out.
"$SUMMAND" diff --ignore main+0x1,main+0x2 A B > out || fail "callers are not left out: $(cat out)"
grep -q '^no difference: 6 calls of 2 ranks' out || fail "calls that are left: $(cat out)"
"$SUMMAND" diff --ignore solve,main+0x3 A B > out && fail 'too many calls are left out'

# Other calls.
edit 's/MPI_Reduce 1 MPI_FLOAT/MPI_Reduce 2 MPI_FLOAT/' 0 1
expect 1 'in run B it is MPI_Reduce, 2 floats, MPI_SUM, root 0, at main+0x30, on all 2 ranks: the program had parted before'
edit '/MPI_INT MPI_MAX - 777/d; s/^end 4/end 3/; s/^end 5/end 4/' 0 1
expect 1 'call 4 on communicator 0 (2 ranks), MPI_Allreduce, 1 int, MPI_MAX, at main+0x40: only run A makes it'
grep -qF 'Without a partner in the other run: 2 calls of A and 0 of B.' out || fail "calls of A alone: $(cat out)"
grep -q '^ *2 *0  MPI_Allreduce  main+0x40$' out || fail "callers of A alone: $(cat out)"
"$SUMMAND" diff --json B A > out
same 'JSON: calls of B alone' "$("$CHECK_JSON" out unmatched.b) $("$CHECK_JSON" out unmatched.callers.0.b)" '2 2'

# Another build: callers elsewhere are no difference. Nor is another order of calls on different communicators.
edit 's/main+0x/begin+0x9/' 0 1
expect 0 'no difference: 9 calls'
edit '/communicator 1\|^call 1 1/{H;d}; /^call 0 4/{G}' 1
sed -i '/^$/d' B/rank-00001.txt
expect 0 'no difference: 9 calls'

# Another number of ranks: by call site.
edit ''
rm B/rank-00001.txt
sed -i 's/rank 0 of 2/rank 0 of 1/; s/ 2222222222222220 / 0123456789abcdef /; s/ 8888888888888888 / 8888888888888887 /; s/size 2/size 1/' B/rank-00000.txt
expect 1 'first different result on rank 0: call 4 of A and 4 of B on communicator 0, MPI_Allreduce, 1 int, MPI_MAX, at main+0x40'
same 'compared' "$(grep -c '^4 results of rank 0 were compared, 1 differ' out)" 1
"$SUMMAND" diff --json A B > out && fail 'a difference in JSON has status 0'
same 'JSON of results' "$("$CHECK_JSON" out results_differ)" 1

# Of another build: by function and order. Calls without a partner, and those that are not compared, are counted.
sed -i 's/main+0x40/main+0x99/; s/solve+0x1a4/solve+0x9/; s/^call 0 1 MPI_Bcast/call 0 1 MPI_Allgather/; s/main+0x30/other+0x30/' B/rank-00000.txt
expect 1 'call 4 of A and 4 of B on communicator 0, MPI_Allreduce, 1 int, MPI_MAX, at main+0x40 and at main+0x99'
for line in '2 results of rank 0 were compared, 1 differ.' '2 of them by function and order: the call sites of the runs differ.' \
    '0 calls of A and 1 of B are others, or have no result on rank 0.' 'Without a partner in the other run: 2 calls of A and 1 of B.'; do
    grep -qxF "$line" out || fail "no line '$line': $(cat out)"
done
sed -i 's/ MPI_SUM / MPI_PROD /; s/ MPI_MAX / MPI_MIN /' B/rank-00000.txt
expect 2 'no call of rank 0 can be compared'
expect 2 'Without a partner in the other run: 4 calls of A and 3 of B.'

# JSON, also where a rank has no input or no result.
edit 's/ 6666666666666666 / 6666666666666667 /' 0
"$SUMMAND" diff --json A B > out
same 'JSON: a result on the root' "$("$CHECK_JSON" out first.ranks.0.a.result) $("$CHECK_JSON" out first.ranks.1.a.result)" '6666666666666666 null'
edit 's/ 3333333333333333 ring/ 3333333333333334 ring/; s/4.5 6/-4.5 6/' 0 1
"$SUMMAND" diff --json A B > out && fail 'a difference in JSON has status 0'
same 'JSON: kind' "$("$CHECK_JSON" out first.kind)" results
same 'JSON: values' "$("$CHECK_JSON" out first.ranks.1.values.0.b)" -4.5
same 'JSON: results' "$("$CHECK_JSON" out results_differ)" 2

# Damage. A record without its end: no difference up to there is no answer, and one that is there is.
edit '/^end/d' 1
expect 2 'B: the record of rank 1 has no end'
edit 's/ 8888888888888888 / 8888888888888889 /; /^end/d' 0 1
expect 1 'call 4 on communicator 0'
edit '/MPI_INT MPI_MAX - 777/d; /^end/d' 0 1
expect 2 'B: the record of rank 0 has no end'
printf 'call 0 4 MPI_Allr' >> B/rank-00001.txt
expect 2 'B: the record of rank 0 has no end'
edit ''
rm B/rank-00001.txt
expect 2 'B: records of 1 of 2 ranks are missing'
edit 's/rank 1 of 2/rank 1 of 3/' 1
expect 2 'B: holds records of several runs: rank 0 is one of 2, rank 1 one of 3'
edit ''
cp B/rank-00001.txt B/rank-00002.txt
expect 2 'B: holds records of several runs: rank 0 is one of 2, but rank 2 has a file'
edit ''
cp B/rank-00000.txt B/rank-00001.txt
expect 2 'the record of another rank'
edit 's/ 3333333333333333 / 333333333333333 /' 0
expect 2 'B/rank-00000.txt: line 8: no hashes of 16 hexadecimal digits'
edit 's/^end 4/end 5/' 0
expect 2 'B/rank-00000.txt: line 13: another number of calls than above'
edit 's/^call 0 3/call 0 2/' 0
expect 2 'B/rank-00000.txt: a call of this communicator and number stands twice'
edit 's/^call 0 3/call 7 3/' 0
expect 2 'a communicator that no line before describes'
: > B/rank-00000.txt
expect 2 'B/rank-00000.txt: is no record'
rm -r B
expect 2 'B: No such file or directory'
mkdir B
expect 2 'B: no records'
: > B/rank-0.txt
expect 2 'B: no records'
"$SUMMAND" diff A > out 2> err
same 'one folder' $? 2

# Two ranks that never meet: the difference after fewer calls comes first.
# apart FOLDER HASH: rank 0 has three calls, rank 1 one; the last one of each has this result.
apart() {
    rm -rf "$1"
    for r in 0 1; do
        {
            echo "communicator 0 size 1 rank 0 group 00000000000000a$r nth 0"
            for k in $([ $r = 0 ] && echo 1 2) 3; do
                echo "call 0 $k MPI_Allreduce 1 MPI_INT MPI_MAX - 1111111111111111 $([ "$k" = 3 ] && echo "$2" || echo 1111111111111111) mpi main+0x${r}0"
            done
            echo "end $((3 - 2 * r))"
        } | record "$1" $r 2
    done
}
apart A 1111111111111111
apart B 2222222222222222
expect 1 'call 3 on communicator 0 (1 rank), MPI_Allreduce, 1 int, MPI_MAX, at main+0x10: inputs equal'
finish
