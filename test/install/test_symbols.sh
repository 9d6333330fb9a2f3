#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The shared libraries export exactly the declarations of the public headers. The interface that programs compile
# against equals abi.txt (abi.sh), and each public function has a comment. No library contains anything of lab/.
# Usage: test_symbols.sh SOURCE BUILD CC MPICC; MPICC: empty without MPI
source=$1 build=$2 cc=$3 mpicc=$4
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0
fail() { echo "symbols: $*"; failed=1; }
# declared COMPILER HEADER...: the functions.
declared()
{
    compiler=$1
    shift
    for header; do echo "#include <$header>"; done >"$work/headers.c"
    "$compiler" -I"$source/include" -E -P "$work/headers.c" | grep -o '[^a-z_0-9]summand_[a-z_0-9]*(' |
        sed 's/.*\(summand_[a-z_0-9]*\)(/\1/' | sort -u
}
# compare LIBRARY COMPILER HEADER...
compare()
{
    library=$build/src/lib$1.so
    shift
    declared "$@" >"$work/declared"
    [ "$(wc -l <"$work/declared")" -gt 10 ] || fail 'no functions found in the headers'
    nm -D --defined-only "$library" | awk '$2 != "A" { sub(/@.*/, "", $3); print $3 }' | sort >"$work/exported"
    comm -23 "$work/declared" "$work/exported" | sed "s/^/symbols: declared, not in ${library##*\/}: /" | grep . && failed=1
    comm -13 "$work/declared" "$work/exported" | sed "s/^/symbols: no header has it, in ${library##*\/}: /" | grep . && failed=1
}
compare summand-local "$cc" summand/exact.h summand/exact_vector.h summand/judge.h summand/network.h summand/version.h
[ -z "$mpicc" ] || compare summand "$mpicc" summand.h $(cd "$source/include" && echo summand/*.h)

# The list is for 64-bit Linux.
if [ "$(getconf LONG_BIT)" = 64 ]; then
    sh "$source/test/install/abi.sh" "$source" "$cc" >"$work/abi" || fail 'abi.sh fails'
    [ "$(grep -c '^struct\|^enum' "$work/abi")" -gt 100 ] || fail 'few structs and enums found in the headers'
    # It is the same for all MPIs, so it has no guard (summand/mpi.h).
    grep -o 'summand_[a-z_0-9]*(' "$work/abi" | tr -d '(' | sort -u | comm -13 - "$work/declared" |
        grep -v '^summand_link_after_this_the_library_for_' >"$work/lacks"
    sed 's/^/symbols: abi.sh does not see /' "$work/lacks" | grep . && failed=1
    diff "$source/test/install/abi.txt" "$work/abi" ||
        fail 'abi.txt differs: if it is meant, "sh test/install/abi.sh . cc >test/install/abi.txt" (CONTRIBUTING.md)'
fi

# A comment stands above a function, or above those that it follows without an empty line.
for header in "$source"/include/summand/*.h; do
    awk -v file="${header##*/}" '
        /^\/\*\*/ { comment = 1 }
        /^$/ { comment = 0 }
        /^SUMMAND_API/ && !comment { print "symbols: " file ": no comment: " $0; bad = 1 }
        END { exit bad }' "$header" || failed=1
done

# No file and no symbol of lab/.
globals() { nm -g --defined-only "$@" 2>/dev/null | awk 'NF == 3 { print $3 }' | sort -u; }
globals "$build/lab/libsummand-lab.a" >"$work/lab"
[ "$(wc -l <"$work/lab")" -gt 20 ] || fail 'no symbols found in lab'
for library in "$build"/src/libsummand*.a "$build"/src/libsummand*.so; do
    nm --defined-only "$library" 2>/dev/null | awk '$2 ~ /[A-Zt]/ { print $3 }' | sort -u >"$work/library"
    [ "$(wc -l <"$work/library")" -gt 50 ] || fail "no symbols found in ${library##*/}"
    comm -12 "$work/lab" "$work/library" | sed "s/^/symbols: of lab, in ${library##*\/}: /" | grep . && failed=1
done
# Names of static libraries do not collide with a program's names.
globals "$build"/src/libsummand*.a | grep -v '^summand_' && fail 'names without summand_'
[ $failed = 0 ] && echo "symbols: $(wc -l <"$work/exported") exported, as declared; nothing of lab"
exit $failed
