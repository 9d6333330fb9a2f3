#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Plants one fault after the other in the source, and tells which of them the test of its row does not find. The tree stays
# as it is: the changed file is compiled beside the build, and the test is linked anew with it. A row takes 1 to 20 s; one
# that makes ranks wait for each other may take 300.
# Usage: run.sh SOURCE BUILD [WORD]: rows of table.txt (with WORD in them), with the tests of BUILD, a folder that CMake
# made for make, where they are built; run.sh SOURCE: prints the targets to build.
# Exit status: 1 if a fault survives, a change does not apply, or a test fails without a fault.
set -u
table=$(dirname "$0")/table.txt
if [ $# = 1 ]; then
    grep -v '^#' "$table" | sed 's|^[^ ]* \([^ ]*\).*|\1|; s|^shim/.*|shim-tests summand-command|
        s|^tool/.*|summand-mpi summand-mpi-core summand-command record_calls check-json|; s|/.*||' | sort -u
    exit
fi
source=$(cd "$1" && pwd) build=$(cd "$2" && pwd) word=${3:-}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/new"
launcher=$(sed -n 's/^MPIEXEC_EXECUTABLE:[A-Z]*=//p' "$build/CMakeCache.txt")
# shellcheck disable=SC2046
export $(grep -v '^#' "$source/packaging/launcher.env")
rows=0 found=0 wrong=0

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

# Makes $work/mutant.o of $work/mutant.c, or fails.
compile() # FILE
{
    object=
    for one in $(find "$build" -path "*.dir/*${1#*/}.o"); do
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
    relative=$(printf %s "$object" | sed "s|^$build/$folder/||; s|^$build/|../|")
    sed "s|\"\?$relative\"\?|$work/mutant.o|" "$words" >"$work/link"
    grep -q "$work/mutant.o" "$work/link" || sed -i "s|\(\.c\.o\) |\1 $work/mutant.o |" "$work/link"
    sed -i "s| -o [^ ]* | -o $work/new/$output |" "$work/link"
    (cd "$build/$folder" && sh "$work/link") >"$work/log" 2>&1
}

# The target of the row's test, its link command, and what is linked, beside which other files lie. Of a script the target
# is the library with the shim's code: of shim/NAME the one with the watch of the tests, of tool/NAME the users' own one.
look_up()
{
    ranks='' script='' folder=test target=$test there=$build/test
    case $test in
    shim/*) script=$source/test/$test.sh target=shim-watched-core there=$build/test/shim ;;
    tool/*) script=$source/test/$test.sh target=summand-mpi-core folder=shim there=$build ;;
    */*) ranks=${test#*/} test=${test%/*} target=${test%/*} ;;
    esac
    words=$build/$folder/CMakeFiles/$target.dir/link.txt
    output=$(basename "$(sed -n 's|.* -o \([^ ]*\) .*|\1|p' "$words")")
}

# The program of a folder on $ranks ranks, or the script with the libraries of this folder and what ctest sets.
passes() # FOLDER
{
    (
        cd "$work" || exit
        if [ -z "$script" ]; then
            timeout 300 ${ranks:+env SUMMAND_CALIBRATION=off SUMMAND_NETWORK=off "$launcher" -n "$ranks"} "$1/$output"
            exit
        fi
        entries=$(printf %s "$output" | sed 's/-core//')
        [ -e "$1/$entries" ] || cp "$there/$entries" "$1"
        grep -E "^set_tests_properties\\(\[?=?\[?${test}[] ]" "$build/test/CTestTestfile.cmake" |
            sed -n 's/.* ENVIRONMENT "\([^"]*\)".*/\1/p' | tr ';' '\n' >"$work/set"
        while read -r one; do export "${one?}"; done <"$work/set"
        SHIM=$1/$entries WATCHED=$1/$entries timeout 300 sh "$script"
    ) </dev/null >"$work/out" 2>&1
}

grep -v '^#' "$table" | grep -- "$word" >"$work/rows"
while read -r file test change; do
    rows=$((rows + 1))
    row="$file: $change"
    look_up
    sed "$change" "$source/$file" >"$work/mutant.c"
    right=$work/right.$(printf %s "$test" | tr / -).$ranks
    [ -e "$right" ] || ! passes "$there" || : >"$right"
    if cmp -s "$source/$file" "$work/mutant.c"; then
        complain "does not apply: $row"
    elif ! [ -e "$right" ]; then
        complain "$test fails without a fault, or is not built: $(tail -n 1 "$work/out")"
    elif ! compile "$file" || ! link; then
        complain "does not compile: $row: $(grep -m 1 'error' "$work/log")"
    elif passes "$work/new"; then
        complain "survives $test: $row"
    else
        found=$((found + 1))
    fi
done <"$work/rows" 2>/dev/null # where the shell says that a test was aborted
echo "mutants: $found of $rows found"
[ "$rows" -gt 0 ] && [ $wrong = 0 ]
