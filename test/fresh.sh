#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The two commands of a newcomer in a bare system: `make deps`, `make demo` and `make check` as root in a
# Debian root of debootstrap, then `make demo` and `make check` as a user without apt, who has a
# compiler, make, CMake and one MPI. The README's blocks are pasted, too. As root, with debootstrap and the network;
# 40 minutes and 2 GB. FRESH_SUITE: bookworm, bullseye (CMake 3.18, gcc 10), ...; FRESH_DIR: where; FRESH_CHECK: words
# for ctest that leave tests out ("-L quick"), or none: no tests, 8 minutes; FRESH_PARTS: root, user or both; FRESH_MPI:
# the user's MPI, as packages ("libmpich-dev mpich").
set -eu
here=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)
suite=${FRESH_SUITE:-bookworm}
folder=${FRESH_DIR:-$here/build/fresh}
[ "$(id -u)" = 0 ] && command -v debootstrap >/dev/null ||
    { echo 'make check-fresh needs root and debootstrap (Debian: apt-get install debootstrap)'; exit 1; }
mkdir -p "$folder"
failed=0

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
    chroot "$root" useradd -m new
    mkdir "$root/home/new/summand"
    git -C "$here" archive HEAD | tar -C "$root/home/new/summand" -x
    chroot "$root" chown -R new:new /home/new
    echo "$root"
}

# in_root ROOT USER COMMAND: with /proc, /sys and /dev, which are unmounted after the command.
in_root()
{
    # shellcheck disable=SC2016
    unshare --mount --propagation private sh -c '
        mount -t proc proc "$1/proc" && mount --rbind /sys "$1/sys" && mount --rbind /dev "$1/dev" &&
        exec chroot "$1" su - "$2" -c "cd /home/new/summand && export LC_ALL=C && $3"' sh "$1" "$2" "$3"
}

# step ROOT USER COMMAND: reports the result and the time.
step()
{
    begin=$(date +%s)
    echo "==== $suite, $2: $3"
    if in_root "$1" "$2" "$3"; then
        echo "==== $suite, $2: fine after $(($(date +%s) - begin)) s"
    else
        echo "==== $suite, $2: FAILED after $(($(date +%s) - begin)) s: $3"
        failed=$((failed + 1))
    fi
}

case ${FRESH_CHECK:-} in
'') check="make check" ;;
none) check=: ;;
*) check="sh test/check.sh $FRESH_CHECK" ;;
esac

case ${FRESH_PARTS:-both} in root | both)
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

case ${FRESH_PARTS:-both} in user | both)
    root=$(bare user)
    in_root "$root" root 'apt-get update -qq && apt-get install -y -qq --no-install-recommends \
        gcc libc6-dev make cmake '"${FRESH_MPI:-libopenmpi-dev openmpi-bin}" >/dev/null 2>&1
    rm -f "$root"/usr/bin/apt* "$root"/usr/bin/dpkg*
    step "$root" new 'make demo'
    step "$root" new 'sh test/readme.sh'
    step "$root" new 'make install PREFIX=there && there/bin/summand version && make uninstall PREFIX=there'
    step "$root" new "$check"
esac
[ $failed = 0 ] && echo '==== both commands work in a bare system'
exit $failed
