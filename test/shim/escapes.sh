#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Reductions that the mode does not cover: each is counted and named, and --strict ends the program at the first one.
. "$(dirname "$0")/common.sh"

# total FIELD: the sum over the rows of the report.
total() {
    sum=0
    for number in $(sed -n "s/.*\"$1\": \([0-9]*\).*/\1/p" report.json); do
        sum=$((sum + number))
    done
    echo $sum
}
# report ROW...: on 3 ranks, with a report: kept and lost are the sums of its rows.
report() {
    rm -f report.json
    timeout $LIMIT "$SUMMAND" run --mode canonical --report=report.json -- "$MPIEXEC" -n 3 "$PROGRAMS/escapes" "$@" > out 2> err ||
        fail "$*: $(cat err)"
    kept=$(total kept) lost=$(total lost)
}
strict() { # strict MODE ROW...
    mode=$1
    shift
    timeout $LIMIT "$SUMMAND" run --mode "$mode" --strict -- "$MPIEXEC" -n 3 "$PROGRAMS/escapes" "$@" > out 2> err
}

# What has one bracketing, and what no order changes.
covered='all_double iall_double all_operator all_integer all_most all_self all_none bcast replace scan exscan scan_integer scatter_none iscatter_none
accumulate_none accumulate_nowhere local_none inter inter_nowhere'
# shellcheck disable=SC2086
report $covered
same 'covered' "$kept $lost" '6 0'
# shellcheck disable=SC2086
strict canonical $covered || fail "covered, --strict: $(cat err)"

# The rest: rows of the program, and their functions.
escapes='local:MPI_Reduce_local accumulate:MPI_Accumulate
get_accumulate:MPI_Get_accumulate fetch:MPI_Fetch_and_op'
report
same 'all rows' "$kept $lost" '6 4'
"$SUMMAND" report report.json -o page.html > out 2> err || fail "report: $(cat err)"
grep -q '4 of 10 reductions that may round were NOT done as the mode promises' page.html || fail 'the page does not say it'
for escape in $escapes; do
    row=${escape%:*} name=${escape#*:}
    ! strict canonical all_double "$row" || fail "$row: --strict goes on"
    grep -q "$name at ${row}[a-z_]*+0x.* is not as mode canonical promises" err || fail "$row: not named: $(cat err)"
done

# On stderr, for people.
timeout $LIMIT "$SUMMAND" run --mode exact --report -- "$MPIEXEC" -n 2 "$PROGRAMS/escapes" all_double fetch > out 2> err ||
    fail "report: $(cat err)"
grep -q '^Promise: 1 of 2 reductions that may round were NOT done as the mode promises$' err || fail "no promise: $(cat err)"
grep -q '^  MPI_Fetch_and_op, 1 call, first at fetch+0x.*: one-sided: no order$' err || fail "no call: $(cat err)"

# A rule that leaves a call out.
! strict 'canonical:allreduce<=8' all_double || fail 'a call without a rule goes on'
grep -q 'the mode is off' err || fail "no reason: $(cat err)"
# Requests are the MPI's, where somebody asks for it.
! SUMMAND_REQUESTS=off strict canonical iall_double || fail "requests off: --strict goes on"
grep -q 'MPI_Iallreduce at .* is not as mode canonical promises (non-blocking)' err || fail "no request: $(cat err)"
# No promise to be strict about, for the command and for a job script.
for mode in fast off fast:bcast; do
    ! strict $mode all_double || fail "--strict with $mode"
    grep -q -e '--strict: needs a mode that promises' err || fail "--strict with $mode: $(cat err)"
done
! timeout $LIMIT "$MPIEXEC" -n 2 env LD_PRELOAD="$SHIM" SUMMAND_STRICT=on "$PROGRAMS/escapes" all_double > out 2> err ||
    fail 'SUMMAND_STRICT without a mode'
grep -q 'SUMMAND_STRICT needs a mode' err || fail "SUMMAND_STRICT: $(cat err)"
! timeout $LIMIT "$MPIEXEC" -n 2 env LD_PRELOAD="$SHIM" SUMMAND_MODE=exact SUMMAND_STRICT=yes "$PROGRAMS/escapes" all_double > out \
    2> err || fail 'SUMMAND_STRICT=yes'
grep -q "SUMMAND_STRICT" err || fail "SUMMAND_STRICT=yes: $(cat err)"
finish
