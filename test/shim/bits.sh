#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# What the modes promise: canonical sums have one bracketing, and exact sums are rounded once. The program checks it. The
# bits of canonical sums are those of both MPIs: pairs of neighbours, then pairs of pairs (by a few lines of Python).
. "$(dirname "$0")/common.sh"

for p in 2 3 5; do
    with canonical $p "$PROGRAMS/life" canonical
    echo "$p $(head -n 1 out)" >> bits
    with 'canonical:allreduce<=1k,canonical' $p "$PROGRAMS/life" canonical
    [ -z "${EXACT:-}" ] || for mode in exact 'exact:reduce,exact'; do
        with "$mode" $p "$PROGRAMS/life" exact
    done
done
cat > expected <<'END'
END
cmp -s bits expected || fail "canonical bits: $(diff bits expected)"
finish
