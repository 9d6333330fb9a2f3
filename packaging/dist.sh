#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The source of a release as a tarball, and its SHA-256: the committed tree. One commit gives the same bytes each time,
# whatever the time, the user's umask and the settings of git. Its build needs no git and says its commit.
# Usage: dist.sh FOLDER [COMMIT]: prints the path.
set -eu
mkdir -p "$1"
folder=$(cd "$1" && pwd) commit=${2:-HEAD}
cd "$(dirname "$0")/.."
{ [ -e .git ] && git rev-parse --verify --quiet "$commit^{commit}" >/dev/null 2>&1; } || { echo "dist: no commit '$commit' of a clone by git is here" >&2; exit 1; }
[ $# -gt 1 ] || git diff --quiet HEAD || echo 'dist: changes that are not committed are left out' >&2
version=$(git show "$commit:include/summand/version.h" |
    sed -n 's/^#define SUMMAND_VERSION_\(MAJOR\|MINOR\|PATCH\) //p' | paste -sd .)
[ -n "$version" ] || { echo "dist: commit '$commit' says no version" >&2; exit 1; }
name=summand-$version
git -c tar.umask=0022 -c core.autocrlf=false archive --format=tar --prefix="$name/" -o "$folder/$name.tar" "$commit"
gzip -9nf "$folder/$name.tar"
(cd "$folder" && sha256sum "$name.tar.gz" >"$name.tar.gz.sha256")
echo "$folder/$name.tar.gz"
