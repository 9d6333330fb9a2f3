# SPDX-License-Identifier: BSD-3-Clause
# Names of algorithms of reduce and all-reduce: names.sh with|without PROMISE, as the column of `summand list` has it.
COLUMNS=400 summand list | awk -v promise="$2" -v with="$1" '
    NR == 1 { promises = index($0, "promises"); collectives = index($0, "collectives"); next }
    substr($0, collectives) ~ /reduce/ &&
        (index(substr($0, promises, collectives - promises), promise) > 0) == (with == "with") {
        names = names (names ? ", " : "") "`" $1 "`" }
    END { print names }'
