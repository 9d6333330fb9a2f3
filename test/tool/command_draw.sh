# SPDX-License-Identifier: BSD-3-Clause
# summand draw: every algorithm gives a picture that an XML parser takes, with all of its ranks.
# Without xmllint it is skipped.
. "$(dirname "$0")/schedules.sh"
command -v xmllint >/dev/null || { echo "xmllint is missing"; exit 77; }

# check FILE: valid XML, no number that is none, nothing left of or above the page.
check() {
    xmllint --noout "$1" || fail "$1: $2: no XML"
    grep -Eq '"[^"]*(nan|inf)[^"]*"' "$1" && fail "$1: $2: not a number"
    grep -Eq ' [xy][12]?="-' "$1" && fail "$1: $2: outside of the page"
    grep -q 'role="img" aria-labelledby="title"' "$1" || fail "$1: $2: no image to a screen reader"
    grep -q '<title id="title">.' "$1" || fail "$1: $2: no title"
    grep -q 'prefers-color-scheme:dark' "$1" || fail "$1: $2: no colours for a dark page"
    grep -q 'width="100%"' "$1" && fail "$1: $2: a ground of its own"
    # Every colour has another one on a dark page.
    for colour in $(grep -oE '(fill|stroke)="#[0-9a-f]+"' "$1" | grep -oE '#[0-9a-f]+' | sort -u); do
        grep -qF "[fill=\"$colour\"]" "$1" || case $colour in
        '#56b4e9' | '#7fbf3f' | '#7c9fd6' | '#e58b5b' | '#b58bd0') ;; # seen on both
        *) fail "$1: $2: $colour stays the same on a dark page" ;;
        esac
    done
}

for algorithm in $(algorithms); do
    for ranks in 1 2 3 12 64; do
        "$SUMMAND" draw "$algorithm" -p $ranks -o "$work/a.svg" || fail "draw $algorithm $ranks"
        check "$work/a.svg" "$algorithm, $ranks"
        width=$(sed -n 's/.* width="\([0-9]*\)" height.*viewBox.*/\1/p' "$work/a.svg")
        [ "$width" -le 800 ] || fail "$algorithm, $ranks ranks: $width pixels wide"
        # A circle for each rank, or squares of who sends to whom, where all ranks are on both sides.
        if grep -q '>from</text>' "$work/a.svg"; then
            case $algorithm in
            direct | outer-* | gemm-*) ;; # all to all
            *) [ $ranks -gt 23 ] || fail "$algorithm: squares for $ranks ranks" ;;
            esac
            grep -q ">$((ranks - 1))</text>" "$work/a.svg" || fail "$algorithm: not $ranks ranks"
        else
            [ "$(grep -c '<circle' "$work/a.svg")" -eq $ranks ] || fail "$algorithm: not $ranks ranks"
        fi
    done
    "$SUMMAND" draw "$algorithm" -p 13 -k 4 --timeline -o "$work/a.svg" || fail "draw -t $algorithm"
    check "$work/a.svg" "$algorithm, time line"
    [ "$(grep -c '>rank [0-9]*<' "$work/a.svg")" -eq 13 ] || fail "$algorithm: not 13 rows"
    grep -q 'stroke="#c00000" stroke-width="1.8"' "$work/a.svg" || fail "$algorithm: no critical path"
done

# The textbook's rounds of a binomial tree of 8: ranks 1, 3, 5, 7 send first, 4 last.
"$SUMMAND" draw binomial -p 8 -o "$work/b.svg"
for rounds in '1 4' '2 2' '3 1'; do
    set -- $rounds
    [ "$(grep -c "font-size=\"11\".*>$1</text>" "$work/b.svg")" -eq "$2" ] ||
        fail "binomial tree: not $2 messages in round $1"
done
"$SUMMAND" predict -n 1..100k -p 32 --svg "$work/p.svg" >/dev/null || fail "predict --svg"
check "$work/p.svg" "predict"

expect "recursive-doubling allreduce" draw recursive-doubling --count 5 -tp 4
expect "rabenseifner allgather" draw rabenseifner -tc allgather
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
# Ten milliseconds and more are told in these.
"$SUMMAND" draw train-stashed -p 4 -o "$work/t.svg" || fail "draw train-stashed"
check "$work/t.svg" "train-stashed"
grep -q '[0-9] ms on .*</text>' "$work/t.svg" && grep -q '>milliseconds<' "$work/t.svg" || fail "train-stashed: not in ms"
grep -q '[0-9] us on .*</text>' "$work/a.svg" && grep -q '>microseconds<' "$work/a.svg" || fail "time line: not in us"
"$SUMMAND" train --samples 200 --epochs 2 --plot "$work/c.svg" >/dev/null || fail "train --plot"
check "$work/c.svg" "train --plot"
[ "$(grep -c '<polyline' "$work/c.svg")" -ge 4 ] || fail "train --plot: too few curves"
run 2 train --samples 700 --epochs 1 --mode stashed --timeline "$work/l.svg" || fail "train --timeline"
check "$work/l.svg" "train --timeline"
[ "$(grep -c '>rank [01]<' "$work/l.svg")" -eq 2 ] || fail "train --timeline: not 2 rows"
refuse "which algorithm" draw
refuse "not one of reduce" draw binomial -c scan
refuse "no such algorithm" draw oak
refuse "one algorithm" draw binomial chain
refuse "cannot do allgather" draw binomial -c allgather
refuse "one rank count is expected, at most" draw binomial -p 600
refuse "one count" draw binomial -n 1,2
refuse "No such file" draw binomial -o "$work/nowhere/a.svg"
finish
