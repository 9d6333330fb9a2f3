#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The whole library, with MPICH, for another processor: it is cross-built without a warning, and some tests run in an
# emulator. Usage: check_processor.sh SOURCE BUILD PROCESSOR few|all. few: without the command. Exit code 77: something is missing,
# which a line names.
set -u
source=$1 here=$2 processor=$3 command=OFF
[ "$4" != all ] || command=ON
units='test_combine test_compute test_exact test_exact_algebra test_exact_batch'
ranks_tests='test_halves test_notify test_ordered test_sum'
root=$source/build/sysroot-$processor
skip() { echo "skipped: $*"; exit 77; }
fail() { echo "$processor: $*"; exit 1; }
for tool in "$processor-linux-gnu-gcc" "qemu-$processor" mpiexec.mpich; do
    command -v "$tool" >/dev/null || skip "$tool is not here"
done
[ -e "$root/complete" ] || skip "$root is not here: sh packaging/sysroot.sh $processor"
header=$(mpicc.mpich -show | tr ' ' '\n' | sed -n 's/^-I//p' | head -n 1)
libraries=$root/usr/lib/$processor-linux-gnu
mkdir -p "$here/test/cross/$processor"
cd "$here/test/cross/$processor" || exit 1

# Headers of an MPI do not depend on the processor where long has 64 bits.
cat >mpicc <<END
#!/bin/sh
flags="-I$header -L$libraries -lmpich"
case \$1 in
-show) echo "$processor-linux-gnu-gcc \$flags" ;;
-showme* | -compile_info | -link_info) exit 1 ;;
*) exec $processor-linux-gnu-gcc "\$@" \$flags ;;
esac
END
chmod +x mpicc
export PKG_CONFIG_SYSROOT_DIR="$root" PKG_CONFIG_LIBDIR="$libraries/pkgconfig"
! command -v ccache >/dev/null || export CMAKE_C_COMPILER_LAUNCHER=ccache
ninja=
! command -v ninja >/dev/null || ninja='-G Ninja'
# -O1 takes half of the time, and the kernels are compared at -O3 (check_kernels.sh).
# shellcheck disable=SC2086
cmake -S "$source" -B . $ninja -DCMAKE_TOOLCHAIN_FILE="$source/test/cross/toolchain.cmake" -DCROSS="$processor" -DSYSROOT="$root" \
    -DCMAKE_BUILD_TYPE=Quick -DCMAKE_C_FLAGS_QUICK=-O1 -DMPI_C_COMPILER="$PWD/mpicc" -DMPIEXEC_EXECUTABLE=mpiexec.mpich \
    -DSUMMAND_COMMAND=$command -DSUMMAND_MPIFORT=OFF -DSUMMAND_BLAS=OFF >log 2>&1 || { cat log; fail 'cannot be configured'; }
# shellcheck disable=SC2086
cmake --build . -j "$(nproc)" --target all core_alone together $units >log 2>&1 ||
    { grep -m 20 -A 6 'rror' log || tail -n 20 log; fail 'does not build'; }
grep -A 3 'warning:' log && fail 'warnings'

# run RANKS PROGRAM WORD...
run()
{
    ranks=$1
    shift
    mpiexec.mpich -n "$ranks" "qemu-$processor" -L "$root" "$@" >out 2>&1 || { cat out; fail "$*, $ranks ranks"; }
    tail -n 1 out
}
export SUMMAND_CALIBRATION=off SUMMAND_NETWORK=off
ctest -j "$(nproc)" --output-on-failure --timeout 900 -R "^unit/($(echo "$units" | tr ' ' '|'))\$" >out || { cat out; fail 'unit tests'; }
grep 'tests passed' out
run 2 test/core_alone
SUMMAND_TRANSPORT=shm run 2 test/together $ranks_tests
SUMMAND_TRANSPORT=p2p run 2 test/together $ranks_tests
