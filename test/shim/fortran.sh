#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Pitfalls 1 to 4: Fortran's MPI_IN_PLACE and MPI_BOTTOM; the functions of mpi_f08; nothing counts twice.
. "$(dirname "$0")/common.sh"

for interface in ${INTERFACES:?}; do
    program=$PROGRAMS/fortran$interface
    plain 3 "$program"
    grep -q '^allreduce in place  *6.0  *12.0' plain || fail "$interface: the MPI alone is wrong"
    for m in fast canonical exact; do
        with $m 3 "$program"
        as_plain "interface $interface, $m"
    done
    watched canonical 3 "$program"
    same "interface $interface: calls of rank 0" "$(grep -c ' served$' lines.0)" 12
    # The line "end", and MPI_Ibcast, which combines nothing.
    same "interface $interface: calls that were not served" "$(grep -vc ' served$' lines.0)" 2
done
finish
