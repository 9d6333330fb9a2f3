#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Debian's packages of a commit, for Open MPI and MPICH side by side (recipes.sh). Without network; needs what
# recipes/debian/control names as Build-Depends.
# Usage: deb.sh FOLDER [COMMIT]. REVISION: Debian's number behind the version (1)
set -eu
recipes=$(sh "$(dirname "$0")/recipes.sh" "$@")
cd "$recipes/.."
version=$(sed -n '1s/.*(\(.*\)-1).*/\1/p' recipes/debian/changelog)
name=summand-$version
rm -rf "$name"
rm -f ./*summand*.deb # of an earlier version or revision
tar -xzf "$name.tar.gz"
cp "$name.tar.gz" "summand_$version.orig.tar.gz"
cp -r "$recipes/debian" "$name"
sed -i "1s/-1)/-${REVISION:-1})/" "$name/debian/changelog"
cd "$name"
# The system's Python, as Debian's builders have it: a user's own may lack what is in Build-Depends.
PATH=/usr/sbin:/usr/bin:/sbin:/bin:$PATH dpkg-buildpackage --no-sign >../build.log 2>&1 || { tail -n 40 ../build.log; exit 1; }
cd ..
rm -rf "$name"
ls "$PWD"/*.deb
