# SPDX-License-Identifier: BSD-3-Clause
# Do runs of push-flow stay accurate? 40 runs on a hypercube of 32 nodes, to 2000 messages.
export COLUMNS=200
echo '| | first at 1e-14 after (95 % interval) | within 1e-14 at the end | from message on | largest error in between |'
echo '|---|---|---|---|---|'
for form in double fixed; do
    for way in crossing turns; do
        crossing=
        [ $way = turns ] || crossing=--crossing
        summand gossip run --runs 40 --stay --most 2000 --eps 1e-14 --form $form $crossing | awk -v name="\`pfcc/$form\`, $way" '
            function median(line,    word) {
                if (split(line, word, /median | \(95 %: |\)/) < 3) return "-"
                return sprintf("%.1f (%.1f..%.1f)", word[2], word[3], substr(word[3], index(word[3], "..") + 2)) }
            /^  messages per process/ { first = median($0) }
            /^within it/ { end = $6 " of " $8 }
            /^  from message on/ { from = median($0) }
            /^largest error/ { error = $5 ~ /inf/ ? "infinite" : sprintf("%.1e", $5) }
            END { printf "| %s | %s | %s | %s | %s |\n", name, first, end, from ? from : "-", error }'
    done
done
