#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Real programs with and without the shim, in each mode: exit status, their own checks, and what they print. Needs the
# programs; those that are not here are left out, and a line says so. It installs nothing:
#     apt-get install lammps hpcc python3-mpi4py scalapack-mpi-test libhdf5-openmpi-dev libhdf5-mpich-dev
#     shim.sh BUILD [BUILD]   run by `make check-apps`, one BUILD per MPI; PAIRS=N: pairs of runs for the ratio [0]
set -u
source=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
# shellcheck disable=SC2046
export $(grep -v '^#' "$(dirname "$0")/../../packaging/launcher.env")
export OMPI_MCA_mpi_yield_when_idle=1 OMPI_MCA_btl_vader_single_copy_mechanism=none OMPI_MCA_smsc=^cma,xpmem,knem
export SUMMAND_STALL=120
pairs=${PAIRS:-0}
modes=${MODES:-off fast ordered canonical exact}
here=$PWD
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
failed=0
python=/usr/bin/python3
[ -x $python ] || python=python3

# row MPI PROGRAM MODE STATUS WORDS: a line of the table
row()
{
    printf '%-8s %-16s %-10s %-6s %s\n' "$@"
}

# left_out PROGRAM PACKAGE
left_out()
{
    echo "check-apps: $1 is not here for $mpi (Debian: $2): left out"
}

# spent COMMAND...: runs it with the output in `said`; seconds of its processor time in $seconds, status in $status
spent()
{
    { bash -c 'TIMEFORMAT="%U %S"; time timeout 300 "$@" >said 2>said.err' words "$@"; } 2>times
    status=$?
    seconds=$(tail -n 1 times | awk '{ print $1 + $2 }')
}

# compare PROGRAM FILTER RANKS WORDS...: plain, then with each mode; the filtered outputs must be equal. FILTER is a
# sed script that leaves what a run must repeat.
compare()
{
    program=$1 filter=$2 ranks=$3
    shift 3
    spent "$mpiexec" -n "$ranks" "$@"
    sed -nE "$filter" said >plain
    plain_status=$status
    [ "$status" -eq 0 ] && [ -s plain ] || {
        row "$mpi" "$program" none "$status" "does not run without the shim: $(head -n 1 said.err)"
        return
    }
    for mode in $modes; do
        spent "$summand" run --mode "$mode" -- "$mpiexec" -n "$ranks" "$@"
        sed -nE "$filter" said >out
        words=right
        if [ "$status" -ne "$plain_status" ]; then
            words="FAILED: $(head -n 1 said.err)"
        elif ! cmp -s plain out; then
            words="FAILED: other results: $(diff plain out | sed -n 2p)"
        elif grep -q '^summand' said.err; then
            words="FAILED: $(grep '^summand' said.err | head -n 1)"
        fi
        case $words in FAILED*) failed=$((failed + 1)) ;; esac
        row "$mpi" "$program" "$mode" "$status" "$words"
    done
    [ "$pairs" -eq 0 ] || ratio "$program" "$ranks" "$@"
}

# ratio PROGRAM RANKS WORDS...: pairs of runs, one after the other: the median of the ratios of processor time.
ratio()
{
    program=$1 ranks=$2
    shift 2
    : >ratios
    for turn in $(seq "$pairs"); do
        if [ $((turn % 2)) -eq 0 ]; then
            spent "$mpiexec" -n "$ranks" "$@"
            alone=$seconds
            spent "$summand" run --mode fast -- "$mpiexec" -n "$ranks" "$@"
            echo "$seconds $alone" >>ratios
        else
            spent "$summand" run --mode fast -- "$mpiexec" -n "$ranks" "$@"
            with=$seconds
            spent "$mpiexec" -n "$ranks" "$@"
            echo "$with $seconds" >>ratios
        fi
    done
    row "$mpi" "$program" fast - "processor time, fast / MPI: $(awk '{ print $1 / $2 }' ratios | sort -g |
        awk '{ x[NR] = $1 } END { printf "%.3f (%.3f to %.3f)", x[int((NR + 1) / 2)], x[1], x[NR] }')"
}

# links PROGRAM: true if it is linked with this MPI.
links()
{
    found=$(command -v "$1") && ldd "$found" | grep -q "$library"
}

# LAMMPS writes energies that depend on the order of additions in the last digits; the first steps are printed in so few
# digits that they agree.
run_lammps()
{
    links lmp || { left_out lmp lammps; return; }
    for input in melt minimize; do
        compare "lammps $input" 's/^ +(0|50|100) .*/&/p; s/^(Total # of neighbors|Dangerous builds) = .*/&/p' 2 \
            lmp -in "$source/lammps_$input.in" -log none
    done
}

# Its own checks: "Failure" and "residual" lines; only numbers that rounding cannot change.
run_hpcc()
{
    links hpcc || { left_out hpcc hpcc; return; }
    cp "$source/hpccinf.txt" hpccinf.txt
    compare hpcc 's/.*/ran/p' 2 sh -c 'rm -f hpccoutf.txt; hpcc && grep -c PASSED hpccoutf.txt && grep "^Success=1" hpccoutf.txt &&
        ! grep -E "FAILED|_Errors=[1-9]" hpccoutf.txt'
}

run_mpi4py()
{
    links_python=$($python -c 'from mpi4py import MPI; print(MPI.__file__)' 2>/dev/null)
    [ -n "$links_python" ] && ldd "$links_python" | grep -q "$library" || {
        left_out mpi4py python3-mpi4py
        return
    }
    compare mpi4py 's/.*/&/p' 3 $python "$source/sums.py"
}

# Fortran and BLACS, whose collectives are its own over MPI's. Its tests say what passed.
run_scalapack()
{
    folder=$(echo /usr/lib/*/scalapack/"$mpi"-tests)
    [ -x "$folder/xdlu" ] || { left_out ScaLAPACK scalapack-mpi-test; return; }
    cp "$folder"/*.dat .
    for test in xdlu xdqr xzllt; do
        [ -x "$folder/$test" ] || continue
        compare "scalapack $test" 's/.*(PASSED|FAILED|tests (completed|skipped)|passed).*/\1/p' 2 "$folder/$test"
    done
}

run_hdf5()
{
    compiler=$(command -v h5pcc.$mpi) || { left_out HDF5 "libhdf5-$mpi-dev"; return; }
    $compiler -o "hdf5-$mpi" "$source/write_hdf5.c" >compiled 2>&1 || {
        echo "check-apps: FAILED: write_hdf5.c: $(head -n 1 compiled)"
        failed=$((failed + 1))
        return
    }
    compare hdf5 's/.*/&/p' 3 "./hdf5-$mpi"
}

row MPI program mode status result
for build in "$@"; do
    case $build in /*) ;; *) build=$here/$build ;; esac
    summand=$build/summand
    mpiexec=$(sed -n 's/^MPIEXEC_EXECUTABLE:[A-Z]*=//p' "$build/CMakeCache.txt")
    library='libmpi\.so\.[2-9]'
    case $(ldd "$build/summand") in *libmpich.so*) mpi=mpich library='libmpich\.so' ;; *) mpi=openmpi ;; esac
    for program in ${PROGRAMS:-mpi4py lammps hpcc scalapack hdf5}; do
        run_$program
    done
done
[ $failed -eq 0 ] || echo "check-apps: $failed comparison(s) with the shim FAILED"
[ $failed -eq 0 ]
