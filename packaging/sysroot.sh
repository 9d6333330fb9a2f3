#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Debian's libraries for another processor, in build/sysroot-PROCESSOR: a cross compiler builds with them, and an emulator
# runs tests with them (test/cross/check_processor.sh). Nothing is installed, and apt's own state stays as it is.
# 16 MB are loaded. Usage: sysroot.sh aarch64|s390x
set -eu
processor=$1
architecture=$processor
[ "$processor" != aarch64 ] || architecture=arm64
cd "$(dirname "$0")/.."
folder=$PWD/build/sysroot-$processor
[ ! -e "$folder/complete" ] || exit 0
# The MPI is the one whose header is here, without the compilers that its headers' package asks for.
mpich=$(dpkg-query -W -f='${Depends}' libmpich-dev | tr ', ' '\n\n' | grep '^libmpich[0-9]')
rm -rf "$folder"
mkdir -p "$folder/apt/lists/partial" "$folder/apt/archives/partial"
of_apt()
{
    apt-get -qq -y -o APT::Architecture="$architecture" -o APT::Architectures::="$architecture" -o APT::Install-Recommends=0 \
        -o Dir::State::lists="$folder/apt/lists" -o Dir::State::status=/dev/null -o Dir::Cache="$folder/apt" \
        -o Debug::NoLocking=1 -o APT::Sandbox::User= "$@" </dev/null
}
# shellcheck disable=SC2086
{ of_apt update && of_apt install --download-only libcmocka-dev libmpfr-dev $mpich; } >"$folder/log" 2>&1 ||
    { cat "$folder/log"; exit 1; }
for package in "$folder"/apt/archives/*.deb; do dpkg-deb -x "$package" "$folder"; done
rm -r "$folder/apt"
# What the linker looks for is in the headers' package.
for library in "$folder"/usr/lib/*/libmpich.so.*; do ln -sf "$(basename "$library")" "${library%.so.*}.so"; done
ls "$folder"/usr/lib/*/libmpich.so >/dev/null
touch "$folder/complete"
