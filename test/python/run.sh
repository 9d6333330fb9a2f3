#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The Python package of this tree with the libraries of this build. Where mpi4py is for the same MPI, on ranks, too.
# Usage: run.sh LIBRARIES MPIEXEC KIND-OF-MPI
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
export PYTHONPATH="$here/../../bindings/python" LD_LIBRARY_PATH="$1${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}" PYTHONDONTWRITEBYTECODE=1
mpiexec=$2
for python in python3 /usr/bin/python3; do # the first one may be a user's own
    $python -c 'import numpy' 2>/dev/null && break
done
$python -c 'import numpy' || exit 77
$python "$here/test_local.py" || exit 1
kind=$($python -c 'from mpi4py import MPI; from summand import _library; print(_library.kind_of_mpi(MPI))' 2>/dev/null)
case $kind in
"$3") for ranks in 1 3; do "$mpiexec" -n $ranks "$python" "$here/test_mpi.py" || exit 1; done ;;
'') echo 'python: mpi4py is not here' ;;
*) # of another MPI: the package says so
    $python -c 'from mpi4py import MPI; import summand.mpi; summand.mpi.sum([1.0], MPI.COMM_SELF)' >out.txt 2>&1 &&
        { echo 'python: takes a library of another MPI'; exit 1; }
    grep -q "built with another MPI than mpi4py, which has $kind" out.txt || { cat out.txt; exit 1; } ;;
esac
