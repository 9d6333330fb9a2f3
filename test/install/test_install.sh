#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Uses the files that `cmake --install` installs from outside: moved to another place, by pkg-config and by CMake,
# shared and static, in C and in C++, on two ranks. The C program is the one of README.md. The examples print what their
# comments say; another MPI's compiler is refused; what is installed can be removed.
# Usage: test_install.sh SOURCE BUILD CMAKE MPICC MPIEXEC CXX MPI_SUFFIX; CXX: empty if there is none
source=$1 build=$2 cmake=$3 mpicc=$4 mpiexec=$5 cxx=$6 suffix=$7
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0
fail() { echo "install: $*"; failed=1; }
# try WHAT COMMAND...: if the command fails, the test fails, with its output.
try()
{
    what=$1
    shift
    "$@" >"$work/log" 2>&1 && return 0
    fail "$what: $*"
    cat "$work/log"
    return 1
}
# says RANKS NUMBER PROGRAM...: each rank prints the number.
says()
{
    ranks=$1 number=$2 wanted=
    shift 2
    for _ in $(seq "$ranks"); do wanted="$wanted$number "; done
    if [ "$ranks" = 1 ]; then "$@"; else "$mpiexec" -n "$ranks" "$@"; fi >"$work/out" 2>&1
    [ "$(tr '\n' ' ' <"$work/out")" = "$wanted" ] || { fail "$* says:"; cat "$work/out"; }
}

# says_once RANKS TEXT PROGRAM...: one rank prints the text.
says_once()
{
    ranks=$1 wanted=$2
    shift 2
    "$mpiexec" -n "$ranks" "$@" >"$work/out" 2>&1
    [ "$(cat "$work/out")" = "$wanted" ] || { fail "$* on $ranks ranks should say $wanted:"; cat "$work/out"; }
}

# Installed, staged as packages are, and moved.
try install "$cmake" --install "$build" --prefix "$work/first/usr" || exit 1
try 'install, staged' env DESTDIR="$work/staged" "$cmake" --install "$build" --prefix /usr
mkdir "$work/second"
mv "$work/first/usr" "$work/second/moved"
prefix=$work/second/moved
(cd "$prefix" && find . | sort) >"$work/files"
(cd "$work/staged/usr" && find . | sort) >"$work/files_staged"
cmp "$work/files" "$work/files_staged" || fail 'what is staged differs'
for name in 'bin/summand' 'bin/summand-study' 'share/man/man1/summand.1' 'share/man/man1/summand-study-figure.1' 'share/man/man1/summand-bench-sum.1' share/man/man3/summand_dot.3 \
    share/man/man7/summand-env.7 share/bash-completion/completions/summand-study share/zsh/site-functions/_summand \
    share/fish/vendor_completions.d/summand.fish '.*/libsummand.so.[0-9.]*' \
    '.*/libsummand.a' '.*/libsummand-local.so' '.*/libsummand-local.a' '.*/pkgconfig/summand.pc' \
    '.*/pkgconfig/summand-local.pc' '.*/SummandConfig.cmake' '.*/SummandConfigVersion.cmake' include/summand.h; do
    grep -qx "\./$name" "$work/files" || fail "$name is not installed"
done
for header in "$source"/include/summand/*.h; do
    cmp -s "$header" "$prefix/include/summand/${header##*/}" || fail "${header##*/} is not installed"
done
# No file knows the build folder, or an MPI's path.
grep -n '[ ";=]/[a-z]' $(find "$prefix" -name '*.pc' -o -name '*.cmake') && fail 'a path is fixed'
libdir=$(dirname "$(find "$prefix" -name libsummand.a)")
for file in "$prefix/bin/summand" "$libdir/libsummand.so"; do
    readelf -d "$file" | grep -F "[$build" && fail "${file##*/} looks for libraries in the build tree"
done
readelf -d "$prefix/bin/summand" | grep 'NEEDED.*libsummand' && fail 'the command needs libsummand.so'
soname=$(readelf -d "$libdir/libsummand.so" | sed -n 's/.*SONAME.*\[\(.*\)\]/\1/p')
doc=$prefix/share/doc/summand
for page in LICENSE README.md NEWS.md docs/shim.md docs/results/README.md examples/Makefile; do
    [ -s "$doc/$page" ] || fail "share/doc/summand/$page is not installed"
done
for kind in openmpi mpich; do
    [ ! -e "$build/libsummand-mpi-$kind.so" ] || [ -e "$libdir/summand/libsummand-mpi-$kind-core.so" ] || fail 'the shim is not installed'
done
[ -e "$libdir/$soname" ] && [ "$soname" != libsummand.so ] || fail "soname: $soname"
try 'the installed command' "$prefix/bin/summand" version

# README's program: its first block of C.
awk '$0 == "```" { inside = 0 } inside { print } $0 == "```c" && most++ < 1 { inside = 1 }' "$source/README.md" >"$work/sum.c"
grep -q MPI_Init "$work/sum.c" || fail 'README.md: no program'
awk '/^#include/ { inside = 1 } inside { print }' "$doc/examples/sum.c" | cmp - "$work/sum.c" ||
    fail 'examples/sum.c is not the program of README.md'
export LD_LIBRARY_PATH="$libdir${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
cp "$source/test/install/outside/"* "$work/"
cd "$work" || exit 2

# By pkg-config; the last case is the build tree, which installs nothing.
pc() { PKG_CONFIG_PATH=$1 pkg-config $2 $3; }
if command -v pkg-config >/dev/null; then
    # shellcheck disable=SC2046
    {
        installed=$libdir/pkgconfig
        try 'C, shared' "$mpicc" sum.c $(pc "$installed" '--cflags --libs' summand) -o shared && says 2 2 ./shared
        readelf -d shared | grep -qF "[$soname]" || fail 'the program does not need libsummand.so'
        try 'C, static' "$mpicc" sum.c $(pc "$installed" --cflags summand) \
            "$(pc "$installed" --variable=libdir summand)/libsummand.a" -lm -o static && says 2 2 ./static
        readelf -d static | grep 'libsummand' && fail 'the static program needs libsummand.so'
        try 'C, without MPI' cc local.c $(pc "$installed" '--cflags --libs' summand-local) -o local && says 1 1 ./local
        try 'C, not installed' "$mpicc" sum.c $(pc "$build" '--cflags --libs' summand) -o there && says 2 2 ./there
        if [ -n "$cxx" ]; then
            try 'C++, shared' "$cxx" program.cpp $(pc "$installed" '--cflags --libs' summand) -o cxx && says 2 2 ./cxx
        fi
    }
    [ -n "$(pc "$installed" --variable=mpi summand)" ] || fail 'summand.pc does not say which MPI'
else
    echo 'install: pkg-config is not here'
fi

# wanted_of EXAMPLE: what it prints, as its first comment says; ranks_of EXAMPLE: on how many ranks, at least 3 of any.
wanted_of() { sed -n 's,.*Prints on \([0-9]*\|any number of\) ranks*: \(.*[^ */]\)[ */]*$,\2,p' "$1"; }
ranks_of() { sed -n 's/.*Prints on \([0-9]*\|any number of\) ranks*: .*/\1/p' "$1" | sed 's/any.*/3/'; }
# prints EXAMPLE PROGRAM...: on as many ranks, what the example's first comment says.
prints()
{
    ranks=$(ranks_of "$1") wanted=$(wanted_of "$1") example=${1##*/}
    shift
    case $ranks in 1) "$@" ;; *) "$mpiexec" -n "$ranks" "$@" ;; esac >"$work/out" 2>&1
    [ -n "$wanted" ] && [ "$(tr '\n' ' ' <"$work/out")" = "$wanted " ] || { fail "$example should print $wanted:"; cat "$work/out"; }
}
export PKG_CONFIG_PATH="$libdir/pkgconfig"
cp -r "$doc/examples" examples
if command -v pkg-config >/dev/null && try examples make -C examples MPICC="$mpicc"; then
    for program in sum local; do prints examples/$program.c examples/$program; done
    # The others once more as parts of one program, and so in one launch: 3 ranks, then those that say so on 5.
    printf '#include <mpi.h>\n#define MPI_Init(a, b)\n#define MPI_Finalize() return 0\n' >part.h
    programs=$(sed -n 's/^PROGRAMS := sum //p' examples/Makefile)
    for program in $programs; do
        echo "PROGRAM($program)" >>together.inc
        echo "$program: $(wanted_of examples/$program.c)" >>all_ranks
    done
    anywhere=$(cd examples && grep -l 'Prints on any number of ranks:' *.c | sed 's/\.c$//')
    for program in $anywhere; do grep "^$program:" all_ranks; done >any_ranks
    # shellcheck disable=SC2046
    parts() { for p in $programs; do "$mpicc" -c -w -O2 -include part.h -Dmain="${p}_main" -I"$prefix/include" examples/$p.c -o part_$p.o || return; done; }
    if try 'the examples together' parts &&
        try 'the examples together' "$mpicc" -w -I. "$source/test/mpi/together.c" part_*.o "$libdir/libsummand.a" -lm -o together; then
        { "$mpiexec" -n 3 ./together | grep -v ' programs, '; } >out 2>&1
        diff all_ranks out || fail 'the examples print something else on 3 ranks'
        # shellcheck disable=SC2086
        { "$mpiexec" -n 5 ./together $anywhere | grep -v ' programs, '; } >out 2>&1
        diff any_ranks out || fail 'the examples print something else on 5 ranks'
    fi
    # The commands in the comment of predict.c.
    sed -n 's/^ \*     //p' examples/predict.c | sed "s,mpirun -np,'$mpiexec' -n," >predict.sh
    (cd examples && PATH=$prefix/bin:$PATH try 'training' sh ../predict.sh) || failed=1
    [ "$(tail -n 1 log)" = "$(wanted_of examples/predict.c)" ] || { fail 'predict.c prints something else:'; cat log; }
fi
# C++: the program of docs/cpp.md.
if [ -n "$cxx" ] && command -v pkg-config >/dev/null; then
    awk '/^#include/ { inside = 1 } inside { print }' examples/first.cpp >first.cpp
    awk '$0 == "```" { inside = 0 } inside { print } $0 == "```cpp" && most++ < 1 { inside = 1 }' "$source/docs/cpp.md" |
        cmp - first.cpp || fail 'examples/first.cpp is not the program of docs/cpp.md'
    try 'the examples in C++' make -C examples MPICC="$mpicc" MPICXX="$cxx" first reduce &&
        for program in first reduce; do prints examples/$program.cpp examples/$program; done
fi
# Fortran: the modules by pkg-config, and the source for other compilers, which CMake compiles where they differ.
mpifc=$(echo "$mpicc" | sed 's/mpicc\([^/]*\)$/mpifort\1/')
if [ -e "$libdir/libsummand-fortran.a" ] && command -v pkg-config >/dev/null; then
    [ -s "$prefix/include/summand/fortran/summand.mod" ] || fail 'summand.mod is not installed'
    awk '/^program/ { inside = 1 } inside { print }' examples/fortran.f90 >fortran.f90
    awk '$0 == "```" { inside = 0 } inside { print } $0 == "```fortran" && most++ < 1 { inside = 1 }' "$source/docs/fortran.md" |
        cmp - fortran.f90 || fail 'examples/fortran.f90 is not the program of docs/fortran.md'
    if try 'the examples in Fortran' make -C examples MPICC="$mpicc" MPIFC="$mpifc" fortran model glob_sum; then
        for program in fortran model glob_sum; do prints examples/$program.f90 examples/$program; done
        bits=$("$mpiexec" -n 3 examples/model)
        for ranks in 1 2 5 8; do says_once "$ranks" "$bits" examples/model; done
    fi
    # shellcheck disable=SC2046
    try 'Fortran, not installed' "$mpifc" fortran.f90 $(pc "$build" '--cflags --libs' summand-fortran) -o there_too &&
        says 2 2.0 ./there_too
    mkdir fortran
    cat >fortran/CMakeLists.txt <<'END'
cmake_minimum_required(VERSION 3.16)
project(outside LANGUAGES C Fortran)
find_package(Summand REQUIRED COMPONENTS mpi fortran)
add_executable(in_fortran ../fortran.f90)
target_link_libraries(in_fortran PRIVATE summand::fortran)
END
    in_fortran() { "$cmake" -S fortran -B "$1" -DMPI_EXECUTABLE_SUFFIX="$suffix" -DCMAKE_PREFIX_PATH="$prefix" && "$cmake" --build "$1"; }
    try 'CMake, Fortran' in_fortran its_modules && says 2 2.0 its_modules/in_fortran
    [ ! -e its_modules/libsummand-fortran.a ] || fail 'CMake compiles the modules of the same compiler'
    config=$(find "$prefix" -name SummandConfig.cmake)
    cp "$config" config
    sed -i 's/Summand_compiler STREQUAL "[^"]*"/Summand_compiler STREQUAL "another"/' "$config"
    try 'CMake, another compiler for Fortran' in_fortran its_source && says 2 2.0 its_source/in_fortran
    [ -e its_source/libsummand-fortran.a ] || fail 'CMake does not compile the modules for another compiler'
    cp config "$config"
else
    echo 'install: no Fortran compiler is here'
fi
# mpi4py is for one MPI; the script refuses a library for another one.
mpi=$(pkg-config --variable=mpi summand)
for python in python3 /usr/bin/python3; do # the first one may be a user's own
    vendor=$($python -c 'import numpy; from mpi4py import MPI; print(MPI.get_vendor()[0])' 2>/dev/null) && break
done
export PYTHONPATH="$prefix/share/summand/python" PYTHONDONTWRITEBYTECODE=1
case $vendor/$mpi in
/*) echo 'install: mpi4py and NumPy are not here' ;;
"Open MPI/Open MPI"* | MPICH/MPICH*)
    for program in sum histogram; do prints examples/$program.py $python examples/$program.py; done ;;
*) $python examples/sum.py >out 2>&1 && fail 'sum.py takes a library of another MPI'
    grep -q 'built with another MPI' out || { fail 'sum.py: no reason'; cat out; } ;;
esac

# The static library before the program: the linker names what is missing, and does not speak of another MPI.
"$mpicc" -I"$prefix/include" "$libdir/libsummand.a" sum.c -lm -o early >log 2>&1 && fail 'the order of static libraries does not matter'
grep -q 'undefined.*summand_link_after_this_the_library_for_' log || { fail 'static library first: no reason'; cat log; }

# The compiler of another MPI: an error says so, and without the installed header linking ends with a name that does
# (summand/mpi.h).
case $suffix in .openmpi) other=.mpich ;; .mpich) other=.openmpi ;; *) other= ;; esac
if [ -n "$other" ] && command -v "mpicc$other" >/dev/null && command -v pkg-config >/dev/null; then
    for where in "$libdir/pkgconfig" "$build"; do
        # shellcheck disable=SC2046
        "mpicc$other" -c sum.c $(pc "$where" --cflags summand) -o wrong.o >log 2>&1 &&
            fail "mpicc$other compiles for a library of another MPI"
        grep -q "This Summand was built with $mpi" log || { fail "mpicc$other: no reason"; cat log; }
    done
    for library in -lsummand "$libdir/libsummand.a"; do
        "mpicc$other" sum.c -I"$source/include" -L"$libdir" "$library" -lm -o wrong >log 2>&1 &&
            fail "mpicc$other links $library of another MPI"
        grep -q 'undefined.*summand_link_after_this_the_library_for_' log || { fail "mpicc$other, $library: no reason"; cat log; }
    done
fi

# A suffix that no MPI has: CMake alone would take any MPI.
"$cmake" -S "$source" -B nobody -DMPI_EXECUTABLE_SUFFIX=.nobody -DSUMMAND_TESTS=OFF >log 2>&1 && fail 'an MPI that is not there'
grep -q 'there is no mpicc\.nobody' log || { fail 'no reason for an MPI that is not there'; cat log; }
# The same in a project that uses the library; and a component that no build has.
refuses()
{
    printf '%s\n' 'cmake_minimum_required(VERSION 3.16)' "project(wrong LANGUAGES $2)" "find_package(Summand REQUIRED $3)" >wrong/CMakeLists.txt
    "$cmake" -S wrong -B "wrong/$1" -DCMAKE_PREFIX_PATH="$prefix" -DMPI_EXECUTABLE_SUFFIX="$4" >log 2>&1 && fail "CMake takes $3 $4"
    tr -s ' \n' ' ' <log | grep -qF "$5" || { fail "CMake: no reason to refuse $3 $4"; cat log; }
}
mkdir wrong
refuses suffix C '' .nobody 'there is no mpicc.nobody'
[ -z "$suffix" ] || refuses both C '' .nobody "${mpicc##*/}"
refuses component C 'COMPONENTS local colour' "$suffix" 'has no component colour; it has local, mpi'
[ -z "$cxx" ] || refuses suffix_cxx CXX '' .nobody 'there is no mpicxx.nobody'

# A plain build makes what is installed, and no test.
grep -hE '^(build )?all: (.* )?test/all' "$build/build.ninja" "$build/CMakeFiles/Makefile2" 2>/dev/null &&
    fail 'the default target builds tests'
grep -qsE '^(build )?all: (.* )?cli/all' "$build/build.ninja" "$build/CMakeFiles/Makefile2" ||
    fail 'what the default target builds is not known'

# Removed is what this prefix got, and nothing else.
third=$work/third
remove() { "$cmake" -DBUILD="$build" -DPREFIX="$third" -P "$source/cmake/Uninstall.cmake"; }
remove >log 2>&1 && fail 'removes what was never installed'
grep -q 'has installed nothing to' log || { fail 'uninstall: no reason'; cat log; }
try 'install, to be removed' "$cmake" --install "$build" --prefix "$third" && echo mine >"$third/include/mine.h"
"$cmake" -DBUILD="$work/other/build" -DPREFIX="$third" -P "$source/cmake/Uninstall.cmake" >log 2>&1 && fail 'removes what another build has'
tr -d '\n' <log | sed 's/  */ /g' | grep -qF "another build has: $(realpath "$build")." || { fail 'uninstall: which build?'; cat log; }
try uninstall remove
[ "$(cd "$third" && find . ! -type d)" = ./include/mine.h ] || { fail 'uninstall leaves:'; find "$third" ! -type d; }
[ -z "$(find "$third" -iname '*summand*')" ] || fail 'uninstall leaves folders of its own'

# A program that loads the library, or its own library with it inside, may unload it; also by a relative path.
if try 'unload' "$mpicc" unload.c -ldl -o unload &&
    try 'plugin' "$mpicc" -shared -Wl,-u,summand_allreduce,-u,summand_exact_op "$libdir/libsummand.a" -lm -o plugin.so; then
    unload() { for call in reduce op; do says 2 unloaded ./unload "$1" / "$call"; done; }
    unload "$libdir/libsummand.so"
    unload ./plugin.so
fi

# Each public header alone, as the first line, in C; all of them together in C++, by each compiler that is here.
for header in summand.h $(cd "$prefix/include" && echo summand/*.h); do
    printf '#include <%s>\n#include <%s>\nint main(void) { return 0; }\n' "$header" "$header" >alone.c
    try "$header in C" "$mpicc" -std=c11 -Wall -Wextra -Wstrict-prototypes -Werror -fsyntax-only -I"$prefix/include" alone.c
done
for header in summand.h $(cd "$prefix/include" && echo summand/*.h); do echo "#include <$header>"; done >all.cpp
echo '#include <summand.hpp>
short f(const short (&x)[2]) { return summand::sum(x, MPI_COMM_SELF); }' >short.cpp
for compiler in g++ clang++; do
    [ -n "$cxx" ] && command -v "$compiler" >/dev/null || continue
    in_cxx() { OMPI_CXX=$compiler MPICH_CXX=$compiler "$cxx" -I"$prefix/include" -Wall -Wextra -Wpedantic -Werror "$@"; }
    quiet=-Wno-unused-command-line-argument # the MPI's libraries, without linking
    [ "$compiler" = clang++ ] || quiet=-Wno-cast-function-type # in Open MPI's C++
    try "headers in C++11, $compiler" in_cxx $quiet -std=c++11 -fsyntax-only all.cpp
    cat all.cpp binding.cpp >binding_all.cpp
    for standard in 17 20; do
        case $compiler$standard in
        g++17 | clang++20)
            try "C++$standard, $compiler" in_cxx $quiet -std=c++$standard binding_all.cpp "$libdir/libsummand.so" -o binding &&
                says 3 3 ./binding ;;
        *) try "C++$standard, $compiler" in_cxx $quiet -std=c++$standard -fsyntax-only binding_all.cpp ;;
        esac
    done
    in_cxx $quiet -std=c++17 -fsyntax-only short.cpp >log 2>&1 && fail "C++, $compiler: takes elements of type short"
    grep -q 'no element type of summand.hpp' log || { fail "C++, $compiler: no reason"; cat log; }
done

# By CMake: a project in C and C++ with what is installed, one in C++ alone with the tree where it was built.
project() { "$cmake" -S "$work" -DSUM="$work/sum.c" -DMPI_EXECUTABLE_SUFFIX="$1" -DCMAKE_BUILD_TYPE=Release "$2" "$3" -B "$4"; }
if [ -n "$cxx" ]; then
    if try 'CMake, C and C++' project "$suffix" '-DLANGUAGES=C;CXX' -DCMAKE_PREFIX_PATH="$prefix" both &&
        try 'CMake, C and C++' "$cmake" --build both; then
        for program in c-summand c-summand-static cxx-summand cxx-summand-static; do says 2 2 both/$program; done
        for program in summand-local summand-local-static; do says 1 1 both/$program; done
        readelf -d both/c-summand | grep -qF "[$soname]" || fail 'summand::summand is not shared'
        readelf -d both/cxx-summand-static | grep libsummand && fail 'summand::summand-static is shared'
    fi
    if try 'CMake, C++ alone' project "$suffix" -DLANGUAGES=CXX -DSummand_DIR="$build" alone &&
        try 'CMake, C++ alone' "$cmake" --build alone; then
        says 2 2 alone/cxx-summand
    fi
    # Another kind of MPI is refused, with the reason.
    if [ -n "$other" ] && command -v "mpicxx$other" >/dev/null; then
        project "$other" -DLANGUAGES=CXX -DCMAKE_PREFIX_PATH="$prefix" wrong >log 2>&1 && fail "mpicxx$other is taken"
        tr '\n' ' ' <log | grep -q 'was built  *with.*MPI of  *this  *project' || { fail "mpicxx$other: no reason"; cat log; }
    fi
else
    echo 'install: no C++ compiler is here'
fi
[ $failed = 0 ] && echo 'install: programs in C and C++ build and run with what is installed'
exit $failed
