#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Makes anew what commands print into pages: docs/algorithms.md, docs/pictures, and in all pages the places that name a
# command (places.awk). Stderr names each place that was otherwise. With FOLDER the files go there, and the source stays
# as it is: a test compares them.
#
#     SUMMAND=build/openmpi/summand PAGES=build/openmpi/cli/summand-pages sh docs/printed/make.sh [FOLDER]
set -eu
case $SUMMAND in /*) ;; *) SUMMAND=$PWD/$SUMMAND ;; esac
case $PAGES in /*) ;; *) PAGES=$PWD/$PAGES ;; esac
to=${1:-.}
case $to in /* | .) ;; *) to=$PWD/$to ;; esac
cd "$(dirname "$0")/../.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/bin" "$work/home" "$work/figures"
# A command that fails within a pipe fails too, unless the page is about that (EXPECT_FAILURE).
for name in summand summand-study; do
    printf '#!/bin/sh\n"%s" "$@" && exit\nstatus=$?\n[ -n "${EXPECT_FAILURE:-}" ] || echo "%s $*: status $status" >>"%s"\nexit $status\n' \
        "$SUMMAND${name#summand}" "$name" "$work/failures" >"$work/bin/$name"
    chmod +x "$work/bin/$name"
done

# The same on every machine: no measured costs, nothing of the user's, one width, no colours.
for name in $(env | sed -n 's/^\(SUMMAND_[A-Z_]*\)=.*/\1/p'); do
    unset "$name"
done
export PATH="$work/bin:$PATH" HOME="$work/home" XDG_CACHE_HOME="$work/home" LC_ALL=C COLUMNS=100 TERM=dumb \
    SUMMAND_CALIBRATION=off SUMMAND_NETWORK=off

mkdir -p "$to/docs/pictures" "$to/docs/figures"
"$PAGES" algorithms --pictures "$to/docs/pictures" >"$work/algorithms.md"
cp "$work/algorithms.md" "$to/docs/algorithms.md"
failed=0
for page in $(grep -lE '^```console$|<!-- (printed by|drawn by make docs): ' README.md NEWS.md docs/*.md docs/*/*.md); do
    if awk -v to="$work/figures" -f docs/printed/places.awk "$page" >"$work/page"; then
        mkdir -p "$to/$(dirname "$page")"
        cmp -s "$work/page" "$to/$page" || cp "$work/page" "$to/$page"
    else
        failed=1
    fi
done
rm -f "$work/figures/log"
for figure in "$work"/figures/*; do
    [ ! -e "$figure" ] || cp "$figure" "$to/docs/figures/"
done
[ ! -s "$work/failures" ] || { cat "$work/failures" >&2 && failed=1; }
exit $failed
