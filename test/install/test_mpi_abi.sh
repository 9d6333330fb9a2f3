#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The standard ABI of MPI 5. The header of packaging/mpi_abi has all that Summand calls, and agrees with those of the MPIs
# that are here. What a build for the ABI makes runs on each libmpi_abi that is here, with the same bits; a program of the
# ABI runs in each mode of the shim. Says which MPIs were found.
# Usage: test_mpi_abi.sh SOURCE BUILD CC KIND MPICC; KIND: abi, or another kind, whose build cannot run such programs
source=$1 build=$2 cc=$3 kind=$4 mpicc=$5
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 2
failed=0
fail() { echo "mpi_abi: $*"; failed=1; }
export LC_ALL=C
ours=$source/packaging/mpi_abi
places='/usr/include /usr/lib /usr/lib64 /usr/local /opt'

# Values, sizes and prototypes.
{
    "$cc" -E -dM "$ours/mpi.h" | sed -n 's/^#define \(MPI_[A-Z0-9_]*\) .*/\1/p'
    grep -oE '\bMPI_[A-Z0-9_]+ = ' "$ours/mpi.h"
} | tr -d ' =' | sort -u >names
[ "$(wc -l <names)" -gt 150 ] || fail "few names in $ours/mpi.h"
{
    printf '#include <mpi.h>\n#include <stdio.h>\nint main(void) {\n'
    sed 's/.*/printf("&: %ld\\n", (long)&);/' names
    printf '%s\n' 'printf("%zu %zu %zu %zu\n", sizeof(MPI_Status), sizeof(MPI_Aint), sizeof(MPI_Count), sizeof(MPI_Offset)); }'
} >values.c
cat >prototypes.c <<END
#include <mpi.h>
#define MPI_ABI_FUNCTION(type, name, arguments) type MPI_##name arguments; type PMPI_##name arguments;
#include "$ours/functions.h"
END
"$cc" -w -I"$ours" values.c -o values && ./values >values.ours || fail 'our header does not compile'
# The list of functions has all that the library, the command and the shim call.
"$cc" -shared -fPIC "$ours/library.c" -o libmpi_abi.so || fail 'library.c does not compile'
nm -D --defined-only libmpi_abi.so | awk '{ print $3 }' | sort -u >known
nm -D --undefined-only "$build/src/libsummand.so" "$build/summand" "$build"/libsummand-mpi-*-core.so |
    awk '$2 ~ /^P?MPI_[A-Z][a-z]/ { print $2 }' | sed 's/@.*//' | sort -u >called
[ "$(wc -l <called)" -gt 50 ] || fail 'few calls of the MPI found'
comm -13 known called | sed 's/^/mpi_abi: functions.h lacks /' | grep . && failed=1
# And the header has all names of values: those of the code, without comments and texts.
find "$source/src" "$source/shim" "$source/lab" "$source/apps" -name '*.[ch]' -exec sed 's/"[^"]*"//g' {} + |
    "$cc" -fpreprocessed -dD -E -P -x c - 2>/dev/null | grep -oE '\bMPI_[A-Z][A-Z0-9_]+\b' | sort -u >used
[ "$(wc -l <used)" -gt 100 ] || fail 'few values of the MPI found'
grep -oE '\bMPI_[A-Z0-9_]+\b' "$ours/mpi.h" | sort -u | comm -13 - used | sed 's/^/mpi_abi: mpi.h lacks /' | grep . && failed=1

# shellcheck disable=SC2086
headers=$(find $places -name mpi.h -exec grep -lE '^#define MPI_ABI_VERSION +[1-9]' {} + 2>/dev/null)
for header in $headers; do
    folder=${header%/mpi.h}
    "$cc" -w -I"$folder" values.c -o values && ./values >values.theirs && cmp values.ours values.theirs ||
        fail "$header has other values: $(diff values.ours values.theirs)"
    "$cc" -c -I"$folder" prototypes.c -o prototypes.o || fail "$header has other prototypes"
    echo "mpi_abi: $(wc -l <values.ours) values and all prototypes are those of $header"
done
[ -n "$headers" ] || echo 'mpi_abi: no mpi.h of the standard ABI is here'
[ "$kind" = abi ] || exit $failed

# on LIBRARY-FOLDER LAUNCHER RANKS COMMAND...
on()
{
    folder=$1 launcher=$2 ranks=$3
    shift 3
    LD_LIBRARY_PATH=$folder:$build/src timeout 200 "$launcher" -n "$ranks" "$@"
}

# launcher_of FOLDER: starts several ranks of this MPI.
launcher_of()
{
    case $(LD_LIBRARY_PATH=$1:$build/src ./program 2>/dev/null) in
    *'Open MPI'*) own=mpiexec.openmpi ;;
    *MPICH*) own=mpiexec.mpich ;;
    *) own=mpiexec ;;
    esac
    for launcher in $own mpiexec; do
        command -v "$launcher" >/dev/null && on "$1" "$launcher" 2 ./program library 2>/dev/null | grep -qx '2 ranks' &&
            echo "$launcher" && return
    done
}

# same FILE OTHER WHAT
same() { cmp -s "$1" "$2" || fail "$3: $(diff "$1" "$2")"; }

"$mpicc" -I"$source/include" -I"$build/include" "$source/test/install/mpi_abi.c" "$build/src/libsummand.so" -lm \
    -o program || exit 1
number=0
# shellcheck disable=SC2086
for library in $(find $places -name 'libmpi_abi*.so.*' -exec readlink -f {} + 2>/dev/null | sort -u); do
    number=$((number + 1))
    mkdir $number
    ln -s "$library" $number/libmpi_abi.so.1
    launcher=$(launcher_of $work/$number)
    [ -n "$launcher" ] || { echo "mpi_abi: $library: no launcher of it is here"; number=$((number - 1)); continue; }
    for ranks in 1 2 3; do
        on $work/$number "$launcher" $ranks ./program library >out || fail "$library, $ranks ranks: $?"
        grep 'any ranks' out >any
        [ -e any.first ] || cp any any.first
        same any.first any "$library, $ranks ranks: other bits"
        [ -e library.$ranks ] || cp out library.$ranks
        same library.$ranks out "$library, $ranks ranks: other bits"
    done
    for mode in off fast ordered canonical exact; do
        LD_LIBRARY_PATH=$work/$number:$build/src timeout 200 "$build/summand" run --mode $mode --report=report -- "$launcher" \
            -n 3 ./program plain >out 2>err || fail "$library, shim, $mode: $? $(head -n 5 err)"
        [ -s err ] && fail "$library, shim, $mode says: $(head -n 5 err)"
        grep -q "3 ranks, mode $mode" report || fail "$library, shim, $mode: no report"
        case $mode in canonical | exact)
            [ -e $mode ] || cp out $mode
            same $mode out "$library, shim, $mode: other bits"
            [ "$(grep -cE '^(Allreduce|Reduce|Bcast|Reduce_scatter) .*(shm|p2p)$' report)" -ge 4 ] ||
                fail "$library, shim, $mode: not all calls were served: $(cat report)"
            ;;
        esac
    done
    echo "mpi_abi: the library and the shim run on $library"
done
[ $number -gt 0 ] || echo 'mpi_abi: no MPI with libmpi_abi.so.1 is here: nothing was run'
exit $failed
