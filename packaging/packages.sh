#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# What is missing here to build and test, and which packages have it (packages.txt).
#   packages.sh check GROUP...     says what is missing and how to install it; status 1 if anything is
#   packages.sh install GROUP...   installs it by apt-get, as root or through $SUDO (SUDO=sudo);
#                                  elsewhere it says what to run
# Nothing but `install` installs, and never through sudo unless $SUDO says so. A group that ends in '?' is
# optional: what is missing of it is said and is no error.
here=$(dirname "$0")
action=$1
shift

has() { command -v "$1" >/dev/null 2>&1; }

# The answer of the compiler, so that what modules set (CPATH, CC) counts.
has_header() { echo "#include <$1>" | ${CC:-cc} -E - >/dev/null 2>&1; }

has_cmake()
{
    version=$(cmake --version 2>/dev/null | sed -n 's/^cmake version \([0-9]*\)\.\([0-9]*\).*/\1 \2/p')
    # shellcheck disable=SC2086
    set -- $version
    [ "${1:-0}" -gt 3 ] || { [ "${1:-0}" = 3 ] && [ "$2" -ge 16 ]; }
}

# found HOW NAME...
found()
{
    how=$1
    shift
    case $how in
    command) for name; do has "$name" && return 0; done; return 1 ;;
    cmake) has_cmake ;;
    mpi) [ -n "$(sh "$here/mpis.sh")" ] ;;
    both) case " $(sh "$here/mpis.sh" | tr '\n' ' ')" in *' openmpi mpich '*) ;; *) return 1 ;; esac ;;
    header) has_header "$1" ;;
    module) has pkg-config && pkg-config --exists "$1" ;;
    python) # the first one may be a user's own, without the system's modules
        for python in python3 /usr/bin/python3; do $python -c "import $1" 2>/dev/null && return 0; done
        return 1 ;;
    *) echo "packages.txt: $how?" >&2; return 1 ;;
    esac
}

managers='apt-get dnf zypper brew spack'
needs='' apt_get='' dnf='' zypper='' brew='' spack=''

# Adds what is missing of one group to these lists.
look()
{
    while IFS='|' read -r of need how apt_has dnf_has zypper_has brew_has spack_has; do
        # shellcheck disable=SC2086
        [ "$(echo $of)" = "$1" ] || continue
        # shellcheck disable=SC2086
        found $how && continue
        # shellcheck disable=SC2086,SC2116
        needs="$needs${needs:+, }$(echo $need)"
        apt_get="$apt_get $apt_has" dnf="$dnf $dnf_has" zypper="$zypper $zypper_has"
        brew="$brew $brew_has" spack="$spack $spack_has"
    done <<END
$(grep -v '^#' "$here/packages.txt")
END
}

# The line for one manager, or nothing where it has none of it.
line_of()
{
    case $1 in
    apt-get) list=$apt_get ;;
    dnf) list=$dnf ;;
    zypper) list=$zypper ;;
    brew) list=$brew ;;
    spack) list=$spack ;;
    esac
    # shellcheck disable=SC2086
    list=$(printf '%s\n' $list | grep -vx -e - | sort -u | tr '\n' ' ')
    [ -n "$list" ] && echo "    $1 install $list"
}

say_how()
{
    here_too=''
    for manager in $managers; do has "$manager" && here_too="$here_too $manager"; done
    for manager in ${here_too:-$managers}; do line_of "$manager"; done
    case $needs in
    *'an MPI'*) echo '    An MPI that is installed but not on the PATH: "module avail", "module load mpi/openmpi-x86_64".' ;;
    esac
}

install()
{
    [ -n "$needs" ] || return 0
    if ! has apt-get || { [ "$(id -u)" != 0 ] && [ -z "${SUDO:-}" ]; }; then
        echo "Missing: $needs. Please run${SUDO:+ with $SUDO}, as root where that is needed:"
        say_how
        return 1
    fi
    # shellcheck disable=SC2086
    packages=$(printf '%s\n' $apt_get | sort -u | tr '\n' ' ')
    log=${TMPDIR:-/tmp}/packages.$$
    echo "Installing: $packages"
    # shellcheck disable=SC2086
    {
        ${SUDO:-} apt-get update -qq && DEBIAN_FRONTEND=noninteractive \
            ${SUDO:-} apt-get install -y -qq --no-install-recommends $packages
    } >"$log" 2>&1 </dev/null
    code=$?
    [ $code = 0 ] || cat "$log"
    rm -f "$log"
    return $code
}

status=0
for group; do
    needs='' apt_get='' dnf='' zypper='' brew='' spack=''
    look "${group%\?}"
    [ -n "$needs" ] || continue
    case $action in
    check)
        how='make deps'
        case ${group%\?} in apps | compare | site) how="sh packaging/packages.sh install ${group%\?}" ;; esac
        echo "Missing: $needs. Packages that have it ('$how' installs them where there is apt-get):"
        say_how
        false ;;
    install) install ;;
    esac || case $group in
        *\?) echo "Optional, and done without: $needs" ;;
        *) status=1 ;;
    esac
done
exit $status
