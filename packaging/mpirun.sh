#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The launcher of the MPI that `make` builds with, where more ranks than cores and root are allowed (launcher.env).
# Usage: mpirun.sh -np 4 PROGRAM...; MPI: another one of mpis.sh.
here=$(dirname "$0")
MPI=${MPI:-$(sh "$here/mpis.sh" | head -n 1)}
launcher=mpiexec.$MPI
case $MPI in mpi | abi) launcher=mpiexec ;; esac
# shellcheck disable=SC2046
export $(grep -v '^#' "$here/launcher.env")
exec "$launcher" "$@"
