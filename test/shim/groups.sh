#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Reductions between two groups of ranks have the bits of each group's own ones, in all forms and for all sizes of groups;
# the MPI's messages and errors are as without the shim.
. "$(dirname "$0")/common.sh"

plain 3 "$PROGRAMS/groups" integers refused mixed
with fast 3 "$PROGRAMS/groups" integers refused mixed
as_plain fast
for mode in ${EXACT:+exact} canonical; do
    with $mode 2 "$PROGRAMS/groups"
done
[ -z "$EXACT" ] || with exact 3 "$PROGRAMS/groups" sums mixed
with canonical 5 "$PROGRAMS/groups" sums
with ordered 3 "$PROGRAMS/groups" products
# Summand does them all: those of one group, too.
timeout $LIMIT "$SUMMAND" run --mode canonical --strict -- "$MPIEXEC" -n 3 "$PROGRAMS/groups" > out 2> err ||
    fail "--strict: $(head -n 5 err)"
same 'no operator, --strict' "$(grep 'no operator' out)" "$(grep 'no operator' plain)"
# As many operands as somebody allows; with `off` the MPI does those between groups.
for most in 64 63 off; do
    SUMMAND_REQUESTS=$most watched canonical 3 "$PROGRAMS/groups" refused
    same "SUMMAND_REQUESTS=$most" "$(sed -n 's/^0 1 allreduce blocking //p' lines | sort -u)" \
        "$(case $most in 64) echo served ;; 63) echo 'more operands than SUMMAND_REQUESTS allows' ;; *) echo inter-communicator ;; esac)"
done
finish
