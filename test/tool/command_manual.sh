#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Manual pages: a page for every command, with every option that --help lists, one with every variable, and one for every
# public function, with its prototype and parameters; groff and mandoc have nothing to say against them.
headers=$(cd "$(dirname "$0")/../../include/summand" && pwd)
. "$(dirname "$0")/common.sh"

"$PAGES" manual -o man --headers "$headers" || fail 'pages: exit status'
plain() { # plain PAGE: without roff's escapes
    sed 's/\\-/-/g; s/\\e/\\/g; s/\\&//g' "$1"
}
listed() {
    of=$(basename "$SUMMAND")
    "$SUMMAND" --help | sed -n '/^Commands:/,/^$/p' | awk '/^  [a-z]/ { print $1 }' > names
    for name in $(cat names); do
        [ -s man/man1/$of-$name.1 ] || fail "$of $name: no page"
        plain man/man1/$of.1 | grep -qxF ".B $name" || fail "$of.1 lacks $name"
    done
}
listed
study listed
for name in sum predict tune list draw info; do
    run 1 $name --help
    grep -oE '^  (-.|  ),? --[a-z-]+' out | grep -oE '[-][-][a-z-]+' > options
    [ -s options ] || fail "$name: no option in --help"
    for option in $(cat options); do
        plain man/man1/summand-$name.1 | grep -qE "^\.B (-., )?$option( |\$)" ||
            fail "summand-$name.1 lacks $option"
    done
done
# Every page of a command has these, and defaults of its options as in --help.
for page in man/man1/*-*.1; do
    grep -q '^\.SH COMMANDS' "$page" && continue
    for heading in OPTIONS EXAMPLES ENVIRONMENT 'EXIT STATUS'; do
        grep -qx "\.SH $heading" "$page" || fail "$page lacks $heading"
    done
done
for heading in ENVIRONMENT FILES 'EXIT STATUS' 'SEE ALSO'; do
    grep -qx "\.SH $heading" man/man1/summand.1 || fail "summand.1 lacks $heading"
done
run 1 predict --help
for default in $(sed -n '/^Options:/,$s/.*\[\([^][ ]*\)\]$/\1/p' out); do
    plain man/man1/summand-predict.1 | grep -qxF "Default: $default." || fail "summand-predict.1 lacks the default $default"
done
plain man/man1/summand-predict.1 | grep -qx 'Default: 576.' || fail 'summand-predict.1: ranks'
for name in diff run; do
    plain man/man1/summand-$name.1 | sed -n '/^\.SH EXIT STATUS/{n;p;}' | grep -q '^0 without\|^That of the launcher' ||
        fail "summand-$name.1: its own exit status"
done
grep -qx '\.SH FILES' man/man1/summand-tune.1 && grep -q 'XDG_CACHE_HOME' man/man1/summand-tune.1 || fail 'summand-tune.1: files'
[ -s man/man1/summand-bench-sum.1 ] && [ -s man/man1/summand-gossip-allreduce.1 ] || fail 'no pages in groups'
"$SUMMAND" info --env | awk '/^SUMMAND_/ { print $1 }' > variables
for variable in $(cat variables); do
    grep -qxF ".B $variable" man/man7/summand-env.7 || fail "summand-env.7 lacks $variable"
done
plain man/man1/summand.1 | sed -n '/^\.SH HANGS/,/^\.SH EXIT/p' > hangs
for word in SUMMAND_STALL SUMMAND_CHECK=on SUMMAND_TIMEOUT; do
    grep -q "$word" hangs || fail "the section on hangs lacks $word"
done
# Section 3: what the preprocessor sees of the headers.
for header in "$headers"/*.h; do
    sed -n 's/^SUMMAND_API [^(]*[ *]\(summand_[a-z_0-9]*\)(.*/\1/p' "$header" | while read -r function; do
        page=man/man3/$function.3
        [ -s "$page" ] || { echo "$function: no page"; continue; }
        link=$(sed -n 's/^\.so //p' "$page")
        [ -z "$link" ] || page=man/$link
        plain "$page" | sed -n '/^\.SH SYNOPSIS/,/^\.SH/p' | grep -qE "(^|[ *])$function\(" || echo "$page: no prototype of $function"
        plain "$page" | sed -n '/^\.SH NAME/{n;p;}' | grep -qE "(^| )$function[, ]" || echo "$page: $function is not in NAME"
        grep -qxF "#include <summand/$(basename "$header")>" "$page" || echo "$page: which header?"
    done
    for parameter in $(sed -n 's/^ \*  *@param \([a-z_0-9]*\) .*/\1/p' "$header"); do
        grep -qxF ".I $parameter" "man/man3/summand_$(basename "$header" .h).3" || echo "$(basename "$header"): @param $parameter"
    done
done > lacks
[ -s lacks ] && fail "section 3: $(cat lacks)"
[ "$(find man/man3 -name '*.3' | wc -l)" -gt 100 ] || fail 'section 3: few pages'
[ -z "$(find man -empty)" ] || fail "empty: $(find man -empty)"
if command -v groff > /dev/null; then
    for page in $(grep -L '^\.so' man/man*/*); do
        said=$(groff -man -ww -Tutf8 -z "$page" 2>&1)
        [ -z "$said" ] || fail "$page: $said"
    done
else
    echo 'groff is not here'
fi
if command -v mandoc > /dev/null; then
    # A build makes the same pages every day, so they have no date.
    # shellcheck disable=SC2046
    mandoc -T lint -W warning $(grep -L '^\.so' man/man*/*) | grep -v 'missing date' > said
    [ -s said ] && fail "mandoc: $(head said)"
else
    echo 'mandoc is not here'
fi
"$PAGES" manual -o man --headers nowhere 2> err && fail 'headers that are nowhere: exit status 0'
grep -q 'nowhere: ' err || fail "said: $(cat err)"
: > file
"$PAGES" manual -o file/man 2> err && fail 'a directory that cannot be: exit status 0'
grep -q 'file/man: ' err || fail "said: $(cat err)"
finish
