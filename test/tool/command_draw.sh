# SPDX-License-Identifier: BSD-3-Clause
# summand draw: every algorithm gives a picture that an XML parser accepts, with all of its ranks. Without xmllint the
# test is skipped.
. "$(dirname "$0")/schedules.sh"
command -v xmllint >/dev/null || { echo "xmllint is missing"; exit 77; }

# Faults of pictures, found by one program for many pictures, because there are hundreds: an invalid number, an
# element left of or above the page, no title or none for a screen reader, and a colour without a dark-page variant
# that is not visible on both pages. Words `RANKS ranks of ALGORITHM` require a circle for each rank, or squares of
# senders and receivers with all ranks on both sides; `RANKS rows`: of a time line.
cat > look.awk <<'END'
BEGIN {
    split("#56b4e9 #7fbf3f #7c9fd6 #e58b5b #b58bd0", list, " ")
    for (i in list) both[list[i]] = 1
    while ((getline line < "words") > 0) words[++pictures] = line
}
function wrong(text) { print words[at] ": " text }
function picture(    colour, word) {
    if (!at) return
    if (!image) wrong("no image to a screen reader")
    if (!title) wrong("no title")
    if (!night) wrong("no colours for a dark page")
    for (colour in used) if (!(colour in dark) && !(colour in both)) wrong(colour " stays the same on a dark page")
    split(words[at], word, " ")
    if (word[2] == "ranks" && !wide) wrong("no width")
    if (word[2] == "ranks" && wide > 800) wrong(wide " pixels wide")
    if (word[2] == "ranks" && !squares && circles != word[1]) wrong("not as many circles")
    if (word[2] == "ranks" && squares && !((word[1] - 1) in text)) wrong("not as many squares")
    if (word[2] == "ranks" && squares && word[1] <= 23 && word[4] !~ /^(direct$|outer-|gemm-)/) wrong("squares")
    if (word[2] == "rows" && rows != word[1]) wrong("not as many rows")
    if (word[2] == "rows" && !critical) wrong("no critical path")
}
FNR == 1 {
    picture(); at++; image = title = night = wide = circles = squares = rows = critical = 0
    split("", used); split("", dark); split("", text)
}
/"[^"]*(nan|inf)[^"]*"/ { wrong("not a number") }
/ [xy][12]?="-| d="[^"]*[MLHVC ]-/ { wrong("outside of the page") }
/width="100%"/ { wrong("a ground of its own") }
/role="img" aria-labelledby="title"/ { image = 1 }
/<title id="title">./ { title = 1 }
/prefers-color-scheme:dark/ { night = 1 }
/ width="[0-9]*" height.*viewBox/ { wide = $0; sub(/.* width="/, "", wide); wide += 0 }
/<circle/ { circles++ }
/>from<\/text>/ { squares = 1 }
/>rank [0-9]*</ { rows++ }
/stroke="#c00000" stroke-width="1.8"/ { critical = 1 }
{
    rest = $0
    while (match(rest, />[0-9]+<\/text>/)) {
        text[substr(rest, RSTART + 1, RLENGTH - 8)] = 1; rest = substr(rest, RSTART + RLENGTH)
    }
    rest = $0
    while (match(rest, /\[?(fill|stroke)="#[0-9a-f]+"\]?/)) {
        found = substr(rest, RSTART, RLENGTH)
        rest = substr(rest, RSTART + RLENGTH)
        match(found, /#[0-9a-f]+/)
        colour = substr(found, RSTART, RLENGTH)
        if (found ~ /^\[fill.*\]$/) dark[colour] = 1
        used[colour] = 1
    }
}
END { picture(); if (at != pictures) print at " of " pictures " pictures" }
END
files=
look() { # look: at $files, whose words are lines of `words`
    # shellcheck disable=SC2086
    xmllint --noout $files || fail "no XML"
    # shellcheck disable=SC2086
    awk -f look.awk $files > faults || fail "awk"
    while read -r fault; do
        fail "$fault"
    done < faults
    files=
    rm words
}
later() { # later FILE WORDS: with the next look
    files="$files $1"
    echo "$2" >> words
}
check() { # check FILE WORDS: now
    later "$1" "$2"
    look
}

for algorithm in $(algorithms); do
    for ranks in 1 2 3 12 64; do
        "$SUMMAND" draw "$algorithm" -p $ranks -o "$work/$ranks.svg" || fail "draw $algorithm $ranks"
        later "$work/$ranks.svg" "$ranks ranks of $algorithm"
    done
    "$SUMMAND" draw "$algorithm" -p 13 -k 4 --timeline -o "$work/a.svg" || fail "draw -t $algorithm"
    later "$work/a.svg" "13 rows of $algorithm"
    look
done

# The textbook's rounds of a binomial tree of 8: ranks 1, 3, 5, 7 send first, 4 last.
"$SUMMAND" draw binomial -p 8 -o "$work/b.svg"
for rounds in '1 4' '2 2' '3 1'; do
    set -- $rounds
    [ "$(grep -c "font-size=\"11\".*>$1</text>" "$work/b.svg")" -eq "$2" ] ||
        fail "binomial tree: not $2 messages in round $1"
done
# Arrows of an exchange have a legend.
"$SUMMAND" draw recursive-doubling -p 8 -o "$work/b.svg"
for words in 'to a higher rank' 'to a lower rank'; do
    grep -q ">$words</text>" "$work/b.svg" || fail "no legend: $words"
done
"$SUMMAND" predict -n 1..100k -p 32 --plot "$work/p.svg" >/dev/null || fail "predict --plot"
check "$work/p.svg" "predict"

expect "recursive-doubling allreduce" draw recursive-doubling --count 5 --timeline -p 4
expect "rabenseifner allgather" draw rabenseifner --timeline -c allgather
# The record of section 5.2.3 of the dissertation: 16 ranks share 40 Gbit/s of 1024^3, and b is 382; with the 32e9
# bit/s of data that this network carries it is 512. On P x P + P x P ranks 2 n^3 operations meet (3 P - 1) n^2 numbers.
for case in '382 1.862645149230957e-10' '512 2.5e-10'; do
    "$SUMMAND" draw gemm --timeline -p 32 -n 2048 -o "$work/g.svg" \
        --set "per_node=16,flop=3.13e-11,network.byte=${case#* }" >"$work/out" || fail "draw gemm"
    check "$work/g.svg" "gemm"
    tr '\n' ' ' <"$work/out" | grep -q "from b = ${case% *} on" || fail "not b = ${case% *}: $(cat "$work/out")"
    tr '\n' ' ' <"$work/out" | grep -q 'enters 372:' || fail "operations: $(cat "$work/out")"
    grep -q 'Overlap efficiency.* 0\.[0-9]' "$work/out" || fail "no overlap"
done
# The index tree: N elements have N - 1 nodes, whatever the ranks; as many values travel as the study of Stelz (2022)
# counts, and (2.4) of it says 9 for 17 elements on 4 ranks.
for case in '1 5' '2 1' '3 8' '9 3' '17 4' '33 4' '63 512' '64 7'; do
    set -- $case
    "$SUMMAND" draw index-tree -n "$1" -p "$2" -o "$work/i.svg" || fail "draw index-tree $case"
    "$SUMMAND" draw index-tree -n "$1" -p "$2" --json >"$work/i.json" || fail "draw index-tree --json $case"
    check "$work/i.svg" "index-tree"
    same "circles of $case" "$(grep -c '<circle' "$work/i.svg")" $(($1 - 1))
    same "nodes of $case" "$("$CHECK_JSON" "$work/i.json" nodes.#)" $(($1 - 1))
    same "values that travel, $case" "$(grep -c '<path' "$work/i.svg")" \
        "$("$SUMMAND-study" distribution -n "$1" -p "$2" | awk '$1 == "even-lower" { print $4; exit }')"
done
"$SUMMAND" draw index-tree -n 17 -p 4 | grep -q 'orange: 9 values' || fail 'not 9 values'
refuse 'takes --ranks and --count, not --timeline' draw index-tree --timeline
refuse 'one number of 1 to 64' draw index-tree -n 65
refuse 'one number of 1 to 512' draw index-tree -p 1,2
refuse 'exclude each other' draw index-tree --json -o "$work/i.svg"
# Ten milliseconds and more are told in these.
"$SUMMAND" draw train-stashed -p 4 -o "$work/t.svg" || fail "draw train-stashed"
check "$work/t.svg" "train-stashed"
"$SUMMAND" draw train-poad -p 4 -o "$work/t.svg" || fail "draw train-poad"
check "$work/t.svg" "train-poad"
"$SUMMAND" draw train-poad-last -p 4 -o "$work/t.svg" || fail "draw train-poad-last"
check "$work/t.svg" "train-poad-last"
odd=$("$SUMMAND" draw train-poad -p 3 2>&1 >/dev/null) && fail "draw train-poad -p 3"
case $odd in
*'a stage has 2 ranks, so their number is even'*) ;;
*) fail "train-poad -p 3: $odd" ;;
esac
grep -q '[0-9] ms on .*</text>' "$work/t.svg" && grep -q '>milliseconds<' "$work/t.svg" || fail "train-stashed: not in ms"
grep -q '[0-9] us on .*</text>' "$work/a.svg" && grep -q '>microseconds<' "$work/a.svg" || fail "time line: not in us"
"$SUMMAND" train --samples 200 --epochs 2 --plot "$work/c.svg" >/dev/null || fail "train --plot"
check "$work/c.svg" "train --plot"
[ "$(grep -c '<polyline' "$work/c.svg")" -ge 4 ] || fail "train --plot: too few curves"
run 2 train --samples 700 --epochs 1 --mode stashed --timeline "$work/l.svg" || fail "train --timeline"
check "$work/l.svg" "train --timeline"
[ "$(grep -c '>rank [01]<' "$work/l.svg")" -eq 2 ] || fail "train --timeline: not 2 rows"

# Many ranks: a row stands for four. The areas of a colour are the time that all ranks spend so, as the JSON tells.
"$SUMMAND" draw binomial --timeline -p 256 -k 8 -n 1000 -o "$work/m.svg" || fail "256 rows"
"$SUMMAND" draw binomial --timeline -p 256 -k 8 -n 1000 --json >"$work/m.json" || fail "256 rows as JSON"
check "$work/m.svg" "a crowd"
[ "$(grep -c '>[0-9]*-[0-9]*</text>' "$work/m.svg")" -eq 64 ] || fail "not 64 names of rows"
grep -q '; a row is 4 ranks, a column [0-9.]* ns, heights are parts of their time</text>' "$work/m.svg" || fail "no word of rows"
for part in 'send #f2b872' 'recv #8cc6ee' 'reduce #5fbf94'; do
    awk -v what="${part% *}" -v fill="${part#* }" '
        FNR == NR { gsub(/[",]/, ""); if ($1 == "what:") mine = $2 == what
            if (mine && $1 == "begin:") begin = $2
            if (mine && $1 == "end:") want += ($2 - begin) * 1e9
            next }
        /a column [0-9.]* ns/ { column = $0; sub(/.*a column /, "", column); column += 0 }
        index($0, "fill=\"" fill "\"/>") { wide = $0; sub(/.* width="/, "", wide); high = $0; sub(/.* height="/, "", high)
            area += wide * high }
        END { is = area / 2 * column / (0.8 * 18) * 4; if (!(is > 0.97 * want && is < 1.03 * want)) print is " ns, not " want }
        ' "$work/m.json" "$work/m.svg" >"$work/out"
    [ -s "$work/out" ] && fail "${part% *} of 256 ranks: $(cat "$work/out")"
done
refuse "which algorithm" draw
refuse "not one of reduce" draw binomial -c scatter
refuse "no such algorithm" draw oak
refuse "one algorithm" draw binomial chain
refuse "cannot do allgather" draw binomial -c allgather
refuse "one rank count is expected, at most" draw binomial -p 600
refuse "one count" draw binomial -n 1,2
refuse "No such file" draw binomial -o "$work/nowhere/a.svg"
finish
