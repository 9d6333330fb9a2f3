#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Completion in bash, zsh and fish, each in a shell of its own: behind every command all of its options are offered, no
# other, and behind every option with choices all of these; every command, and every member of a family, has its place. A
# shell that is not here is left out.
here=$(cd "$(dirname "$0")" && pwd)
. "$here/common.sh"
command -v python3 > /dev/null || { echo 'python3 is not here'; exit 77; }
"$PAGES" completion -o shells || fail 'pages: exit status'

# ask_bash LINES: the words that are offered behind each line, one a line, then an empty one.
ask_bash() {
    bash --norc -c '. "$1"
        while IFS= read -r line; do
            read -ra COMP_WORDS <<<"${line//=/ = }"
            [[ $line != *[\ =] ]] || COMP_WORDS+=("")
            COMP_CWORD=$((${#COMP_WORDS[@]} - 1)) COMPREPLY=()
            eval "$(complete -p "${COMP_WORDS[0]}" | sed "s/.*-F \([^ ]*\) .*/\1/")"
            printf "%s\n" "${COMPREPLY[@]}" | grep .
            echo
        done <"$2"' bash "shells/$program.bash" "$1"
}
ask_zsh() {
    timeout $LIMIT zsh -f "$here/completion.zsh" "$PWD/shells" "$1"
}
ask_fish() {
    # shellcheck disable=SC2016
    fish --no-config -c 'source $argv[1]
        while read -l line
            complete -C "$line" | string split -f 1 \t
            echo
        end <$argv[2]' "shells/$program.fish" "$1"
}

complete_program() {
    program=$(basename "$SUMMAND")
    "$SUMMAND" help --json > table.json || fail 'help --json'
    python3 "$here/completion.py" questions "$program" table.json > lines
    [ "$(wc -l < lines)" -gt "$1" ] || fail "only $(wc -l < lines) questions"
    for shell in bash zsh fish; do
        command -v $shell > /dev/null || { echo "$shell is not here"; continue; }
        ask_$shell lines > offered 2> err || fail "$shell: exit status $?: $(cat err)"
        [ -s err ] && fail "$shell says: $(head err)"
        python3 "$here/completion.py" check "$program" table.json offered $shell || fail "$program in $shell"
    done
}
complete_program 60
study complete_program 15
"$PAGES" completion -o file/shells 2> err && fail 'a directory that cannot be: exit status 0'
grep -q 'file/shells: ' err || fail "said: $(cat err)"
finish
