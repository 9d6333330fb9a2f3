#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Plants one fault after the other in the source, and tells which of them the test of its row does not find. The tree stays
# as it is: the changed file is compiled beside the build, and the test is linked anew with it. A row takes 1 to 20 s; one
# that makes ranks wait for each other may take 300.
# Usage: run.sh SOURCE BUILD [WORD]: rows of table.txt (with WORD in them), with the tests of BUILD, a folder that CMake
# made for make, where they are built.
# Exit status: 1 if a fault survives, a change does not apply, or a test fails without a fault.
set -u
source=$1 build=$(cd "$2" && pwd) word=${3:-}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
table=$(dirname "$0")/table.txt
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
        [ -z "$object" ] || grep -qF "${one#"$build/"}" "$build/test/CMakeFiles/$test.dir/link.txt" || continue
        object=$one
    done
    [ -n "$object" ] || return 1
    command=$(sed -n 's/^ *\(\/[^ ]*\) .*/\1/p' "$build/test/CMakeFiles/$test.dir/link.txt" | head -n 1)
    [ -n "$command" ] || command=$(cut -d' ' -f1 "$build/test/CMakeFiles/$test.dir/link.txt")
    eval "$command $(flags_of "$object" | sed 's/\\"/\\\\\\"/g; s/"/\\"/g') -I'$source' -o '$work/mutant.o' -c '$work/mutant.c'" \
        >"$work/log" 2>&1
}

# Links the test with the mutant in place of its object, or before the archive that has it.
link()
{
    relative=$(printf %s "$object" | sed "s|^$build/|../|")
    sed "s|\"\?$relative\"\?|$work/mutant.o|" "$build/test/CMakeFiles/$test.dir/link.txt" >"$work/link"
    grep -q "$work/mutant.o" "$work/link" || sed -i "s|\(\.c\.o\) |\1 $work/mutant.o |" "$work/link"
    sed -i "s| -o $test | -o $work/test |" "$work/link"
    (cd "$build/test" && sh "$work/link") >"$work/log" 2>&1
}

passes() # PROGRAM, on $ranks ranks
{
    (cd "$work" && timeout 300 ${ranks:+env SUMMAND_CALIBRATION=off SUMMAND_NETWORK=off "$launcher" -n "$ranks"} "$1" </dev/null) >"$work/out" 2>&1
}

grep -v '^#' "$table" | grep -- "$word" >"$work/rows"
while read -r file test change; do
    rows=$((rows + 1))
    row="$file: $change"
    ranks=
    case $test in */*) ranks=${test#*/} test=${test%/*} ;; esac
    sed "$change" "$source/$file" >"$work/mutant.c"
    right=$work/right.$test.$ranks
    [ -e "$right" ] || ! passes "$build/test/$test" || : >"$right"
    if cmp -s "$source/$file" "$work/mutant.c"; then
        complain "does not apply: $row"
    elif ! [ -e "$right" ]; then
        complain "$test fails without a fault, or is not built: $(tail -n 1 "$work/out")"
    elif ! compile "$file" || ! link; then
        complain "does not compile: $row: $(grep -m 1 'error' "$work/log")"
    elif passes "$work/test"; then
        complain "survives $test: $row"
    else
        found=$((found + 1))
    fi
done <"$work/rows" 2>/dev/null # where the shell says that a test was aborted
echo "mutants: $found of $rows found"
[ "$rows" -gt 0 ] && [ $wrong = 0 ]
