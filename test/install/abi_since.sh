#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Whether a program that was linked with the library of a commit runs with this one, by the two files abi.txt: what is gone
# or changed needs another soname. Prints these lines, and both sonames. Usage: abi_since.sh COMMIT, such as a release's tag
cd "$(dirname "$0")/../.." || exit 2
since=${1:?}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
git show "$since:test/install/abi.txt" >"$work/then" && git show "$since:include/summand/version.h" >"$work/version.h" || exit 2
# Before 1.0 the minor version is part of it.
soname() { sed -n 's/^#define SUMMAND_VERSION_\(MAJOR\|MINOR\) //p' "$1" | paste -sd . | sed '/^0[.]/!s/[.].*//'; }
then=$(soname "$work/version.h") now=$(soname include/summand/version.h)
# Structs that only the library makes may grow.
LC_ALL=C comm -23 "$work/then" test/install/abi.txt | grep -v '^struct summand_\(algorithm\|setting\): [0-9]* bytes' >"$work/lost"
cat "$work/lost"
echo "abi: $(wc -l <"$work/lost") lines of $since are gone or changed; libsummand.so.$then then, libsummand.so.$now now"
[ "$then" != "$now" ] || [ ! -s "$work/lost" ] || { echo 'abi: programs break, and the soname is the same'; exit 1; }
