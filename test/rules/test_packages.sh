#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# packaging/packages.sh: what is missing is said with the packages of the manager that is there; nothing is
# installed but by `install`, as root or through $SUDO; what is optional is said and is no error. And
# build.sh has the flags of CMakePresets.json.
source=$1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
failed=0 cases=0
for tool in sh sed cat dirname tr sort grep rm readlink head echo printf; do
    ln -s "$(command -v $tool)" "$folder/$tool"
done
stub() { # stub NAME STATUS [TEXT]: a command that notes its words and prints TEXT
    printf '#!/bin/sh\necho "%s $*" >> %s/calls\n%s\nexit %s\n' "$1" "$folder" "${3:+echo $3}" "$2" > "$folder/$1"
    chmod +x "$folder/$1"
}
# expect STATUS WORDS ARGUMENT...: of the script's exit status and of what it says or calls; !WORDS: not
expect() {
    status=$1 words=$2
    shift 2
    cases=$((cases + 1))
    : > "$folder/calls"
    CC=cc SUDO=${sudo:-} TMPDIR=$folder PATH=$folder sh "$source/packaging/packages.sh" "$@" > "$folder/out" 2>&1
    got=$?
    cat "$folder/out" "$folder/calls" > "$folder/all"
    if [ $got != "$status" ] || ! grep -qe "${words#!}" "$folder/all" && [ "$words" = "${words#!}" ] ||
        { [ "$words" != "${words#!}" ] && grep -qe "${words#!}" "$folder/all"; }; then
        echo "'$*': status $got, not $status, or '$words':"
        cat "$folder/all"
        failed=1
    fi
}
stub id 0 1000
# Nothing is here, no manager either: all of them are named.
for name in 'apt-get install .*libopenmpi-dev' 'dnf install .*openmpi-devel' 'zypper install .*openmpi4-devel' \
    'brew install .*open-mpi' 'spack install .*openmpi' 'module load'; do
    expect 1 "$name" check build
done
expect 1 'an MPI' install build
expect 0 'done without: SimGrid' check 'simulate?'
# One manager: it alone is named, with its own names of packages, and not called.
for manager in 'dnf openmpi-devel zypper' 'zypper openmpi4-devel brew' 'brew open-mpi spack' 'spack openmpi dnf'; do
    # shellcheck disable=SC2086
    set -- $manager
    stub "$1" 0
    expect 1 "$1 install .*cmake.*$2" check build
    expect 1 "!$3 install" check build
    expect 1 "!^$1" install build
    expect 1 "$1 install .*$2" install build
    rm "$folder/$1"
done
# Two of them: both are named.
stub dnf 0
stub spack 0
expect 1 'dnf install' check build
expect 1 'spack install' check build
expect 1 '!brew install' check build
rm "$folder/dnf" "$folder/spack"
# apt-get, not root: nothing is called; through sudo only where SUDO says so.
stub apt-get 0
stub sudo 0
expect 1 '!^sudo' install build
expect 1 'apt-get install .*cmake' install build
sudo=sudo expect 0 '^sudo apt-get install .*cmake' install build
stub id 0 0
expect 0 '^apt-get install -y .*cmake' install build
expect 0 '!^sudo' install build
expect 1 '!^apt-get' check build
stub apt-get 1
expect 1 'Installing: .*gcc' install build
expect 0 'done without: SimGrid' install 'simulate?'
# What is here is not asked for: an old CMake is none.
stub cc 0
stub make 0
stub mpicc 0
stub cmake 0 "cmake version 3.15.9"
expect 1 'Missing: CMake 3.16\.' check build
stub cmake 0 "cmake version 3.16.0"
expect 0 '!Missing' check build
stub cmake 0 "cmake version 4.0.1"
expect 0 '!Missing' check build
rm "$folder/mpicc"
expect 1 'Missing: an MPI\.' check build
stub mpicc.openmpi 0
stub mpiexec.openmpi 0
expect 0 '!Missing' check build
expect 1 'Open MPI and MPICH' check test

# The launcher of the MPI that is here, or of the one that MPI names, with what all versions of Open MPI ask for.
for name in openmpi mpich; do
    cases=$((cases + 1))
    stub mpiexec.$name 0 "$name "'$OMPI_MCA_rmaps_base_oversubscribe$PRTE_MCA_mapby$OMPI_ALLOW_RUN_AS_ROOT'
    got=$(PATH=$folder MPI=$([ $name = openmpi ] || echo $name) sh "$source/packaging/mpirun.sh" -np 3 a 'b c')
    [ "$got" = "$name 1:oversubscribe1" ] || { echo "mpirun.sh, $name: '$got'"; failed=1; }
    grep -q "^mpiexec.$name -np 3 a b c\$" "$folder/calls" || { echo "mpirun.sh: $(cat "$folder/calls")"; failed=1; }
done

# The same flags by hand and by preset, where this CMake has presets.
cd "$source" || exit 2
for preset in openmpi mpich asan smpi; do
    wanted=$(cmake --preset $preset -N 2>/dev/null | sed -n 's/^  \([A-Z_]*\)="\(.*\)"$/-D\1=\2/p' | sort)
    [ -n "$wanted" ] || continue
    cases=$((cases + 1))
    flags=$(sed -n "/^case/,/^esac/{/^[a-z |]*$preset[ |)]/s/.*flags=\"\(.*\)\" ;;/\1/p}" packaging/build.sh |
        sed "s/\$name/$preset/" | tr ' ' '\n' | sort)
    [ "$flags" = "$wanted" ] || { echo "$preset: build.sh has $flags, the preset $wanted"; failed=1; }
done
[ $failed = 0 ] && echo "packages: $cases cases"
exit $failed
