#!/bin/sh
# Installs the missing ones of packages.txt by apt-get, as root or through sudo. With the argument
# `optional`, those behind a question mark instead: what cannot be installed is said and no error.
here=$(dirname "$0")
optional=
[ "${1:-}" = optional ] && optional=optional
missing=
for package in $(sed 's/#.*//' "$here/packages.txt"); do
    case $package in
        '?'*) [ -n "$optional" ] || continue ;;
        *) [ -z "$optional" ] || continue ;;
    esac
    package=${package#'?'}
    dpkg-query -W -f='${Status}\n' "$package" 2>/dev/null | grep -q 'ok installed' ||
        missing="$missing $package"
done
[ -z "$missing" ] && exit 0

# give_up SENTENCE
give_up()
{
    echo "$1" >&2
    [ -n "$optional" ]
    exit
}

command -v apt-get >/dev/null ||
    give_up "These packages (or your system's own) are ${optional:-needed}:$missing"
root=
if [ "$(id -u)" != 0 ]; then
    command -v sudo >/dev/null || give_up "Please run as root: apt-get install$missing"
    root="sudo${optional:+ -n}"
fi
echo "Installing:$missing"
if [ -z "$optional" ]; then
    $root apt-get update -qq && DEBIAN_FRONTEND=noninteractive $root apt-get install -y -qq $missing
    exit
fi
{
    $root apt-get update -qq &&
        DEBIAN_FRONTEND=noninteractive $root timeout 300 apt-get install -y -qq --no-install-recommends $missing
} >/dev/null 2>&1 </dev/null || echo "Not to be had here, and done without:$missing" >&2
exit 0
