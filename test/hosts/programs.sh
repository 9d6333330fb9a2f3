# SPDX-License-Identifier: BSD-3-Clause
# The programs of test/mpi between hosts, on two hosts with half of the ranks each, and with one
# rank on the second one. A program runs on its largest number of ranks up to 4. From CTest, by run.sh.
#
#     programs.sh PROGRAM...    without a program: all; TELL=1: how long each takes
. "$HOSTS_HERE/common.sh"
source=$HOSTS_HERE/../mpi
export SUMMAND_CALIBRATION=off SUMMAND_NETWORK=off LIMIT=600
# Too long over a slow network: 10,000 communicators, and gigabytes. Of ranks that share a node, or a folder.
left_out='communicators|gemm_large|matrix_expose|network|mismatch_table'
# Windows between hosts: Open MPI 4.1 makes none over TCP by its default (docs/errors.md).
[ "$KIND" != openmpi ] ||
    left_out="$left_out|gemm_rows|memory_notify|memory_window|notify.*|onesided.*|window.*"
# MPICH ends the program when a message is too long, on one host, too.
[ "$KIND" != mpich ] || left_out="$left_out|one_fails"
# shellcheck disable=SC2046
[ $# -gt 0 ] || set -- $(cd "$source" && ls test_*.c | sed 's/\.c$//' | grep -vxE "test_($left_out)")

# ranks_of PROGRAM: its largest number up to 4.
ranks_of() {
    sed -n '1s/[^0-9 ]//gp' "$source/$1.c" | tr ' ' '\n' | grep -x '[1-4]' | sort -n | tail -n 1
}

for program; do
    np=$(ranks_of "$program")
    [ "${np:-1}" -gt 1 ] || continue
    line=$PROGRAMS/$program
    [ -x "$line" ] || line="$PROGRAMS/together $program"
    # What it compares with is wrong between hosts with MPICH 4.0.2 (docs/errors.md), but without these.
    [ "$KIND $program" != 'mpich test_random_calls' ] || line="env MPIR_CVAR_ENABLE_SMP_COLLECTIVES=0
        MPIR_CVAR_REDUCE_DEVICE_COLLECTIVE=0 MPIR_CVAR_DEVICE_COLLECTIVES=none $line"
    for first in $(printf '%s\n' $((np / 2)) $((np - 1)) | sort -u); do
        begin=$(date +%s)
        # shellcheck disable=SC2086
        launch "host0:$first host1:$((np - first))" $line > out 2>&1 && ! grep -q ' [1-9][0-9]* failed' out ||
            fail "$program on $first + $((np - first)) ranks: $(grep -v "$noise" out | head -n 30)"
        [ -z "${TELL:-}" ] || echo "$program $first + $((np - first)): $(($(date +%s) - begin)) s $(grep checks out)"
    done
done
finish
