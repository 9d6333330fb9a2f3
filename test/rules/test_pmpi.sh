#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The library calls MPI's functions by their PMPI names, so that an interposed MPI_Allreduce which calls
# summand_allreduce does not call itself. Usage: test_pmpi.sh LIBRARY...
command -v nm >/dev/null || { echo 'pmpi: nm is not here'; exit 77; }
for library in "$@"; do
    nm -u "$library" >/dev/null 2>&1 || { echo "pmpi: nm cannot read $library"; exit 1; }
    nm -u "$library" 2>/dev/null | grep -q ' PMPI_[A-Z]' || { echo "pmpi: $library calls no PMPI function"; exit 1; }
    wrong=$(nm -u "$library" 2>/dev/null | sed -n 's/^ *U \(MPI_[A-Z][a-z_].*\)$/\1/p' | sort -u | tr '\n' ' ')
    [ -z "$wrong" ] || { echo "pmpi: $library calls $wrong"; exit 1; }
done
echo "pmpi: only PMPI functions in $*"
