#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Every format gives the same numbers to every rank count and distribution. The oracle is integer
# arithmetic: 1 + 2 + ... + n = n (n + 1) / 2, exact in a double.
. "$(dirname "$0")/common.sh"

result() { # result COLUMN: of the last line of the table
    awk -v c="$1" 'END { print $c }' out
}

column() { # column COLUMN: of all lines
    awk -v c="$1" '!/^#/ && head++ { printf "%s%s", (head > 2 ? " " : ""), $c }' out
}

n=1001
{ echo $n; seq $n; } > x.psllh
sum=$((n * (n + 1) / 2))
squares=$((n * (n + 1) * (2 * n + 1) / 6))
for p in 1 2 3 7; do
    run $p sum x.psllh || fail "psllh on $p ranks: $(cat err)"
    same "psllh on $p ranks" "$(result 6)" $sum
    run $p sum --op asum x.psllh
    same "asum on $p ranks" "$(result 6)" $sum
    run $p sum --op dot x.psllh x.psllh
    same "dot on $p ranks" "$(result 7)" $squares # after two files
done

# Text as editors and other systems leave it.
printf '4\r\n1\r\n2\r\n\r\n3\r\n4' > crlf.psllh
printf '  2\n\t0x1p1 -1e0   \n\n\n' > blanks.psllh
printf '0\n' > none.psllh
printf '1\n-0.0\n' > one.psllh
awk 'BEGIN { print 3; for (i = 0; i < 3; i++) { printf "%0300d\n", i } }' > wide.psllh
for p in 1 2 5; do
    run $p sum crlf.psllh blanks.psllh none.psllh one.psllh wide.psllh || fail "text: $(cat err)"
    same "text on $p ranks" "$(column 6)" '10 1 0 -0 3'
done

# Bytes written by hand: 1.5 and 2.5.
f64='\0\0\0\0\0\0\370\077\0\0\0\0\0\0\004\100'
printf '\0\0\300\077\0\0\040\100' > b.f32
printf "$f64" > b.f64
printf '\002\0\0\0\0\0\0\0'"$f64" > b.binpsllh
header="{'descr': '<f8', 'fortran_order': False, 'shape': (2,), }"
printf '\223NUMPY\001\000\072\000%-57s\n'"$f64" "$header" > b1.npy
printf '\223NUMPY\002\000\072\000\000\000%-57s\n'"$f64" "$header" > b2.npy
printf '\223NUMPY\001\000\072\000%-57s\n\0\0\300\077\0\0\040\100' "$(echo "$header" | sed 's/f8/f4/')" > b4.npy
printf '\223NUMPY\001\000\072\000%-57s\n\077\370\0\0\0\0\0\0\100\004\0\0\0\0\0\0' "$(echo "$header" | sed 's/</>/')" > b5.npy
printf '\223NUMPY\002\000\240\206\001\000%-99999s\n'"$f64" "$header" > b6.npy
for p in 1 3; do
    run $p sum b.f32 b.f64 b.binpsllh b1.npy b2.npy b4.npy b5.npy b6.npy || fail "bytes: $(cat err)"
    same "bytes on $p ranks" "$(column 6)" '4 4 4 4 4 4 4 4'
done

# Other types and shapes of vectors, and the order of which a vector has none. The oracle: the decimal values.
npy() { # npy FILE DESCR ORDER SHAPE BYTES
    printf '\223NUMPY\001\000\166\000%-117s\n'"$5" "{'descr': '$2', 'fortran_order': $3, 'shape': $4, }" > "$1"
}
npy t1.npy '|u1' True '(3,)' '\001\377\002'
npy t2.npy '|i1' False '(3, 1)' '\001\377\002'
npy t3.npy '>i2' True '(1, 2)' '\377\376\001\000'
npy t4.npy '<i8' True '(2,)' '\000\000\000\000\000\000\040\000\001\000\000\000\000\000\340\377'
npy t5.npy '|b1' False '()' '\001'
npy t6.npy '<f2' False '(2,)' '\000\076\000\101'
npy t7.npy '<u4' False '(0,)' ''
for p in 1 3; do
    run $p sum t1.npy t2.npy t3.npy t4.npy t5.npy t6.npy t7.npy || fail "types: $(cat err)"
    same "types on $p ranks" "$(column 6)" '258 2 254 1 1 4 0'
done
refused() { # refused FILE WORDS
    run 2 sum "$1" && fail "$1 is taken"
    grep -q "$2" err || fail "$1: $(cat err)"
}
npy w2.npy '<c7' False '(1,)' '\000\000\000\000\000\000\000\000'
npy w3.npy '<f8' True '(2, 2)' '\000\000\000\000\000\000\000\000'
refused w2.npy "its values are '<c7'; f2, f4, f8"
refused w3.npy '4 values of 8 bytes announced, but the file is too short'

# Columns of matrices, in both orders. The first column of the last one is 2^53 + 1 + 1, which a loop rounds twice.
npy c1.npy '|i1' False '(3, 2)' '\001\002\003\004\005\006'
npy c2.npy '|i1' True '(3, 2)' '\001\002\003\004\005\006'
npy c3.npy '<f8' False '(0, 2)' ''
npy c4.npy '<i8' True '(3, 1)' '\000\000\000\000\000\000\040\000\001\000\000\000\000\000\000\000\001\000\000\000\000\000\000\000'
for p in 1 3 5; do
    run $p sum --columns c1.npy c2.npy c3.npy c4.npy || fail "columns: $(cat err)"
    same "columns on $p ranks" "$(column 5)" '9 12 6 15 0 0 9007199254740994'
    same "rows on $p ranks" "$(column 2)" '3 3 3 3 0 0 3'
done
run 2 sum --columns --json c1.npy c2.npy || fail "columns as JSON: $(cat err)"
same 'JSON of columns' "$("$CHECK_JSON" out results.1.columns) $("$CHECK_JSON" out results.1.values.1) $("$CHECK_JSON" out results.1.bits.1)" \
    '2 15.0 0x402e000000000000'
for method in exact naive all; do
    run 1 sum --columns --method $method c4.npy || fail "--columns --method $method: $(cat err)"
    same "columns by $method" "$(awk 'NR > 1 { print $2, $6 }' out | xargs)" "$(case $method in
        exact) echo exact 9007199254740994 ;;
        naive) echo naive 9007199254740992 ;;
        all) echo exact 9007199254740994 naive 9007199254740992 ;;
        esac)"
done
for p in 1 3; do
    run $p sum --columns --method naive c1.npy c2.npy c3.npy || fail "naive columns: $(cat err)"
    same "naive columns on $p ranks" "$(column 6)" '9 12 6 15 0 0'
done
run 2 sum --columns t1.npy && fail 'a vector has columns'
grep -q 'its shape is (3,); a matrix, such as (460, 3), expected' err || fail "a vector: $(cat err)"

# A generated matrix has the numbers of a vector, row by row.
"$SUMMAND" generate psllh -n 12 --columns 3 -o m.npy && "$SUMMAND" generate psllh -n 12 -o m.psllh || fail 'a matrix'
run 2 sum --columns m.npy
same 'columns of a generated matrix' "$(awk 'NR > 1 { printf "%.12g ", $5 }' out)" \
    "$(awk 'NR > 1 { sum[NR % 3] += $1 } END { printf "%.12g %.12g %.12g ", sum[2], sum[0], sum[1] }' m.psllh)"

# What the command writes it reads, in every format and distribution; the bits stay.
for format in psllh npy f64 binpsllh f32 txt csv; do
    "$SUMMAND" generate psllh -n 5003 -o g.$format || fail "generate $format"
done
run 1 sum --method tree g.binpsllh
tree=$(result 7)
run 1 sum g.binpsllh
exact=$(result 7)
for distribution in even-lower even-upper power2 optimized balanced; do
    run 3 sum --method all --distribution $distribution g.psllh g.npy g.f64 g.binpsllh g.txt g.csv
    same "exact, $distribution" "$(awk '$3 == "exact" { print $7 }' out | sort -u)" "$exact"
    same "tree, $distribution" "$(awk '$3 == "tree" { print $7 }' out | sort -u)" "$tree"
done
run 2 sum --format f64 g.f64 && same 'format given' "$(result 7)" "$exact" || fail "--format"
run 2 sum g.f32 && [ "$(result 7)" != "$exact" ] || fail "f32 cannot have the bits of f64"
printf '2\n3\n-4\n' > xy.psllh
run 2 sum --op nrm2 --method all xy.psllh && same nrm2 "$(column 6)" '5 5 5'
run 2 sum --op asum --method all xy.psllh && same asum "$(column 6)" '7 7 7'
finish
