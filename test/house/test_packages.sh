#!/bin/sh
# packaging/install-packages.sh: what is needed and not to be had is an error; what is optional is said
# and is none, on a machine without apt-get, with one that fails, and with one that works.
source=$1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
failed=0
for tool in sh sed cat dirname timeout id; do ln -s "$(command -v $tool)" "$folder/$tool"; done
stub() { # stub NAME STATUS: a command that notes its words
    printf '#!/bin/sh\necho "%s $*" >> %s/calls\nexit %s\n' "$1" "$folder" "$2" > "$folder/$1"
    chmod +x "$folder/$1"
}
# expect STATUS WORDS ARGUMENT...: of the script's exit status and of what it says or calls
expect() {
    status=$1 words=$2
    shift 2
    : > "$folder/calls"
    PATH=$folder sh "$source/packaging/install-packages.sh" "$@" > "$folder/out" 2>&1
    got=$?
    if [ $got != "$status" ] || ! cat "$folder/out" "$folder/calls" | grep -qe "$words"; then
        echo "'$*': status $got, not $status, or no '$words':"
        cat "$folder/out" "$folder/calls"
        failed=1
    fi
}
stub dpkg-query 1
stub sudo 0
expect 1 'are needed: gcc'
expect 0 'are optional: libsimgrid-dev' optional
stub apt-get 1
[ "$(id -u)" = 0 ] || stub sudo 1
expect 1 'Installing: gcc'
expect 0 'done without: libsimgrid-dev' optional
stub apt-get 0
[ "$(id -u)" = 0 ] || stub sudo 0
expect 0 'install .*cmake'
expect 0 'install .*libsimgrid-dev' optional
[ $failed = 0 ] && echo "packages: 6 cases"
exit $failed
