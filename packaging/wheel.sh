#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# A wheel of the Python package that carries libsummand-local: exact sums on one process need nothing else. Sums over
# MPI need an installed libsummand, because each MPI has one of its own.
# Usage: wheel.sh BUILD FOLDER: with the libraries of this build, into this folder. Needs pip, setuptools and wheel.
set -eu
build=$1 folder=$2
source=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)
for python in python3 /usr/bin/python3; do # the first one may be a user's own
    $python -c 'import setuptools, wheel, pip' 2>/dev/null && break
done
$python -c 'import setuptools, wheel, pip' || { echo 'wheel: needs pip, setuptools and wheel (Debian: python3-pip python3-setuptools python3-wheel)' >&2; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp -r "$source/bindings/python" "$work/package"
cp -L "$build"/src/libsummand-local.so.*.*.* "$work/library"
soname=$(readelf -d "$work/library" | sed -n 's/.*SONAME.*\[\(.*\)\]/\1/p')
strip -o "$work/package/summand/$soname" "$work/library"
cp "$source/LICENSE" "$work/package"
# The library is for one processor and libc; no file of Python is.
cat >"$work/package/setup.py" <<END
from setuptools import setup
from wheel.bdist_wheel import bdist_wheel


class Tagged(bdist_wheel):
    def finalize_options(self):
        super().finalize_options()
        self.root_is_pure = False

    def get_tag(self):
        return "py3", "none", super().get_tag()[2]


setup(cmdclass={"bdist_wheel": Tagged})
END
mkdir -p "$folder"
$python -m pip wheel --quiet --no-deps --no-build-isolation --no-index --wheel-dir "$folder" "$work/package"
ls "$folder"/summand-*.whl
