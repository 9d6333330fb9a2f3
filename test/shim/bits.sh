#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# What the modes promise: canonical sums have one bracketing, and exact sums are rounded once. The program checks it. The
# bits of canonical sums are those of both MPIs: of five ranks, by three
# lines of Python, ((0 + 1) + 2) + (3 + 4).
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
2 0x1.bbbbbbbbbbbbcp-2 0x1.4545454545454p-3 0x1.62c1ad8b06b62p-6
3 0x1.f7f7f7f7f7f8p-2 0x1.9a9a9a9a9a9a9p-3 0x1.00e989b915ff2p-5
5 0x1.21d572599361ep-1 0x1.0948161a731d8p-2 0x1.9166eea6aaa9ep-5
END
cmp -s bits expected || fail "canonical bits: $(diff bits expected)"
finish
