# SPDX-License-Identifier: BSD-3-Clause
# What commands print into pages (docs/printed) is what they print now; `make docs` brings it up to date. Every picture is
# shown, and every figure names the command that draws it.
source_dir=$(cd "$(dirname "$0")/../.." && pwd)
. "$(dirname "$0")/schedules.sh"
mkdir new
sh "$source_dir/docs/printed/make.sh" "$work/new" 2>places || fail "docs/printed/make.sh: $(cat places)"
(cd new && find . -type f) | sed 's,^\./,,' >made
[ "$(wc -l <made)" -ge 100 ] || fail "only $(wc -l <made) files were made"
while read -r file; do
    cmp -s "new/$file" "$source_dir/$file" || {
        diff "$source_dir/$file" "new/$file" | head -n 10 >&2
        fail "$file: run make docs: $(grep "^$file:" places)"
    }
done <made
for picture in "$source_dir"/docs/pictures/*.svg; do
    name=$(basename "$picture")
    [ -e "new/docs/pictures/$name" ] || fail "docs/pictures/$name: nothing makes it"
    grep -q "(pictures/$name)" new/docs/algorithms.md || fail "docs/pictures/$name: is nowhere shown"
done

# The line under a figure has its command.
awk '{ if (drawn && !/^<!-- drawn by.*: .* -->$/) print FILENAME ": under figures/" drawn ": no <!-- drawn by: COMMAND -->"
       drawn = "" }
     match($0, /\]\([^)]*figures\/[^)]*\.svg\)/) { drawn = substr($0, RSTART, RLENGTH - 1); sub(/.*\//, "", drawn); print "shown " drawn }' \
    "$source_dir"/docs/*.md "$source_dir"/docs/*/*.md >figures
grep -v '^shown' figures && fail "figures without a command"
for figure in "$source_dir"/docs/figures/*; do
    grep -qx "shown $(basename "$figure")" figures || fail "docs/figures/$(basename "$figure"): no page shows it"
done
finish
