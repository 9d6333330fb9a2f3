#!/bin/sh
# Installs the missing ones of packages.txt by apt-get, as root or through sudo.
here=$(dirname "$0")
missing=
for package in $(sed 's/#.*//' "$here/packages.txt"); do
    dpkg-query -W -f='${Status}\n' "$package" 2>/dev/null | grep -q 'ok installed' ||
        missing="$missing $package"
done
[ -z "$missing" ] && exit 0
if ! command -v apt-get >/dev/null; then
    echo "These packages (or your system's own) are needed:$missing" >&2
    exit 1
fi
root=
if [ "$(id -u)" != 0 ]; then
    command -v sudo >/dev/null || {
        echo "Please run as root: apt-get install$missing" >&2
        exit 1
    }
    root=sudo
fi
echo "Installing:$missing"
$root apt-get update -qq && DEBIAN_FRONTEND=noninteractive $root apt-get install -y -qq $missing
