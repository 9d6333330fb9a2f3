# SPDX-License-Identifier: BSD-3-Clause
# docs/algorithms.md and docs/pictures are what summand-pages makes now; `make docs` brings them up to
# date.
source_dir=$(cd "$(dirname "$0")/../.." && pwd)
. "$(dirname "$0")/schedules.sh"
mkdir "$work/pictures"
"$PAGES" algorithms --pictures "$work/pictures" >"$work/algorithms.md" || fail "algorithms"
cmp "$work/algorithms.md" "$source_dir/docs/algorithms.md" || fail "docs/algorithms.md: run make docs"
for picture in "$work"/pictures/*.svg; do
    name=$(basename "$picture")
    cmp "$picture" "$source_dir/docs/pictures/$name" || fail "docs/pictures/$name: run make docs"
    grep -q "(pictures/$name)" "$work/algorithms.md" || fail "docs/pictures/$name: is nowhere shown"
done
for picture in "$source_dir"/docs/pictures/*.svg; do
    [ -e "$work/pictures/$(basename "$picture")" ] || fail "$picture: nothing makes it"
done
finish
