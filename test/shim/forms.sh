#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# All forms of the collectives, also those that this MPI does not have: each is seen, and gives what the program gets
# without the shim.
. "$(dirname "$0")/common.sh"

plain 3 "$PROGRAMS/forms"
for mode in off fast canonical; do
    with $mode 3 "$PROGRAMS/forms"
    as_plain "forms, $mode"
done
watched fast 3 "$PROGRAMS/forms"
# Blocking, with a large count; non-blocking; persistent: three names, one of them of large counts.
for call in reduce allreduce reduce_scatter reduce_scatter_block bcast allgather allgatherv; do
    for form in '1 blocking' '1 blocking large' '1 non-blocking' '1 non-blocking large' '2 persistent' \
        '1 persistent large'; do
        same "$call, ${form#? }" "$(grep -c "^0 [0-9]* $call ${form#? } [a-z-]*\$" lines.0)" "${form%% *}"
    done
done
finish
