#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# LAMMPS with two algorithms, and on two numbers of ranks: `summand diff` names the call in which the runs part.
#     record.sh BUILD   BUILD: with Open MPI, as Debian's LAMMPS; run by `make check-apps`
set -u
input=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)/lammps_melt.in
build=$1
# shellcheck disable=SC2046
export $(grep -v '^#' "$(dirname "$0")/../../packaging/launcher.env")
export OMPI_MCA_mpi_yield_when_idle=1 OMPI_MCA_btl_vader_single_copy_mechanism=none OMPI_MCA_smsc=^cma,xpmem,knem OMP_NUM_THREADS=1
command -v lmp >/dev/null || {
    echo 'check-apps: LAMMPS is not here (Debian: lammps): left out'
    exit 0
}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1

# recorded NAME RANKS MODE
recorded()
{
    "$build/summand" run --mode "$3" --record "$1" --values 8 -- mpirun.openmpi -np "$2" lmp -in "$input" >said 2>&1 || {
        cat said
        exit 1
    }
}
# parts A B WORDS: the answer of `summand diff` has these words
parts()
{
    "$build/summand" diff --ignore Finish,liblammps,memory "$1" "$2" >answer 2>&1
    status=$?
    if [ $status != 1 ] || ! tr '\n' ' ' <answer | grep -q "$3"; then
        echo "record.sh: diff $1 $2: status $status, no '$3' in:"
        cat answer
        exit 1
    fi
    sed -n '/^first/,/^$/p' answer
}
recorded four 4 canonical
recorded again 4 canonical
"$build/summand" diff --ignore Finish,liblammps,memory four again || exit 1
echo 'allreduce 4 0- ring' >tuned
SUMMAND_TUNING=$work/tuned
export SUMMAND_TUNING
recorded ring 4 fast
unset SUMMAND_TUNING
parts four ring 'MPI_Allreduce, .*: inputs equal, results differ in .*: ranks combined in another order (recursive-doubling, ring)'
recorded two 2 canonical
parts two four 'first different result on rank 0: call .*MPI_Allreduce, .* MPI_SUM, at _ZN9LAMMPS'
