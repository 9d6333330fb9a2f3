#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The source of a release, and recipes for packages of it: debian/, and those of Spack, EasyBuild, conda and RPM. The version,
# the source's address and its SHA-256 are filled in, so no recipe can be of another release.
# Usage: recipes.sh FOLDER [COMMIT]. URL: where the source will lie (else in FOLDER); HOMEPAGE; DEBFULLNAME and DEBEMAIL, as for
# Debian's tools: who packages it (else as git is configured); FORGE_NAME: their name at GitHub, for conda-forge
set -eu
mkdir -p "$1"
folder=$(cd "$1" && pwd) here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
who=${DEBFULLNAME:-$(git -C "$here" config user.name || true)} mail=${DEBEMAIL:-$(git -C "$here" config user.email || true)}
[ -n "$who" ] && [ -n "$mail" ] || { echo 'recipes: DEBFULLNAME and DEBEMAIL must say who packages it' >&2; exit 1; }
tarball=$(sh "$here/dist.sh" "$folder" ${2:+"$2"})
name=$(basename "$tarball" .tar.gz)
url=${URL:-file://$tarball}
tar -C "$folder" -xzf "$tarball" "$name/packaging/recipes"
rm -rf "$folder/recipes"
mv "$folder/$name/packaging/recipes" "$folder/recipes"
rm -r "${folder:?}/$name"
# put NAME TEXT: a line for sed, whatever the text holds.
put() { printf 's|@%s@|%s|g\n' "$1" "$(printf %s "$2" | sed 's/[&|\\]/\\&/g')"; }
{
    put VERSION "${name#summand-}"
    put URL "$url"
    put FOLDER "${url%/*}"
    put HOMEPAGE "${HOMEPAGE:-${url%/*}}"
    put SHA256 "$(cut -d' ' -f1 "$tarball.sha256")"
    put DATE "$(LC_ALL=C date -R -u -r "$folder/recipes/debian/control")"
    put MAINTAINER "$who <$mail>"
    put FORGE_NAME "${FORGE_NAME:-$(id -un)}"
} >"$folder/recipes.sed"
find "$folder/recipes" -type f -exec sed -i -f "$folder/recipes.sed" {} +
rm "$folder/recipes.sed"
mv "$folder/recipes/easybuild/summand.eb" "$folder/recipes/easybuild/Summand-${name#summand-}-gompi-2025b.eb"
echo "$folder/recipes"
