#!/bin/sh
# Every command that is listed has help, and the help starts with examples.
. "$(dirname "$0")/common.sh"

check() { # check NAME...: of a command
    run 1 "$@" --help || fail "'$* --help': exit status $?"
    same "'$*': first line" "$(head -n 1 out | cut -d: -f1)" "summand $*"
    same "'$*': third line" "$(sed -n 3p out)" 'Examples:'
    sed -n '4,/^$/p' out | grep -q "summand $*" || fail "'$*': no example of it"
    grep -q '^Usage: summand ' out || fail "'$*': no usage"
    [ -s err ] && fail "'$* --help' complains: $(cat err)"
    awk 'length > 140 { exit 1 }' out || fail "'$*': a line of help is too long"
}

listed() { # the names between a heading and the next empty line
    sed -n "/^$1:/,/^\$/p" | awk '/^  / { print $1 }'
}

"$SUMMAND" --help > all || fail '--help'
names=$(listed Commands < all)
[ -n "$names" ] || fail 'no command listed'
for name in $names; do
    check "$name"
done
run 1 bench --help
benchmarks=$(listed Benchmarks < out)
[ -n "$benchmarks" ] || fail 'no benchmark listed'
for name in $benchmarks; do
    check bench "$name"
done
run 1 gossip --help
subcommands=$(listed Subcommands < out)
[ -n "$subcommands" ] || fail 'no subcommand of gossip listed'
for name in $subcommands; do
    check gossip "$name"
done
"$SUMMAND" > out 2> err && fail 'no command: exit status 0'
grep -q Commands err || fail 'no command: no list'
"$SUMMAND" --version | grep -Eq '^summand [0-9]+\.[0-9]+\.[0-9]+$' || fail '--version'
run 3 sum --help
same 'help once on three ranks' "$(grep -c '^Usage' out)" 1
finish
