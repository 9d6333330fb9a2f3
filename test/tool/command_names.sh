#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Names of files and other texts of users may hold any bytes. All that is written with them is valid: JSON, SVG, CSV
# and lines of a screen, in which a name stays on its line, is escaped and takes the columns that it has.
# Without xmllint it is skipped.
. "$(dirname "$0")/common.sh"
command -v xmllint > /dev/null || { echo "xmllint is missing"; exit 77; }

at() { # at FILE PATH
    "$CHECK_JSON" "$1" "$2" || fail "$1: $2"
}

valid() { # valid FILE WHAT: UTF-8 without control characters but ends of lines
    iconv -f UTF-8 -t UTF-8 "$1" > /dev/null 2>&1 || fail "$2: no UTF-8"
    tr -d '\n' < "$1" | LC_ALL=C grep -q '[[:cntrl:]]' && fail "$2: control characters: $(cat -v "$1")"
    true
}

xml() { # xml FILE WHAT
    xmllint --noout "$1" || fail "$2: no XML"
    valid "$1" "$2"
}

long=$(printf '%0200d' 0)
# What it is called, and what is shown of it.
cases() {
    cat << 'END'
a\377b\303|a\\xffb\\xc3
\355\240\200\300\200\364\220\200\200|\\xed\\xa0\\x80\\xc0\\x80\\xf4\\x90\\x80\\x80
l\nl\033[31m\007\302\205\342\200\256\357\277\277|l\\nl\\x1b[31m\\x07\\u0085\\u202e\\uffff
\342\210\221h\303\251\346\227\245e\314\201|\342\210\221h\303\251\346\227\245e\314\201
 <&>"'] ]>, two  words, "three"| <&>"'] ]>, two  words, "three"
END
    printf '%s|%s\n' "$long" "$long"
}

# Every name in turn, in every place.
one=0
cases > cases
mkdir names
while IFS='|' read -r raw shown <&3; do
    one=$((one + 1))
    # The x keeps newlines at the end.
    name=$(printf "$raw"x)
    name=names/${name%x}
    shown=$(printf "names/$shown"x)
    shown=${shown%x}
    # JSON has control characters of its own.
    key=$shown
    case $raw in *033*) key=$name ;; esac
    printf '2\n1\n2\n' > "$name.psllh"
    printf '1\n4\n' > names/plain.psllh
    run 2 sum --method all --json names/plain.psllh "$name.psllh" || fail "$raw: sum --json: $(cat err)"
    cp out sum.json
    same "$raw: results" "$(at out results.#)" 6
    same "$raw: the second sum" "$(at out results.5.value)" 3.0
    same "$raw: its file" "$(at out results.5.file)" "$key.psllh"
    "$SUMMAND" sum "$name.psllh" names/plain.psllh > out || fail "$raw: sum"
    valid out "$raw: table"
    same "$raw: lines of the table" "$(grep -vc '^#' out)" 3
    grep -F -q -- "$shown.psllh " out || fail "$raw: table: $(cat out)"
    "$SUMMAND" spread --plot s.svg sum.json > out || fail "$raw: spread"
    valid out "$raw: spread"
    xml s.svg "$raw: spread"
    "$SUMMAND" sum "$name.missing" 2> err && fail "$raw: a missing file"
    valid err "$raw: error"
    same "$raw: lines of the error" "$(grep -c '^summand sum:' err)" 1
    grep -F -q -- "$shown.missing: No such file" err || fail "$raw: error: $(cat err)"
    # Titles, labels, columns of a table.
    printf 'x,"%s"\n1,2\n2,3\n' "$(printf '%s' "${name##*/}" | tr '\n' ' ' | sed 's/"/""/g')" > t.csv
    "$SUMMAND-study" plot --title "$name" --x-label "$name" --y-label "$name" t.csv -o "$name.svg" || fail "$raw: plot"
    xml "$name.svg" "$raw: plot"
    "$SUMMAND-study" plot --json t.csv > out && at out series.0.name > series || fail "$raw: plot --json"
    # Models, graphs, numbers, settings.
    "$SUMMAND" predict --print-model > "$name.model"
    "$SUMMAND" predict -p 4 -n 8 --model "$name.model" --plot p.svg > out || fail "$raw: predict"
    valid out "$raw: predict"
    xml p.svg "$raw: predict"
    "$SUMMAND" predict -p 4 -n 8 --json --model "$name.model" > out && at out model_name > series ||
        fail "$raw: predict --json"
    "$SUMMAND" draw binomial -p 4 --timeline --model "$name.model" -o d.svg && xml d.svg "$raw: draw" || fail "$raw: draw"
    printf '0 1\n1 2\n2 0\n' > "$name.graph"
    "$SUMMAND" gossip topology "file:$name.graph" > out || fail "$raw: topology"
    valid out "$raw: topology"
    "$SUMMAND" gossip topology --json "file:$name.graph" > out && at out topologies.0.name > series ||
        fail "$raw: topology --json"
    "$SUMMAND" gossip run --nodes 3 --topology "file:$name.graph" > out || fail "$raw: gossip run: $(cat out)"
    valid out "$raw: gossip run"
    SUMMAND_TUNING=$name "$SUMMAND" info --variables > out 2> err
    SUMMAND_TUNING=$name "$SUMMAND" info > out 2> err
    valid out "$raw: info"
    SUMMAND_TUNING=$name "$SUMMAND" info --json > out 2> err && at out environment.SUMMAND_TUNING > series ||
        fail "$raw: info --json"
    "$SUMMAND" generate psllh -n 3 --json -o "$name.f64" > out && same "$raw: generate" "$(at out file)" "$key.f64" ||
        fail "$raw: generate --json"
done 3< cases
[ $one -ge 6 ] || fail 'no cases'

# Benchmarks, with all that they write.
bad=$(printf 'names/b\377,"d\001')
printf '2\n1\n2\n' > "$bad.psllh"
run 1 bench sum --budget 0.1 --methods exact,naive --json b.json --csv b.csv --plot b.svg "$bad.psllh" ||
    fail "bench sum: $(cat err)"
same 'data of a benchmark' "$(at b.json results.0.data)" "$(printf 'b\\xff,"d\001.psllh')"
iconv -f UTF-8 -t UTF-8 b.csv > /dev/null || fail 'CSV is no UTF-8'
same 'columns of the CSV' "$(grep -c '"b\\xff,""d' b.csv)" "$(at b.json results.#)"
xml b.svg 'bench sum'

# Columns: every number of a column ends where its heading does.
for name in hé.npy 日本.npy é.npy "$(printf 'b\377d.npy')"; do
    "$SUMMAND" generate psllh -n 3 -o "$name"
done
"$SUMMAND" sum hé.npy 日本.npy é.npy "$(printf 'b\377d.npy')" > out
# Wide characters as two of one column, combining ones as none.
sed 's/日本/ABCD/; s/é/e/; s/hé/he/; s/é/e/' out > ascii
grep -v '^#' ascii | LC_ALL=C awk '{ print index($0, $2), length($0) }' | sort -u > widths
same 'widths of rows' "$(awk 'END { print NR }' widths)" 1

# Empty names.
empty() { # empty WORD...: of a command
    "$SUMMAND" "$@" '' > out 2> err && fail "$* takes an empty name"
    grep -q "^$(basename "$SUMMAND") " err || fail "$*: no word about an empty name: $(cat err)"
}
empty sum
empty spread
empty gossip topology
study empty plot
finish
