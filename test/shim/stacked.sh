#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Pitfalls 6 and 9: another tool before and behind the shim, and an MPI that is not in the global scope. Both see each
# call once.
. "$(dirname "$0")/common.sh"

# ordered_tools PRELOADED: three ranks with both
ordered_tools() {
    rm -f lines.*
    timeout $LIMIT "$MPIEXEC" -n 3 env LD_PRELOAD="$1${LD_PRELOAD:+:$LD_PRELOAD}" SUMMAND_MODE=canonical SHIM_LINES="$work/lines" \
        "$PROGRAMS/life" sums > out 2> err || fail "$1: $? $(head -n 5 err)"
    same "$1: calls that the tool saw" "$(sed -n 's/^tool: \(.*\) calls/\1/p' out)" 5
    same "$1: calls that the shim served" "$(grep -c 'allreduce blocking served$' lines.0)" 5
    same "$1: all calls" "$(grep -c allreduce lines.0)" 5
    same "$1: errors" "$(words err)" "$(words plain.err)"
}
plain 3 "$PROGRAMS/life" sums
ordered_tools "$WATCHED:$PROGRAMS/libtool.so"
ordered_tools "$PROGRAMS/libtool.so:$WATCHED"

program_calls=no
watched canonical 3 "$PROGRAMS/loader" "$PROGRAMS/libmodule.so"
same 'a module with its MPI: result' "$(cat out)" 3
same 'a module with its MPI: served' "$(grep -c 'allreduce blocking served$' lines)" 3
finish
