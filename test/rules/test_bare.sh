#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# With a compiler, CMake and an MPI, and no library that is optional, the project is configured and has the command.
# Usage: test_bare.sh SOURCE CMAKE OPTION...
source=$1 cmake=$2
shift 2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() { echo "bare: $*"; cat "$work/log"; exit 1; }
"$cmake" -S "$source" -B "$work/build" -G 'Unix Makefiles' -DCMAKE_DISABLE_FIND_PACKAGE_PkgConfig=ON \
    -DCMAKE_DISABLE_FIND_PACKAGE_ZLIB=ON -DMPFR=OFF -DGMP=OFF -DSUMMAND_MPIFORT=OFF \
    "$@" >"$work/log" 2>&1 || fail 'cannot be configured'
grep -q 'without --json' "$work/log" || fail 'jansson was found'
"$cmake" --build "$work/build" --target help >"$work/targets" 2>>"$work/log"
for target in summand summand-command summand-study summand-mpi tests; do
    grep -q "\.\.\. $target\$" "$work/targets" || fail "no target $target"
done
echo 'bare: configured without the optional libraries'
