#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# All forms of the collectives, also those that this MPI does not have: each is seen, and gives what the program gets
# without the shim.
page=$(cd "$(dirname "$0")/../../docs" && pwd)/shim.md
. "$(dirname "$0")/common.sh"

plain 3 "$PROGRAMS/forms"
for mode in off fast canonical; do
    with $mode 3 "$PROGRAMS/forms"
    as_plain "forms, $mode"
done
# The page's table says who does which form in which mode: of each row the calls, and of each mode its column. The row
# of inter-communicators is the test groups'.
for mode in ordered canonical ${EXACT:+exact} fast; do
    watched $mode 3 "$PROGRAMS/forms"
    awk -v mode="\`$mode\`" -v page="$page" '
        FILENAME == page && /^\| calls of MPI / { split($0, heads, "|"); inside = 1; next }
        FILENAME == page && !/^\|/ { inside = 0 }
        FILENAME == page && inside && !/^\|---/ && !/inter-communicators/ {
            split($0, cells, "|")
            sub(/, within a group/, "", cells[2])
            for (column = 3; column in cells; column++)
                if (index(heads[column], mode))
                    by = cells[column]
            gsub(/[ ,;]+/, " ", cells[2])
            n = split(cells[2], calls, " ")
            for (i = 1; i <= n; i++) {
                name = calls[i]
                form = sub(/_init$/, "", name) ? "persistent" : sub(/^I/, "", name) ? "non-blocking" : "blocking"
                does[tolower(name) " " form] = by ~ /Summand/ ? "Summand" : "MPI"
            }
        }
        FILENAME != page && NF > 4 && $1 == 0 { # of the world
            call = $3 " " $4
            if (does[call] != ($NF == "served" ? "Summand" : "MPI"))
                print "the page says of " call ": " does[call] ", but: " $0
            seen[call] = 1
        }
        END { for (call in does) { rows++; if (!seen[call]) print "the page alone knows " call }
              if (rows != 27) print rows " calls in the table, not 27" }' "$page" lines.0 > differences
    [ ! -s differences ] || fail "$mode: $(head -n 3 differences)"
done

# In the last mode: blocking, with a large count; non-blocking; persistent: three names, one of them of large counts.
for call in reduce allreduce reduce_scatter reduce_scatter_block bcast allgather allgatherv scan exscan; do
    for form in '1 blocking' '1 blocking large' '1 non-blocking' '1 non-blocking large' '2 persistent' \
        '1 persistent large'; do
        same "$call, ${form#? }" "$(grep -c "^0 [0-9]* $call ${form#? } [a-z-]*\$" lines.0)" "${form%% *}"
    done
done
finish
