#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The report of a program that knows nothing of Summand: its numbers, samples that change no result, and its page, also
# in a browser, if there is one.
. "$(dirname "$0")/common.sh"
tests=$(cd "$(dirname "$0")/../shim" && pwd)
preload=$SHIM${YIELD:+:$YIELD}
unset LD_PRELOAD

# calls WORD...: the program on 3 ranks; the words are variables.
calls() {
    rm -rf bytes
    mkdir bytes
    timeout $LIMIT "$MPIEXEC" -n 3 env LD_PRELOAD="$preload" "$@" "$RECORD_CALLS" bytes > out 2> err ||
        fail "'$*': $(cat err)"
}
# row CALL LEAST FIELD: of the row in report.json; several ways: of the first.
row() {
    rows=$("$CHECK_JSON" report.json calls.#)
    i=0
    while [ $i -lt "$rows" ]; do
        if [ "$("$CHECK_JSON" report.json calls.$i.call)" = "$1" ] && [ "$("$CHECK_JSON" report.json calls.$i.least)" = "$2" ]; then
            "$CHECK_JSON" report.json calls.$i."$3"
            return
        fi
        i=$((i + 1))
    done
    echo none
}

# Without Summand's algorithms: what the program calls (test/shim/record_calls.c).
calls SUMMAND_MODE=off SUMMAND_REPORT=report.json SUMMAND_REPORT_SAMPLE=0
[ -s out ] || [ -s err ] && fail "a report to a file is not silent: $(cat out err)"
for expected in 'MPI_Bcast 16 2 60' 'MPI_Reduce 64 1 96' 'MPI_Reduce_scatter_block 16 1 24' 'MPI_Reduce_scatter 16 1 24' \
    'MPI_Allgather 16 2 48' 'MPI_Allgatherv 16 1 24' 'MPI_Iallreduce 64 8 768' 'MPI_Ibcast 16 1 40'; do
    # shellcheck disable=SC2086
    set -- $expected
    same "$1: calls" "$(row "$1" "$2" calls)" "$3"
    same "$1: bytes" "$(row "$1" "$2" bytes)" "$4"
done
same 'reason of a blocking call' "$(row MPI_Reduce 64 reason)" 'the mode is off'
same 'calls of a rank' "$("$CHECK_JSON" report.json by_rank.2.calls)" 29
same 'no samples' "$(row MPI_Reduce 64 waits)" 0

# Every call is sampled, and the MPI runs beside Summand: the results stay as they are without a report.
calls SUMMAND_MODE=canonical SUMMAND_RECORD=A
calls SUMMAND_MODE=canonical SUMMAND_RECORD=B SUMMAND_REPORT=report.json SUMMAND_REPORT_SAMPLE=1
"$SUMMAND" diff A B > out 2> err || fail "samples change results: $(cat out err)"
same 'blocking calls that were sampled' "$(row MPI_Allgather 16 waits)" 6
[ "$(row MPI_Allgather 16 algorithm)" ] || fail 'no algorithm'
same 'reason of a served call' "$(row MPI_Allgather 16 reason)" ''
same 'reason of a non-blocking call' "$(row MPI_Ibcast 16 reason)" 'moves data, and combines none'
total=$("$CHECK_JSON" report.json calls.#)
mpi=0
while [ "$total" -gt 0 ]; do
    total=$((total - 1))
    samples=$("$CHECK_JSON" report.json calls.$total.mpi_samples)
    mpi=$((mpi + samples))
    same "samples of row $total" "$(($("$CHECK_JSON" report.json calls.$total.samples) + samples))" \
        "$("$CHECK_JSON" report.json calls.$total.waits)"
done
[ $mpi -gt 0 ] || fail "the MPI's own functions were not sampled"

# The same table from a run, from the command, and in a file.
calls SUMMAND_MODE=off SUMMAND_REPORT=1
grep -q '^Iallreduce  *64-256  *8 .* MPI: the mode is off$' err || fail "the table: $(cat err)"
narrow err 'the table'
calls SUMMAND_MODE=off SUMMAND_REPORT=table
[ -s err ] && fail "a table in a file is not silent: $(cat err)"
same 'heads' "$(grep '^MPI_  ' table)" "$("$SUMMAND" report report.json | grep '^MPI_  ')"
same 'rows' "$("$SUMMAND" report report.json | grep -c '^[A-Z][a-z_]* *[0-9][0-9]*-[0-9k]* ')" "$("$CHECK_JSON" report.json calls.#)"
"$SUMMAND" report --json report.json > out || fail 'report --json'
same 'JSON' "$("$CHECK_JSON" out ranks)" 3
calls SUMMAND_MODE=off SUMMAND_REPORT=none/report.json
grep -q 'no report: /.*/none/report.json: No such file or directory' err || fail "a folder that is none: $(cat err)"

# Files that are no report.
sed 's/"waits": 3/"waits": -3/' report.json > wrong.json
"$SUMMAND" report wrong.json > out 2> err && fail 'a wrong number passes'
grep -q "its field 'waits' is missing or has no valid value" err || fail "$(cat err)"
head -c 700 report.json > wrong.json
"$SUMMAND" report wrong.json > out 2> err && fail 'a part of a report passes'
same 'words of a part' "$(grep -c '^summand report: wrong.json: this is no JSON (line ' err)" 1
echo '[]' > wrong.json
"$SUMMAND" report wrong.json > out 2> err && fail 'another JSON passes'
grep -q "no report: its field 'report'" err || fail "$(cat err)"

# The page: on its own, well formed, with the names of users escaped.
sed 's,"program": "[^"]*",("program": "/x/a<b>\&"),; s/("program/"program/; s/\&")/\&"/' report.json > named.json
"$SUMMAND" report named.json -o page.html || fail 'report -o'
for fact in mpi_library machine date; do
    grep -qF ">$("$CHECK_JSON" report.json $fact | sed 's/T.*//')</dd>" page.html || fail "the page does not tell the $fact"
done
grep -q '<h1>a&lt;b&gt;&amp;</h1>' page.html || fail "a name is not escaped: $(grep '<h1>' page.html)"
grep -iE 'https?:|src=|@import|url\(|<script|<link' page.html > outside && fail "the page needs others: $(head -n 3 outside)"
xmllint --html --noout page.html 2>&1 | grep -v 'Tag \(svg\|path\|rect\|line\|text\|g\|title\) invalid' | grep error && fail 'no HTML'
same 'pictures' "$(grep -c '<svg' page.html)" 6
same 'pictures that end' "$(grep -c '</svg>' page.html)" 6

# In a browser: nothing leaves the window, no words are small, faint or on each other.
browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome)
if [ -n "$browser" ]; then
    sed 's,</body>,<script>,' page.html | sed '/<\/html>/d' > tested.html
    cat "$tests/page_check.js" >> tested.html
    echo '</script></body></html>' >> tested.html
    for width in 1200 390; do
        # A window has 500 pixels at least.
        {
            printf '<iframe style="border:0" width="%s" height="900" srcdoc="' $width
            sed 's/&/\&amp;/g; s/"/\&quot;/g' tested.html
            echo '"></iframe>'
        } > frame.html
        for scheme in light:1 dark:0; do
            timeout $LIMIT "$browser" --headless --no-sandbox --disable-gpu --user-data-dir="$work/browser" \
                --window-size=1300,1000 --blink-settings=preferredColorScheme="${scheme#*:}" --dump-dom \
                "file://$work/frame.html" > dom 2> browser.err || fail "the browser: $(tail -n 3 browser.err)"
            same "the page, $width pixels, ${scheme%:*}" "$(grep -o '<title>[^<]*</title>' dom | head -n 1)" \
                "<title>${scheme%:*}, width $width: fine</title>"
        done
    done
else
    echo 'Left out: the page in a browser (chromium)'
fi
finish
