#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# In another project (add_subdirectory) there is the library and nothing else: no test, no command, nothing
# to install, and nothing to find but a compiler and the MPI. Usage: test_subproject.sh SOURCE CMAKE OPTION...
source=$1 cmake=$2
shift 2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cat >"$work/CMakeLists.txt" <<END
cmake_minimum_required(VERSION 3.16)
project(mine C)
set(CMAKE_DISABLE_FIND_PACKAGE_PkgConfig ON)
enable_testing()
add_subdirectory($source summand)
add_executable(mine mine.c)
target_link_libraries(mine PRIVATE summand::summand)
END
echo '#include <summand.h>
int main(void) { return summand_version()[0] == 0; }' >"$work/mine.c"
fail() { echo "subproject: $*"; cat "$work/log"; exit 1; }
"$cmake" -S "$work" -B "$work/build" -G 'Unix Makefiles' "$@" >"$work/log" 2>&1 || fail 'cannot be configured'
"$cmake" --build "$work/build" --target help >"$work/targets" 2>>"$work/log"
grep -q '\.\.\. summand-local$' "$work/targets" || fail 'no library'
for wrong in summand-command summand-study 'test_[a-z]*' unit-helpers bench-common fuzz-tuning check-json; do
    grep -q "\.\.\. $wrong\$" "$work/targets" && fail "there is $wrong"
done
(cd "$work/build" && ctest -N) | grep -q 'Total Tests: 0' || fail 'it has tests'
[ -z "$(find "$work/build/summand" -name cmake_install.cmake -exec grep -l 'include/summand\|libsummand' {} +)" ] ||
    fail 'it installs something'
# BUILD_SHARED_LIBS decides what summand::summand is.
grep -q '\.\.\. summand-shared$' "$work/targets" && fail 'it is shared, unasked'
"$cmake" -S "$work" -B "$work/shared" -G 'Unix Makefiles' -DBUILD_SHARED_LIBS=ON "$@" >"$work/log" 2>&1 || fail 'cannot be configured as a shared library'
grep -q 'libsummand\.so' "$work/shared/CMakeFiles/mine.dir/link.txt" || fail 'BUILD_SHARED_LIBS: it is static'
# Its headers are found.
make -C "$work/build" mine.o >"$work/log" 2>&1 || fail 'mine.c does not compile'
echo "subproject: the library alone"
