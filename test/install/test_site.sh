#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The site of the pages: every link leads to a file and a place in it, every page can be reached, and nothing is loaded from
# elsewhere. A page with a link to nowhere is found. Usage: test_site.sh SOURCE PAGES
source=$1 pages=$2
for tool in mkdocs mandoc python3; do
    command -v $tool >/dev/null || { echo "site: $tool is not here (packaging/packages.sh install site)"; exit 77; }
done
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() { echo "site: $*"; exit 1; }
sh "$source/packaging/site/site.sh" "$pages" "$work" >"$work/log" 2>&1 || { tail "$work/log"; fail 'is not made'; }
python3 "$source/test/install/site.py" "$work/site" || fail 'wrong links'
for words in 'MPI_IN_PLACE' 'SUMMAND_STALL' 'summand-bench-allreduce'; do
    grep -rqF "$words" "$work/site/reference" || fail "the reference lacks $words"
done
echo '<a href="nowhere.html">x</a> <a href="NEWS.html#nowhere">x</a> <script src="https://example.org/x.js"></script>' >>"$work/site/index.html"
python3 "$source/test/install/site.py" "$work/site" >"$work/log" && fail 'wrong links are not found'
for words in 'no nowhere.html' 'no place NEWS.html#nowhere' 'loads https://example.org/x.js'; do
    grep -qF "$words" "$work/log" || fail "not found: $words"
done
