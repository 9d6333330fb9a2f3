# SPDX-License-Identifier: BSD-3-Clause
# summand-study plot: eight lines of many in colour, those that are asked for among them; ticks where rows
# are; what is no table is refused.
. "$(dirname "$0")/schedules.sh"

# Twenty columns, of which the first has the least values at 10 and the last at 1000; 5 is kept.
awk 'BEGIN { printf "x"; for (c = 1; c <= 20; c++) printf ",c%d", c; print ""
    for (x = 10; x <= 1000; x *= 10) { printf "%d", x
        for (c = 1; c <= 20; c++) printf ",%s", c == 7 && x == 10 ? "" : x == 10 ? c : 21 - c
        print "" } }' > t.csv
"$SUMMAND-study" plot --keep c10 --title 'of times' t.csv -o t.svg || fail 'plot: status'
same 'lines' "$(grep -c '<polyline' t.svg)" 20
same 'coloured lines' "$(grep '<polyline' t.svg | grep -vc '#b4b4b4')" 8
for name in c1 c10 c20; do
    grep -q "font-size=\"11\" fill=\"#[0-9a-f]*\">$name</text>" t.svg || fail "$name has no label"
done
for tick in 10 100 1000; do
    grep -q ">$tick</text>" t.svg || fail "no tick at $tick"
done
same 'points of a column with a gap' "$(sed -n '/<title>c7</,/<\/g>/p' t.svg |
    sed -n 's/.*<polyline.* points="\([^"]*\)".*/\1/p' | wc -w)" 2
study expect '"values": \[' plot --json t.csv
study expect '<svg' plot t.csv
study refuse 'No such file' plot missing.csv
printf 'x,a\n1,2,3\n' > long.csv
study refuse 'line 2: a heading, then rows' plot long.csv
printf 'x,a\n1,two\n' > word.csv
study refuse 'line 2: a heading, then rows' plot word.csv
printf 'x\n1\n' > none.csv
study refuse 'line 1: a heading, then rows' plot none.csv
printf '1,2\n2,3\n' > headless.csv
study refuse 'line 1: a heading, then rows' plot headless.csv
printf 'x,a\n1,2\0,3\n' > zero.csv
study refuse 'line 2: a byte 0' plot zero.csv
study refuse 'Is a directory' plot .

# As other systems and programs write it.
printf '\357\273\277x,"a, ""b""",c\r\r1,2, \r2,,3\r' > mac.csv
"$SUMMAND-study" plot --json mac.csv | tr -d ' \n' > out
grep -q '"x":\[1.0,2.0\],' out || fail "rows of mac.csv: $(cat out)"
grep -F -q '"name":"a,\"b\"","values":[2.0,null]},{"name":"c","values":[null,3.0]}' out || fail "columns of mac.csv: $(cat out)"
study refuse 'one table' plot

# Times between 21 and 45: no 1, 2 or 5 times a power of ten lies there, and the axis has ticks all the same.
printf 'x,a\n1,22\n2,31\n3,44\n' > narrow.csv
"$SUMMAND-study" plot narrow.csv -o narrow.svg
for tick in 25 30 35 40; do
    grep -q ">$tick</text>" narrow.svg || fail "no tick at $tick"
done

# Sizes whose labels do not all fit: the last one stays, and no two touch.
printf 'x,a\n1000,1\n1100,2\n4000,4\n7800,7\n8000,8\n' > close.csv
"$SUMMAND-study" plot close.csv -o close.svg
same 'ticks of sizes close together' "$(grep -o '>[1-8][0-9]00<' close.svg | tr -d '><' | tr '\n' ' ')" \
    '1000 4000 8000 '

# Lines that lie on each other are both seen: the one below is wider.
printf 'x,a,b\n1,2,2\n2,3,3\n3,5,5\n' > same.csv
"$SUMMAND-study" plot same.csv -o same.svg
same 'widths of lines on each other' \
    "$(sed -n 's/.*<polyline.* stroke-width="\([0-9.]*\)".*/\1/p' same.svg | tr '\n' ' ')" '5.8 1.8 '
finish
