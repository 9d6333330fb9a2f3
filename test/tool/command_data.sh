#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Files as people have them: text, tables, arrays of all types and shapes, archives, standard input. Oracle: the sums
# of data_files.py, in fractions, of what Python and NumPy write and read.
. "$(dirname "$0")/common.sh"
tests=$(cd "$(dirname "$0")" && pwd)

# The one that has NumPy, if there is one.
python=
for name in python3 /usr/bin/python3; do
    "$name" -c 'import numpy' 2> err && python=$name && break
done
[ -n "$python" ] || command -v python3 > python || { echo 'python3 is missing'; exit 77; }
${python:-python3} "$tests/data_files.py" > cases 2> said || fail "data_files.py: $(cat said)"
cat said
[ "$(wc -l < cases)" -ge 90 ] || fail 'few cases'

tab=$(printf '\t')
while IFS=$tab read -r expected words <&3; do
    # shellcheck disable=SC2086
    queue sum $words
    echo "$expected" > $line.expected
done 3< cases
for p in 1 3; do
    launch $p
    for number in $(seq $line); do
        what="'$(cat $number.line)' on $p ranks"
        expected=$(cat $number.expected)
        case $expected in
        !*)
            same "$what: ranks with status 0" "$(grep -cx 0 $number.status)" 0
            same "$what: sentences" "$(grep -c '^summand sum: ' $number.err)" 1
            grep -qF -e "${expected#!}" $number.err || fail "$what: '$(cat $number.err)' lacks '${expected#!}'" ;;
        *)
            take $number || fail "$what: $(cat err)"
            same "$what" "$(grep -o '0x[0-9a-f]\{16\}' out | tr '\n' ' ')" "$expected " ;;
        esac
    done
done

# Standard input, of which only rank 0 has any; the bits are those of the file. MPICH's launcher loses what does not
# fit into a pipe, 64 KiB, before rank 0 reads (Hydra 4.0.2).
for p in 1 3; do
    for words in 'layout.txt --format text' 'names.csv --columns --header yes' one told 'deflated.npz --array x'; do
        # shellcheck disable=SC2086
        set -- $words
        file=$1
        shift
        run $p sum "$@" "$file" && grep -o '0x[0-9a-f]\{16\}' out > bits || fail "$words: $(cat err)"
        timeout $LIMIT "$MPIEXEC" -n $p "$SUMMAND" sum "$@" - < "$file" > out 2> err || fail "- $words: $(cat err)"
        same "$words from standard input on $p ranks" "$(grep -o '0x[0-9a-f]\{16\}' out)" "$(cat bits)"
    done
done
# The sums alone; and standard input that nothing names.
same 'a plain sum' "$(printf '1\n2.5\n' | "$SUMMAND" sum --plain 2> err)" 3.5
same 'its remark' "$(cat err)" 'summand sum: no file given: standard input is read'
printf 'x,y\n0.1,3\n0.2,4\n' > plain.csv
same 'plain columns' "$("$SUMMAND" sum --plain --columns < plain.csv 2> err | tr '\n' ' ')" '0.30000000000000004 7 '
timeout $LIMIT "$MPIEXEC" -n 3 "$SUMMAND" sum --plain --method all one told < /dev/null > out 2> err
same 'plain sums of two files' "$(sed -n 1p out) $(wc -l < out)" "$(sed -n 4p out) 6"
"$SUMMAND" sum - - < one 2> err && fail 'standard input twice'
grep -q 'named 2 times' err || fail "standard input twice: $(cat err)"
"$SUMMAND" sum --columns names.csv --header yes 2> err > out
grep -q 'columns of text are left out: city' err || fail "a column of text: $(cat err)"
"$SUMMAND" sum --column 1 --column 2 names.csv 2> err && fail 'a column given twice'
grep -q -- '--column: given twice' err || fail "a column given twice: $(cat err)"
awk 'BEGIN { for (i = 0; i < 99; i++) printf "name%d,", i; print "x"; for (i = 0; i < 99; i++) printf "word,"; print 1 }' > many.csv
"$SUMMAND" sum --columns many.csv 2> err > out
grep -q 'left out: name0, .* and [0-9]* more$' err || fail "many columns of text: $(cat err)"

# A first line of numbers that may be names is taken for values, with a remark.
remark() { # remark WORDS TEXT OPTION...: the words of a remark, or none
    words=$1
    printf "$2" > first.csv
    shift 2
    "$SUMMAND" sum "$@" first.csv 2> err > out || fail "first line: $(cat err)"
    same "remark on '$(cat first.csv)'" "$(sed -n 's/.*line 1 may have names of columns (\(.*\)); it is .*/\1/p' err)" "$words"
}
remark '2019, ...' '2019,2020\n1,2\n3,4\n' --columns
remark '2020, ...' '2020;2018;2016\n\n1;2;3\n' --columns
remark '2019' '2019\n1\n2\n'
remark '0, ...' '0 1 2\n1.5 2 3\n' --columns
remark '0, ...' ',0,1\n5,1.5,2\n' --column 1
remark '' '2019,2020\n2021,2022\n' --columns
remark '' '2019,2020\n1,2\n' --columns --header no
remark '' '2019,2020\n1,2\n' --columns --header yes
remark '' '0 1 2\n0 1 2\n' --columns
remark '' '1 2 3\n4 6 8\n' --columns
remark '' '2019,2021,2022\n1,2,3\n' --columns
remark '' '2019.5\n1\n'
finish
