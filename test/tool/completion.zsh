# SPDX-License-Identifier: BSD-3-Clause
# What zsh offers behind each line of a file, one word a line, then an empty one: a second zsh with a line editor, in a
# terminal of its own, completes each line and notes what compadd would add. Usage: completion.zsh FUNCTIONS LINES
zmodload zsh/zpty
folder=$(mktemp -d)
cat >$folder/inner.zsh <<'END'
autoload -Uz compinit
compinit -u -D
compadd() {
    # -O, -A and -D are for filters of other functions.
    if [[ ${@[1,(i)(-|--)]} == *-(O|A|D)\ * ]]; then
        builtin compadd "$@"
        return
    fi
    local -a hits
    builtin compadd -A hits "$@"
    print -rl -- $hits >>$out
    builtin compadd "$@"
}
all() {
    local line
    while IFS= read -r line; do
        BUFFER=$line CURSOR=$#line
        zle offer
        print >>$out
    done <$lines
    exit
}
offer() { _main_complete; compstate[insert]= compstate[list]= }
zle -C offer complete-word offer
zle -N zle-line-init all
END
print -r -- "fpath=(${(q)1} \$fpath) out=${(q)folder}/out lines=${(q)2}; source ${(q)folder}/inner.zsh" >$folder/.zshrc
: >$folder/out
zpty inner env TERM=vt100 ZDOTDIR=$folder zsh -d -i
while zpty -r inner line; do :; done
zpty -d inner
cat $folder/out
rm -rf $folder
