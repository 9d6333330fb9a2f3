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
"$SUMMAND" sum - - < one 2> err && fail 'standard input twice'
grep -q 'named 2 times' err || fail "standard input twice: $(cat err)"
"$SUMMAND" sum --columns names.csv --header yes 2> err > out
grep -q 'columns of text are left out: city' err || fail "a column of text: $(cat err)"
finish
