#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Every command in the table has help that starts with examples and fits the screen; help, version and
# their options are alike; a word that is not known is answered with the nearest one.
# shellcheck disable=SC2086 # words are split
. "$(dirname "$0")/common.sh"

check() { # check NAME...: of a command
    "$SUMMAND" help "$@" > out 2> err || fail "'help $*': exit status $?"
    "$SUMMAND" "$@" --help > other 2> err || fail "'$* --help': exit status $?"
    cmp -s out other || fail "'help $*' is not '$* --help'"
    same "'$*': first line" "$(head -n 1 out | cut -d: -f1)" "$(basename "$SUMMAND") $*"
    sed -n '2,4p' out | grep -qx 'Examples:' || fail "'$*': does not start with examples"
    sed -n '/^Examples:/,/^$/p' out | grep -q "$(basename "$SUMMAND") $*" || fail "'$*': no example of it"
    grep -q "^Usage: $(basename "$SUMMAND") " out || fail "'$*': no usage"
    [ -s err ] && fail "'$* --help' complains: $(cat err)"
    narrow out "'$* --help'"
}

check_words() { # check_words NAME: of one or two words
    check $1
}
each_command 25 check_words
study each_command 9 check_words
for family in bench gossip; do
    check $family
    "$SUMMAND" $family > out 2> err && fail "$family alone: exit status 0"
    [ -s out ] && fail "$family alone: prints on stdout"
done

# All ways to ask.
"$SUMMAND" help > all || fail help
for way in --help -h; do
    "$SUMMAND" $way > out || fail "$way: exit status"
    cmp -s out all || fail "$way is not help"
done
narrow all help
for name in $(sed -n '/^Commands:/,/^$/p' all | awk '/^  [a-z]/ { print $1 }'); do
    "$SUMMAND" help "$name" > out || fail "help $name, which is listed"
done
for way in version --version -V; do
    "$SUMMAND" $way | grep -Eqx 'summand [0-9]+\.[0-9]+\.[0-9]+' || fail "$way"
done
"$SUMMAND" > out 2> err
same 'no command: status' $? 2
grep -q Commands err || fail 'no command: no list'
run 3 sum --help
same 'help once on three ranks' "$(grep -c '^Usage' out)" 1

# What fits on a screen without options.
for words in list 'list --choose allreduce' 'list --choose reduce --bytes 64k' info 'info --network' 'gossip topology' \
    'predict -p 64' 'predict -p 64 -n 1..1m:32' 'gossip list' 'verify -a ring -p 3' \
    'list --choose allreduce -p 64 --bytes 1k,64k --check'; do
    "$SUMMAND" $words > out || fail "$words: exit status"
    narrow out "$words"
done
for words in distribution 'figure 1 --quick' 'table --quick --every 63 --nodes 4'; do
    "$SUMMAND-study" $words > out || fail "$words: exit status"
    narrow out "$words"
done
"$SUMMAND" list --all | head -n 3 | grep -q 'on 64 ranks with 4096 elements' ||
    fail 'list --all does not say first for which case its costs are'

# refused WORDS ARGUMENT...: wrong usage, status 2, one line on stderr that has WORDS, nothing on stdout
refused() {
    words=$1
    shift
    "$SUMMAND" "$@" > out 2> err
    same "'$*': status" $? 2
    same "'$*': lines" "$(wc -l < err)" 1
    grep -qF -e "$words" err || fail "'$*': '$(cat err)' lacks '$words'"
    [ -s out ] && fail "'$*': prints on stdout"
}
refused "did you mean 'list'?" lst
refused "did you mean 'allreduce'?" bench alreduce
study refused "did you mean 'distribution'?" distributoin
refused "did you mean '--ranks'?" predict --rank 8 --rnaks 7
refused "did you mean 'tree'?" sum --method tre x
refused "did you mean 'binomial'?" draw binominal
refused "did you mean 'binomial'?" verify -a bionmial
refused "did you mean 'allreduce'?" predict -c allreduse
refused "no such command 'xyzzy'; 'summand help' lists them" xyzzy
refused 'has no commands' help list sum

# Options that would be ignored.
refused '--bytes: goes with --choose only' list --bytes 7
refused '--check: goes with --choose only' list --check
refused 'one rank count is expected' draw -p 8,16 binomial
refused "'8..16' is not a list" draw -p 8..16 binomial
study refused '--alpha: 9 is not between 0 and 1' distribution --alpha 9
study refused '--max-n: goes with --plot or --csv only' distribution --max-n 9
refused 'exclude each other' predict --json --csv

finish
