#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Projects that have Summand as a folder (add_subdirectory) build it and their own programs, which run on two ranks with
# the shared and with the static library. Usage: test_parents.sh plain|lto SOURCE CMAKE MPIEXEC OPTION...
kind=$1 source=$2 cmake=$3 mpiexec=$4
shift 4
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() { echo "parents: $*"; exit 1; }
# In a folder with a space, and with what is needed of Summand alone.
project="$work/my project"
mkdir "$project"
cp -r "$source/test/install/parents/." "$project"
mkdir "$project/sum mand"
for part in CMakeLists.txt cmake include packaging src; do cp -r "$source/$part" "$project/sum mand"; done

# parent NAME LANGUAGES OPTION...: one after the other in one folder. With the same flags of all files the library is
# compiled once.
parent()
{
    name=$1 languages=$2
    shift 2
    rm -rf "$work/my build/bin"
    "$cmake" -S "$project" -B "$work/my build" -DSUMMAND="$project/sum mand" -DCMAKE_BUILD_TYPE=Debug \
        -DCMAKE_C_FLAGS_DEBUG= -DPARENT_LANGUAGES="$languages" "$@" >"$work/log" 2>&1 ||
        { cat "$work/log"; fail "$name: cannot be configured"; }
    "$cmake" --build "$work/my build" -j 2 >"$work/log" 2>&1 ||
        { grep -m 20 -A 6 'rror:' "$work/log" || tail -n 20 "$work/log"; fail "$name: does not build"; }
    for program in "$work/my build/bin/"*; do
        "$mpiexec" -n 2 "$program" >"$work/out" 2>&1
        [ "$(tr '\n' ' ' <"$work/out")" = '2 2 ' ] || { cat "$work/out"; fail "$name: $program does not print 2 twice"; }
    done
    echo "parents: $name: $(ls "$work/my build/bin" | tr '\n' ' ')"
}

# Warnings of Summand's own files are none of the parent's errors; those of its headers are.
strict='-Wall;-Wextra;-Wpedantic;-Wconversion;-Werror'
set -- "$@" "-DPARENT_FLAGS=$strict"
if [ "$kind" = lto ]; then
    parent 'whole-program optimisation' 'C;CXX' "$@" -DCMAKE_INTERPROCEDURAL_OPTIMIZATION=ON -DCMAKE_C_FLAGS_DEBUG=-O1 \
        -DBUILD_SHARED_LIBS=ON
    exit
fi
parent 'C++ alone' CXX "$@" -DCMAKE_UNITY_BUILD=ON -DCMAKE_COMPILE_WARNING_AS_ERROR=ON -DBUILD_SHARED_LIBS=ON
parent 'C alone' C "$@"
parent 'C and C++' 'C;CXX' "$@"
if command -v gfortran >/dev/null; then parent Fortran Fortran "$@"; else echo 'parents: gfortran is not here'; fi
parent 'static libraries' 'C;CXX' "$@" -DBUILD_SHARED_LIBS=OFF
