#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Builds quietly in build/NAME, and says where and for how long. Without presets, so any CMake from 3.16 on
# will do. By Ninja where it is installed; a folder keeps the generator that it began with (CMAKE_GENERATOR says another).
# Usage: build.sh NAME [TARGET...]; without targets: all that is installed, and the tests. OPTIONS: further words for
# cmake, JOBS: processes.
# NAME: openmpi, mpich, mpi (see mpis.sh), abi (the standard ABI of MPI 5), asan, tsan, smpi; flags as in CMakePresets.json.
name=${1:?}
shift
[ $# -gt 0 ] || set -- all tests
cd "$(dirname "$0")/.." || exit 2
log=build/$name.log
JOBS=${JOBS:-$(nproc)}
case $name in
openmpi | mpich) flags="-DCMAKE_BUILD_TYPE=Release -DMPI_EXECUTABLE_SUFFIX=.$name" ;;
mpi) flags="-DCMAKE_BUILD_TYPE=Release" ;;
abi) flags="-DCMAKE_BUILD_TYPE=Release -DSUMMAND_MPI_ABI=ON" ;;
smpi) flags="-DCMAKE_BUILD_TYPE=Release -DCMAKE_C_COMPILER=smpicc -DSUMMAND_TESTS=OFF" ;;
asan) flags="-DCMAKE_BUILD_TYPE=RelWithDebInfo -DSUMMAND_SANITIZE=ON -DSUMMAND_WITH_MPI=OFF" ;;
tsan) flags="-DCMAKE_BUILD_TYPE=RelWithDebInfo -DSUMMAND_SANITIZE=thread -DMPI_EXECUTABLE_SUFFIX=.openmpi" ;;
*) echo "build.sh: no build is called $name" >&2; exit 2 ;;
esac
mkdir -p build
# Builds share objects through ccache where it is installed and can write its files: what knows no MPI is compiled
# once for all MPIs. The build folder remembers it, so it is told each time.
launcher=${CMAKE_C_COMPILER_LAUNCHER:-}
: >"build/try-$name.c"
if [ -z "${CMAKE_C_COMPILER_LAUNCHER:-}" ] && ccache "${CC:-cc}" -c "build/try-$name.c" -o "build/try-$name.o" 2>/dev/null; then
    launcher=ccache
    export CCACHE_BASEDIR="${CCACHE_BASEDIR:-$PWD}" CCACHE_NOHASHDIR="${CCACHE_NOHASHDIR:-1}"
fi
rm -f "build/try-$name.c" "build/try-$name.o"
generator=
if [ -f "build/$name/CMakeCache.txt" ]; then
    # What the folder was built with may be gone.
    builder=$(sed -n 's/^CMAKE_MAKE_PROGRAM:[A-Z]*=//p' "build/$name/CMakeCache.txt")
    command -v "$builder" >/dev/null || rm -rf "build/$name/CMakeCache.txt" "build/$name/CMakeFiles"
fi
if [ ! -f "build/$name/CMakeCache.txt" ] && [ -z "${CMAKE_GENERATOR:-}" ] &&
    { command -v ninja || command -v ninja-build; } >/dev/null; then
    generator='-G Ninja'
fi
start=$(date +%s)
# --target takes several names from CMake 3.15 on.
# shellcheck disable=SC2086
if { cmake -S . -B "build/$name" $generator $flags "-DCMAKE_C_COMPILER_LAUNCHER=$launcher" \
    "-DCMAKE_CXX_COMPILER_LAUNCHER=$launcher" ${OPTIONS:-} &&
    cmake --build "build/$name" -j "$JOBS" --target "$@"; } >"$log" 2>&1; then
    echo "== build/$name: built in $(($(date +%s) - start)) s (log: $log)"
else
    grep -m 20 -A 6 'rror' "$log" || tail -n 20 "$log"
    echo "== build/$name: does not build (log: $log)"
    exit 1
fi
