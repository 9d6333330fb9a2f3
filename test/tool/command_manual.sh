#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Manual pages: a page for every command, with every option that --help lists, and one for all with
# every variable; roff has nothing to say against them.
. "$(dirname "$0")/common.sh"

"$PAGES" manual -o man || fail 'pages: exit status'
plain() { # plain PAGE: without roff's escapes
    sed 's/\\-/-/g; s/\\e/\\/g; s/\\&//g' "$1"
}
listed() {
    of=$(basename "$SUMMAND")
    "$SUMMAND" --help | sed -n '/^Commands:/,/^$/p' | awk '/^  [a-z]/ { print $1 }' > names
    for name in $(cat names); do
        [ -s man/$of-$name.1 ] || fail "$of $name: no page"
        plain man/$of.1 | grep -qxF ".B $name" || fail "$of.1 lacks $name"
    done
}
listed
study listed
for name in sum predict tune list draw info; do
    run 1 $name --help
    grep -oE '^  (-.|  ),? --[a-z-]+' out | grep -oE '[-][-][a-z-]+' > options
    [ -s options ] || fail "$name: no option in --help"
    for option in $(cat options); do
        plain man/summand-$name.1 | grep -qE "^\.B (-., )?$option( |\$)" ||
            fail "summand-$name.1 lacks $option"
    done
done
# Every page of a command has these, and defaults of its options as in --help.
for page in man/*-*.1; do
    grep -q '^\.SH COMMANDS' "$page" && continue
    for heading in OPTIONS EXAMPLES ENVIRONMENT 'EXIT STATUS'; do
        grep -qx "\.SH $heading" "$page" || fail "$page lacks $heading"
    done
done
for heading in ENVIRONMENT FILES 'EXIT STATUS'; do
    grep -qx "\.SH $heading" man/summand.1 || fail "summand.1 lacks $heading"
done
run 1 predict --help
for default in $(sed -n '/^Options:/,$s/.*\[\([^][ ]*\)\]$/\1/p' out); do
    plain man/summand-predict.1 | grep -qxF "Default: $default." || fail "summand-predict.1 lacks the default $default"
done
plain man/summand-predict.1 | grep -qx 'Default: 576.' || fail 'summand-predict.1: ranks'
for name in diff run; do
    plain man/summand-$name.1 | sed -n '/^\.SH EXIT STATUS/{n;p;}' | grep -q '^0 without\|^That of the launcher' ||
        fail "summand-$name.1: its own exit status"
done
grep -qx '\.SH FILES' man/summand-tune.1 && grep -q 'XDG_CACHE_HOME' man/summand-tune.1 || fail 'summand-tune.1: files'
[ -s man/summand-bench-sum.1 ] && [ -s man/summand-gossip-allreduce.1 ] || fail 'no pages in groups'
"$SUMMAND" info --env | awk '/^SUMMAND_/ { print $1 }' > variables
for variable in $(cat variables); do
    grep -qxF ".B $variable" man/summand.1 || fail "summand.1 lacks $variable"
done
plain man/summand.1 | sed -n '/^\.SH HANGS/,/^\.SH EXIT/p' > hangs
for word in SUMMAND_STALL SUMMAND_CHECK=on SUMMAND_TIMEOUT; do
    grep -q "$word" hangs || fail "the section on hangs lacks $word"
done
if command -v groff > /dev/null; then
    for page in man/*.1; do
        [ -z "$(groff -man -ww -Tutf8 -z "$page" 2>&1)" ] || fail "$page: $(groff -man -ww -z "$page" 2>&1)"
    done
fi
: > file
"$PAGES" manual -o file/man 2> err && fail 'a directory that cannot be: exit status 0'
grep -q 'file/man: ' err || fail "said: $(cat err)"
finish
