#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# SUMMAND_SIDE_BY_SIDE: builds for Open MPI and MPICH fit into one prefix. What both install has the same bytes, and each is
# used there as Debian's packages are tested; then one is removed, and the other, whose folder has the same last name. The
# builds stay, beside BUILD if that is in SOURCE/build, so that ccache finds what BUILD has compiled.
# Usage: test_side_by_side.sh SOURCE BUILD CMAKE
source=$1 cmake=$3
case $2 in "$source/build/"*) build=$source/build/side_by_side ;; *) build=$2/side_by_side ;; esac
for mpi in openmpi mpich; do
    command -v "mpicc.$mpi" >/dev/null || { echo "side_by_side: no mpicc.$mpi is here"; exit 77; }
done
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() { echo "side_by_side: $*"; exit 1; }
generator= launcher=$(command -v ccache)
! command -v ninja >/dev/null || generator='-G Ninja'
export CCACHE_BASEDIR="$source" CCACHE_NOHASHDIR=1
for mpi in openmpi mpich; do
    # shellcheck disable=SC2086
    { "$cmake" -S "$source" -B "$build/$mpi/build" $generator -DCMAKE_BUILD_TYPE=Release -DMPI_EXECUTABLE_SUFFIX=.$mpi \
        -DCMAKE_C_COMPILER_LAUNCHER="$launcher" -DSUMMAND_SIDE_BY_SIDE=ON -DSUMMAND_TESTS=OFF &&
        "$cmake" --build "$build/$mpi/build" -j 2 && "$cmake" --install "$build/$mpi/build" --prefix "$work/$mpi"; } \
        >"$work/log" 2>&1 || { tail -n 20 "$work/log"; fail "$mpi does not build"; }
done
both=$(cd "$work/openmpi" && find . ! -type d | while read -r file; do [ ! -e "../mpich/$file" ] || echo "$file"; done)
echo "$both" | grep -qx ./include/summand.h || fail 'nothing is shared'
for file in $both; do cmp "$work/openmpi/$file" "$work/mpich/$file" || fail "$file differs between MPIs"; done
cp -a "$work/openmpi" "$work/both"
cp -a "$work/mpich/." "$work/both"
for mpi in openmpi mpich; do
    sh "$source/packaging/recipes/debian/tests/use" $mpi "$work/both" >"$work/log" 2>&1 || { cat "$work/log"; fail "$mpi: cannot be used"; }
    grep '^use:' "$work/log"
done
# What one build has alone goes with it; what both have stays until the other one goes.
remove() { "$cmake" -DBUILD="$build/$1/build/" -DPREFIX="$work/both" -P "$source/cmake/Uninstall.cmake" >"$work/log" 2>&1 || { cat "$work/log"; fail "uninstall: $1"; }; }
remove openmpi
(cd "$work/mpich" && find . ! -type d | sort) >"$work/files"
(cd "$work/both" && find . ! -type d ! -path '*/__pycache__/*' | sort) | diff "$work/files" - || fail 'uninstall of one build: files of the other'
remove mpich
[ -z "$(find "$work/both" ! -type d)" ] || { find "$work/both" ! -type d; fail 'uninstall of both builds leaves these'; }
"$cmake" -S "$source" -B "$work/none" -DSUMMAND_SIDE_BY_SIDE=ON -DSUMMAND_WITH_MPI=OFF >"$work/log" 2>&1 && fail 'without an MPI it has a name'
grep -q 'SUMMAND_SIDE_BY_SIDE: it needs an MPI' "$work/log" || fail "no reason: $(cat "$work/log")"
