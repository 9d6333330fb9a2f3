#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The MPIs that are at hand, by the names that build.sh has for them, the first choice first:
#   mpi       the mpicc on the PATH (a module, Spack, a Fedora or SUSE), unless it is one of these:
#   openmpi   mpicc.openmpi, as Debian has it
#   mpich     mpicc.mpich
#   abi       last: any MPI with libmpi_abi.so.1, the standard ABI of MPI 5
path_of() { readlink -f "$(command -v "$1" 2>/dev/null)" 2>/dev/null; }
plain=$(path_of mpicc)
names=''
for name in openmpi mpich; do
    command -v "mpicc.$name" >/dev/null 2>&1 && command -v "mpiexec.$name" >/dev/null 2>&1 || continue
    names="$names $name"
    [ "$plain" = "$(path_of "mpicc.$name")" ] && plain=''
done
[ -z "$plain" ] || echo mpi
# shellcheck disable=SC2086
[ -z "$names" ] || printf '%s\n' $names
PATH=$PATH:/sbin:/usr/sbin
if command -v mpiexec >/dev/null 2>&1 && ldconfig -p 2>/dev/null | grep -q 'libmpi_abi\.so\.1 '; then
    echo abi
fi
