#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Hostile programs give with a record and a report, of which every call is sampled, what they give without the shim; and
# the record and the report are good.
. "$(dirname "$0")/common.sh"

# alike MODE P PROGRAM ARGUMENT...
alike() {
    plain "$2" "$PROGRAMS/$3" ${4:+"$4"}
    rm -rf record report.json
    export SUMMAND_RECORD=$work/record SUMMAND_RECORD_VALUES=8 SUMMAND_REPORT=$work/report.json SUMMAND_REPORT_SAMPLE=1
    with "$1" "$2" "$PROGRAMS/$3" ${4:+"$4"}
    unset SUMMAND_RECORD SUMMAND_RECORD_VALUES SUMMAND_REPORT SUMMAND_REPORT_SAMPLE
    grep -v 'record: programs that were spawned are not recorded$' err > others
    mv others err
    as_plain "$3 ${4:-}, $1, watched"
    "$SUMMAND" diff record record > diff.out 2>&1 || fail "$3 ${4:-}, $1: the record: $(cat diff.out)"
    "$SUMMAND" report report.json > report.out 2>&1 || fail "$3 ${4:-}, $1: the report: $(cat report.out)"
}
alike off 3 hostile
alike canonical 3 hostile
for name in callback handles comms children; do
    alike canonical 3 life $name
done
[ "$BRAND" = mpich ] || alike fast 2 life spawn
finish
