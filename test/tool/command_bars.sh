#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Every command of the table leaves no piece of a bar of progress on the screen: in its results, before an error, after
# Ctrl-C. A dumb terminal, and what is no terminal, get no bar.
. "$(dirname "$0")/common.sh"
. "$(dirname "$0")/arguments.sh"

shown=0
check() { # check NAME: of a command
    words=$(arguments "$1")
    two_ranks "$1" && return # a launcher is no terminal
    # shellcheck disable=SC2086
    timeout $LIMIT "$BARS" $1 $words > out 2>&1 || fail "$1 $words: $(grep 'a bar stays' out || tail -n 3 out)"
    grep -q '^bars: 0 ' out && return
    shown=$((shown + 1))
    # shellcheck disable=SC2086
    timeout $LIMIT "$BARS" --interrupt $1 $words > out 2>&1 ||
        fail "$1 $words, interrupted: $(grep 'a bar stays' out || tail -n 3 out)"
}
make_operands
each_command 25 check
study each_command 9 check
[ $shown -ge 10 ] || fail "only $shown commands show bars"
timeout $LIMIT "$BARS" verify -a ring -p 20 > out 2>&1 || fail "verify: $(grep 'a bar stays' out)"
grep -q '^bars: 0 ' out && fail 'verify shows no bar'
finish
