#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The two commands of a newcomer in a bare system: `make deps`, `make demo` and `make check` as root in a
# Debian root of debootstrap, then `make demo` and `make check` as a user without apt, who has a
# compiler, make, CMake and one MPI. The README's blocks are pasted, too. As root, with debootstrap and the network;
# 40 minutes and 2 GB. FRESH_SUITE: bookworm, bullseye (CMake 3.18, gcc 10), ...; FRESH_DIR: where; FRESH_CHECK: words
# for ctest that leave tests out ("-L quick"), or none: no tests, 8 minutes, or short: those of that part; FRESH_PARTS:
# root, user or both; FRESH_MPI: the user's MPI, as packages ("libmpich-dev mpich").
# Two other parts have a root with all that packages.txt names, which is kept for a month beside a compiler cache in
# ~/.cache/summand: suites (make check-suites) runs README's commands, the demo, an installation and the quick tests on
# Debian stable and unstable (FRESH_SUITE: one of these) with each of their MPIs, and ends with a table; short
# (make check-all), on stable with Open MPI, has the tests of the shim, of the installation, without an MPI, and one launch
# of many.
set -eu
here=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)
parts=${FRESH_PARTS:-both}
suite=${FRESH_SUITE:-bookworm}
suites=${FRESH_SUITE:-stable unstable}
folder=${FRESH_DIR:-$here/build/fresh}
cache=${XDG_CACHE_HOME:-$HOME/.cache}/summand
if ! { [ "$(id -u)" = 0 ] && command -v debootstrap && unshare --mount true && git -C "$here" rev-parse HEAD; } >/dev/null 2>&1; then
    echo '== A bare Debian needs root, mounts, a clone by git, and debootstrap (Debian: apt-get install debootstrap): left out'
    [ "$parts" = short ]
    exit
fi
mkdir -p "$folder"
failed=0
table=

# bare NAME: a fresh root with the committed tree in /home/new/summand, whose path is printed.
bare()
{
    root=$folder/$suite-$1
    rm -rf "$root"
    [ -f "$folder/$suite.tar" ] || {
        debootstrap --variant=minbase "$suite" "$root" http://deb.debian.org/debian >"$folder/$suite.log" 2>&1 ||
            { tail "$folder/$suite.log" >&2; return 1; }
        tar -C "$root" -cf "$folder/$suite.tar" .
    }
    mkdir -p "$root"
    tar -C "$root" -xf "$folder/$suite.tar"
    # Without this machine's name, every launch of several ranks queries the network for it: 10 s.
    cp /etc/resolv.conf /etc/hosts "$root/etc/"
    # A mirror that lags some weeks behind is good enough for a test.
    echo 'Acquire::Check-Valid-Until "false";' >"$root/etc/apt/apt.conf.d/lag"
    chroot "$root" useradd -m new
    put_tree
    echo "$root"
}

put_tree()
{
    mkdir "$root/home/new/summand"
    git -C "$here" archive HEAD | tar -C "$root/home/new/summand" -x
    chroot "$root" chown -R new:new /home/new
}

# equipped: a root with all that `make deps` installs.
equipped()
{
    root=$folder/$suite-mpis
    kept=$cache/roots/$suite-$(cksum <"$here/packaging/packages.txt" | cut -d' ' -f1)-$(date +%Y-%m).tar
    mkdir -p "$cache/roots" "$cache/ccache"
    if [ -f "$kept" ]; then
        rm -rf "$root"
        mkdir "$root"
        tar -C "$root" -xf "$kept"
        cp /etc/resolv.conf /etc/hosts "$root/etc/"
        put_tree
    else
        rm -f "$folder/$suite.tar" "$cache/roots/$suite"-*.tar
        bare mpis >/dev/null
        mkdir "$root/ccache"
        in_root "$root" root 'apt-get update -qq && apt-get install -y -qq make && make deps && apt-get clean' \
            >"$folder/$suite.log" 2>&1 || { tail "$folder/$suite.log" >&2; return 1; }
        tar -C "$root" --exclude=./home/new/summand -cf "$kept.part" .
        mv "$kept.part" "$kept"
    fi
}

# in_root ROOT USER COMMAND: with /proc, /sys and /dev, which are unmounted after the command.
in_root()
{
    # shellcheck disable=SC2016
    unshare --mount --propagation private sh -c '
        mount -t proc proc "$1/proc" && mount --rbind /sys "$1/sys" && mount --rbind /dev "$1/dev" &&
        { [ ! -d "$1/ccache" ] || mount --bind "$4/ccache" "$1/ccache"; } &&
        exec chroot "$1" su - "$2" -c "cd /home/new/summand && export LC_ALL=C CCACHE_DIR=/ccache && $3"' \
        sh "$1" "$2" "$3" "$cache"
}

# step ROOT USER COMMAND: reports the result and the time. The verdict has the numbers of tests, if there are any.
step()
{
    begin=$(date +%s)
    verdict=fine
    echo "==== $suite, $2: $3"
    rm -f "$folder/worked"
    { in_root "$1" "$2" "$3" && : >"$folder/worked"; } 2>&1 | tee "$folder/step.log"
    if [ -e "$folder/worked" ]; then
        echo "==== $suite, $2: fine after $(($(date +%s) - begin)) s"
    else
        echo "==== $suite, $2: FAILED after $(($(date +%s) - begin)) s: $3"
        failed=$((failed + 1))
        verdict=FAILED
    fi
    verdict=$(grep -x '[0-9]* passed, [0-9]* failed' "$folder/step.log" || echo $verdict)
}

# row MPI TESTS: what a newcomer does with this MPI, and the tests; a row of the table.
row()
{
    line=
    for command in "MPI=$1 sh test/readme.sh" "make demo MPI=$1" \
        "make install MPI=$1 PREFIX=there && there/bin/summand version && make uninstall MPI=$1 PREFIX=there" \
        "PRESETS=$1 $2"; do
        step "$root" root "$command"
        line="$line | $verdict"
    done
    table="$table
| $suite ($(cat "$root/etc/debian_version")) | $(sed -n 's/^mpi=//p' "$root/home/new/summand/build/$1/summand-uninstalled.pc") \
| gcc $(chroot "$root" gcc -dumpfullversion)$line |"
}

# What `make check-all` runs with another MPI than this machine's.
short="TARGETS='all shim-tests unit-tests together' sh test/check.sh -LE long -R '^(unit|shim|install)/|^mpi/together/np3/quick'"
case ${FRESH_CHECK:-} in
'') tests='sh test/check.sh -LE long' check='make check' ;;
none) tests=: check=: ;;
short) tests=$short check=$short ;;
*) tests="sh test/check.sh $FRESH_CHECK" check=$tests ;;
esac

case $parts in
suites)
    for suite in $suites; do
        if equipped; then
            row openmpi "$tests"
            row mpich "ONCE=second $tests"
        else
            failed=$((failed + 1))
        fi
    done ;;
short)
    suite=stable
    if equipped; then
        row openmpi "$short"
    else
        failed=1
    fi ;;
esac
case $parts in root | both)
    root=$(bare root)
    in_root "$root" root 'apt-get update -qq && apt-get install -y -qq make' >/dev/null 2>&1
    # Before that nothing is installed, and missing packages are reported.
    if in_root "$root" root 'make demo' >"$folder/missing" 2>&1 || ! grep -q 'apt-get install' "$folder/missing"; then
        echo 'make demo does not say what is missing:'
        cat "$folder/missing"
        failed=$((failed + 1))
    fi
    step "$root" root 'make deps'
    step "$root" root 'make demo'
    step "$root" root 'sh test/readme.sh'
    step "$root" root "$check"
esac

case $parts in user | both)
    root=$(bare user)
    in_root "$root" root 'apt-get update -qq && apt-get install -y -qq --no-install-recommends \
        gcc libc6-dev make cmake '"${FRESH_MPI:-libopenmpi-dev openmpi-bin}" >/dev/null 2>&1
    rm -f "$root"/usr/bin/apt* "$root"/usr/bin/dpkg*
    step "$root" new 'make demo'
    step "$root" new 'sh test/readme.sh'
    step "$root" new 'make install PREFIX=there && there/bin/summand version && make uninstall PREFIX=there'
    step "$root" new "$check"
esac
[ -z "$table" ] || echo "| Debian | MPI | compiler | README | demo | install | tests |
|---|---|---|---|---|---|---|$table"
[ $failed = 0 ] && echo '==== all commands work in a bare system'
exit $failed
