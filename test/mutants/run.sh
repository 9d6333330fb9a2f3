#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Plants one fault after the other in the source, and tells which of them the test of its row does not find. The tree stays
# as it is: the changed file is compiled beside the build, and the test is linked anew with it. A row takes 1 to 20 s; one
# that makes a loop endless takes 60, one that makes ranks wait for each other may take 300.
# Usage: run.sh SOURCE BUILD [WORD]: rows of table.txt (with WORD in them), with the tests of BUILD, a folder that CMake
# made for make, where they are built; run.sh SOURCE: prints the targets to build. The last lines are a table by folder.
# Exit status: 1 if a fault survives, a change does not apply, or a test fails without a fault.
set -u
table=$(dirname "$0")/table.txt

# The test's program, or `together`, which runs it beside others.
program_of() # SOURCE NAME
{
    if head -n 1 "$1/test/mpi/$2.c" 2>/dev/null | grep -q '; together'; then echo together; else echo "$2"; fi
}

if [ $# = 1 ]; then
    grep -v '^#' "$table" | cut -d' ' -f2 | sort -u | while read -r one; do
        case $one in
        shim/*) echo shim-tests summand-command ;;
        tool/*) echo summand-mpi summand-mpi-core summand-command summand-study record_calls check-json ;;
        python/*) echo summand-shared summand-local-shared ;;
        *) program_of "$1" "${one%%/*}" ;;
        esac
    done | tr ' ' '\n' | sort -u
    exit
fi
source=$(cd "$1" && pwd) build=$(cd "$2" && pwd) word=${3:-}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
launcher=$(sed -n 's/^MPIEXEC_EXECUTABLE:[A-Z]*=//p' "$build/CMakeCache.txt")
# shellcheck disable=SC2046
export $(grep -v '^#' "$source/packaging/launcher.env")
rows=0 wrong=0

complain()
{
    echo "$*"
    wrong=$((wrong + 1))
}

# The value of a variable of flags.make, for one object: its target's and its own.
flags_of() # OBJECT
{
    sed -n 's/^C_\(DEFINES\|INCLUDES\|FLAGS\) = //p' "${1%%.dir/*}.dir/flags.make" | tr '\n' ' '
    sed -n "s|^# Custom \(options\|defines\|flags\): .*/$(basename "$1")_\(OPTIONS\|DEFINES\|FLAGS\) = ||p" "${1%%.dir/*}.dir/flags.make" |
        tr ';\n' '  '
}

# A file of src lies below its target's folder by its whole name, others by what follows a folder with a CMakeLists.txt.
objects_of() # FILE
{
    find "$build" -path "*.dir/*${1#*/}.o"
    prefix=$1
    while [ "$prefix" != "${prefix%/*}" ]; do
        prefix=${prefix%/*}
        find "$build/$prefix/CMakeFiles" -path "*.dir/${1#"$prefix/"}.o" 2>/dev/null
    done
}

# Makes $work/mutant.o of $work/mutant.c, or fails.
compile() # FILE
{
    object=
    for one in $(objects_of "$1"); do
        [ -z "$object" ] || grep -qF "${one#"$build/$folder/"}" "$words" || grep -qF "${one#"$build/"}" "$words" || continue
        object=$one
    done
    [ -n "$object" ] || return 1
    command=$(sed -n 's/^ *\(\/[^ ]*\) .*/\1/p' "$words" | head -n 1)
    [ -n "$command" ] || command=$(cut -d' ' -f1 "$words")
    eval "$command $(flags_of "$object" | sed 's/\\"/\\\\\\"/g; s/"/\\"/g') -I'$source' -o '$work/mutant.o' -c '$work/mutant.c'" \
        >"$work/log" 2>&1
}

# Links the target with the mutant in place of its object, or before the archive that has it.
link()
{
    rm -rf "$work/new" && mkdir "$work/new"
    relative=$(printf %s "$object" | sed "s|^$build/$folder/||; s|^$build/|../|")
    sed "s|\"\?$relative\"\?|$work/mutant.o|" "$words" >"$work/link"
    grep -q "$work/mutant.o" "$work/link" || sed -i "s|\(\.c\.o\) |\1 $work/mutant.o |" "$work/link"
    sed -i "s| -o [^ ]* | -o $work/new/$output |" "$work/link"
    (cd "$build/$folder" && sh "$work/link") >"$work/log" 2>&1
}

# Puts the mutant into a copy of the Python package.
copy_package()
{
    rm -rf "$work/new" && mkdir -p "$work/new/test" "$work/new/bindings"
    cp -r "$source/test/python" "$work/new/test" && cp -r "$source/bindings/python" "$work/new/bindings"
    cp "$work/mutant.c" "$work/new/$file"
}

# The target of the row's test, its link command, and what is linked, beside which other files lie. Of a script the target
# is what has the row's code: a command, or the library of the shim: of shim/NAME the one with the watch of the tests, of
# tool/NAME the users' own one.
look_up()
{
    ranks='' variable='' script='' words=none folder=test there=$build/test
    case $file:$test in
    *:python/*) script=$source/test/python/run.sh there=$source output=''; return ;;
    *:shim/*) script=$source/test/$test.sh target=shim-watched-core there=$build/test/shim ;;
    cli/study/*:tool/*) script=$source/test/$test.sh target=summand-study folder=cli there=$build ;;
    shim/*:tool/*) script=$source/test/$test.sh target=summand-mpi-core folder=shim there=$build ;;
    *:tool/*) script=$source/test/$test.sh target=summand-command folder=cli there=$build ;;
    *)
        ranks=${test#*/} test=${test%%/*}
        [ "$ranks" != "$test" ] || ranks=''
        case $ranks in */*) variable=${ranks#*/} ranks=${ranks%%/*} ;; esac
        target=$(program_of "$source" "$test") ;;
    esac
    words=$build/$folder/CMakeFiles/$target.dir/link.txt
    output=$(basename "$(sed -n 's|.* -o \([^ ]*\) .*|\1|p' "$words")")
}

# What ctest sets for a script.
set_variables() # NAME
{
    grep -E "^set_tests_properties\\(\[?=?\[?(shim|tool|alone)/$1[] ]" "$build/test/CTestTestfile.cmake" |
        sed -n 's/.* ENVIRONMENT "\([^"]*\)".*/\1/p' | tr ';' '\n' >"$work/set"
    while read -r one; do export "${one?}"; done <"$work/set"
}

# The program of a folder on $ranks ranks, or the script with the libraries or the commands of this folder.
passes() # FOLDER
{
    (
        cd "$work" || exit
        # shellcheck disable=SC3045
        ulimit -t 60 # a loop that a fault makes endless
        case $test in
        python/*) timeout 300 sh "$1/test/python/run.sh" "$build/src" "$launcher" "$kind"; exit ;;
        shim/* | tool/*) set_variables "${test#*/}" ;;
        *)
            only=
            [ "$target" = "$test" ] || only=$test
            timeout 300 ${ranks:+env SUMMAND_CALIBRATION=off SUMMAND_NETWORK=off $variable "$launcher" -n "$ranks"} \
                "$1/$output" ${only:+"$only"}
            exit ;;
        esac
        case $folder in
        cli)
            for one in summand summand-study; do
                [ "$1" = "$build" ] || [ -e "$1/$one" ] || ln -s "$build/$one" "$1"
            done
            export SUMMAND="$1/summand" ;;
        *)
            entries=$(printf %s "$output" | sed 's/-core//')
            [ -e "$1/$entries" ] || cp "$there/$entries" "$1"
            export SHIM="$1/$entries" WATCHED="$1/$entries" ;;
        esac
        timeout 300 sh "$script"
    ) </dev/null >"$work/out" 2>&1
}

# src/core/NAME, cli/NAME, ..., or a folder of the root.
part_of() # FILE
{
    case $1 in
    src/core/*/* | src/plugins/*/*) echo "$1" | cut -d/ -f1-3 ;;
    src/* | cli/* | lab/* | shim/* | apps/* | bindings/*) dirname "$1" | cut -d/ -f1-2 ;;
    *) echo "${1%%/*}" ;;
    esac
}

kind=$(sed -n 's/^add_test.*python\/package.* "\([^" ]*\)")$/\1/p' "$build/test/CTestTestfile.cmake")
start=$(date +%s)
: >"$work/parts"
grep -v '^#' "$table" | grep -- "$word" >"$work/rows"
while read -r file test change; do
    rows=$((rows + 1))
    row="$file: $change" survives=1
    look_up
    sed "$change" "$source/$file" >"$work/mutant.c"
    right=$work/right.$(printf %s "$test$variable" | tr / -).$ranks.$folder
    [ -e "$right" ] || ! passes "$there" || : >"$right"
    if cmp -s "$source/$file" "$work/mutant.c"; then
        complain "does not apply: $row"
    elif ! [ -e "$right" ]; then
        complain "$test fails without a fault, or is not built: $(tail -n 1 "$work/out")"
    elif [ "$words" = none ] && ! copy_package || { [ "$words" != none ] && ! { compile "$file" && link; }; }; then
        complain "does not compile: $row: $(grep -m 1 'error' "$work/log")"
    elif passes "$work/new"; then
        complain "survives $test: $row"
    else
        survives=0
    fi
    printf '%s %s\n' "$(part_of "$file")" $survives >>"$work/parts"
done <"$work/rows" 2>/dev/null # where the shell says that a test was aborted
awk '{ rows[$1]++; lost[$1] += $2 } END { for (part in rows) printf "%-28s %3d of %3d\n", part, rows[part] - lost[part], rows[part] }' \
    "$work/parts" | sort
found=$(grep -c ' 0$' "$work/parts")
echo "mutants: $found of $rows found in $(($(date +%s) - start)) s"
[ "$rows" -gt 0 ] && [ $wrong = 0 ]
