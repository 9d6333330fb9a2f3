#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The tarball of a release has the same bytes for one commit, in another clone, time zone, language and umask. Unpacked, it
# builds and passes tests without git, and knows its commit. A release that breaks programs has another soname. Usage: test_dist.sh SOURCE CMAKE
source=$1 cmake=$2
{ [ -e "$source/.git" ] && git -C "$source" rev-parse HEAD >/dev/null 2>&1; } || { echo 'dist: no clone by git is here'; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() { echo "dist: $*"; exit 1; }
commit=$(git -C "$source" rev-parse HEAD)
one=$(sh "$source/packaging/dist.sh" "$work/one" "$commit") || fail 'no tarball'
git clone -q -s "$source" "$work/clone" || fail 'no clone'
git -C "$work/clone" config tar.umask 0077
git -C "$work/clone" config core.abbrev 7
two=$(umask 077 && sleep 1 && TZ=Asia/Tokyo LC_ALL=C.UTF-8 sh "$work/clone/packaging/dist.sh" "$work/two" "$commit") ||
    fail 'no tarball in another clone'
cmp "$one" "$two" || fail 'two tarballs of one commit differ'
(cd "$work/one" && sha256sum -c --quiet ./*.sha256) || fail 'its SHA-256 is another one'
sh "$source/packaging/dist.sh" "$work/three" no-such-commit >/dev/null 2>"$work/err" && fail 'a commit that is not here: exit status 0'
grep -q "no commit 'no-such-commit'" "$work/err" || fail "said: $(cat "$work/err")"

# Recipes of packages are of this tarball: each has its version, and those that fetch it its SHA-256.
recipes=$(FORGE_NAME=someone DEBFULLNAME='A & B | C' DEBEMAIL=a@example.org sh "$source/packaging/recipes.sh" "$work/recipes" "$commit") || fail 'no recipes'
cmp "$one" "$work/recipes/$(basename "$one")" || fail 'the recipes have another tarball'
grep -rn '@[A-Z0-9_]*@' "$recipes" && fail 'recipes: a place is not filled in'
version=$(basename "$one" .tar.gz | sed 's/summand-//') sum=$(sha256sum <"$one" | cut -d' ' -f1)
for recipe in $(cd "$recipes" && ls -d debian/changelog spack/* easybuild/* conda/recipe.yaml rpm/*); do
    grep -qF "$version" "$recipes/$recipe" || fail "$recipe: not version $version"
    case $recipe in debian/* | rpm/*) continue ;; esac # these have the tarball beside them
    grep -q "[\"': ]$sum" "$recipes/$recipe" || fail "$recipe: another SHA-256"
done
python3 -c 'import ast, sys; [ast.parse(open(name).read()) for name in sys.argv[1:]]' "$recipes"/spack/*.py "$recipes"/easybuild/*.eb ||
    fail 'a recipe is no Python'
! command -v rpmspec >/dev/null || rpmspec -P "$recipes/rpm/summand.spec" >/dev/null || fail 'the recipe for RPM is not valid'

# What a program needs is gone: an error, unless the soname is another one.
cd "$work/clone" || exit 2
sh test/install/abi_since.sh HEAD >"$work/log" || fail "nothing changed: $(cat "$work/log")"
sed -i '/summand_nrm2(/d' test/install/abi.txt
sh test/install/abi_since.sh HEAD >"$work/log" && fail 'a function is gone, and programs run'
grep -q '^int summand_nrm2' "$work/log" || fail "a function is gone: $(cat "$work/log")"
sed -i 's/\(SUMMAND_VERSION_MINOR\) .*/\1 99/' include/summand/version.h
sh test/install/abi_since.sh HEAD >"$work/log" || fail "another soname: $(cat "$work/log")"

# A git that only says that it was called.
mkdir "$work/bin" "$work/tree"
printf '#!/bin/sh\necho "$@" >>"%s/called"\nexit 127\n' "$work" >"$work/bin/git"
chmod +x "$work/bin/git"
export PATH="$work/bin:$PATH"
tar -C "$work/tree" -xzf "$one" || fail 'cannot be unpacked'
tree=$(echo "$work"/tree/*)
[ "$(basename "$tree").tar.gz" = "$(basename "$one")" ] || fail "the folder is called $tree"
"$cmake" -DSOURCE="$tree" -DOUTPUT="$work/id.h" -P "$tree/cmake/BuildId.cmake"
grep -q "\"$(echo "$commit" | cut -c1-12)\"" "$work/id.h" || fail "its commit is $(cat "$work/id.h"), not $commit"
tests='test_exact_edges test_shapes'
# shellcheck disable=SC2086
{ "$cmake" -S "$tree" -B "$work/build" -DCMAKE_BUILD_TYPE=Debug -DCMAKE_C_FLAGS_DEBUG= -DSUMMAND_WITH_MPI=OFF &&
    "$cmake" --build "$work/build" -j 2 --target $tests summand-local-shared; } >"$work/log" 2>&1 || { tail -n 20 "$work/log"; fail 'does not build'; }
for test in $tests; do "$work/build/test/$test" >"$work/log" 2>&1 || { cat "$work/log"; fail "$test fails"; }; done
[ ! -e "$work/called" ] || fail "calls git: $(sort -u "$work/called")"
echo "dist: $(basename "$one"), $(wc -c <"$one") bytes, builds and passes $tests without git"
