#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The rules of the code base that a script can see: include arrows point down, <mpi.h> stays where it
# belongs, no file above 500 lines, no function above 80. Usage: rules.sh PROJECT-ROOT [FOLDER]
# shellcheck disable=SC2086 # words are split
rules=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
cd "${1:-.}" || exit 2
status=0
fail()
{
    echo "rules: $*"
    status=1
}

# Height of each layer, a folder of src/core, of src (capabilities, plugins, tables) or of apps; an include must point to a
# lower layer or to its own. The layers of pure arithmetic (0) serve everyone and include only one another. lab/ and
# cli/ may see all of them, which see neither. rules/layers looks at the names that are linked, too.
heights='
    0: base shape
    1: kernel schedule model
    2: exact algorithm calibrate
    3: play
    4: select
    5: process
    6: wait
    7: learn
    8: fabric
    9: comm
    10: op
    11: transport
    12: exec
    13: plan
    14: ordered
    15: sum collective
    16: compute
    17: gossip notify outer
    18: matrix
    19: network plugins judge
    20: tables
    21: train'
files=$(find include src apps lab cli test bench examples -name '*.[ch]' 2>/dev/null | sort)
awk -v heights="$(echo $heights)" -f "$rules/rules.awk" $files /dev/null || status=1

# What is built here runs on other processors: instruction sets are chosen at run time (kernel/arch.h).
# Tests of the amalgamation alone do so, as its users may.
native=$(find . \( -path ./build -o -path ./.git -o -path ./test/rules -o -path ./test/cross \) -prune -o -type f \( -name Makefile \
    -o -name CMakeLists.txt -o -name '*.[ch]' -o -name '*.[ch]pp' -o -name '*.cmake' -o -name '*.json' -o -name '*.sh' -o -name '*.py' \
    -o -name '*.in' -o -name '*.toml' \) -exec grep -n 'm\(arch\|cpu\|tune\)=native' {} + | grep -v ':[^:]*:.*\* ')
[ -z "$native" ] || { echo "$native"; false; } ||
    fail 'nothing is compiled for the processor at hand'

# By summand/mpi.h a program of another MPI does not link.
grep -ls '#include <mpi\.h>' include/summand/*.h | grep -v '/mpi\.h$' && fail 'public headers include <summand/mpi.h>, not <mpi.h>'

# Files do not call each other in a circle (circles.awk).
circles=$(awk -f "$rules/circles.awk" $(echo "$files" | grep '^\(src\|apps\|lab\|cli\|bench\)/.*\.c$') /dev/null)
[ -z "$circles" ] || fail "they call each other in a circle: $circles"

# Each source file names the licence in its first three lines.
if [ -f LICENSE ]; then
    unnamed=$(find . \( -path ./build -o -path ./.git \) -prune -o -type f \( -name '*.[ch]' -o -name '*.[ch]pp' -o -name '*.sh' \
        -o -name '*.awk' -o -name '*.cmake' -o -name '*.m' -o -name CMakeLists.txt -o -name Makefile \) -print |
        xargs awk 'FNR == 1 { file[FILENAME] } FNR <= 3 && /SPDX-License-Identifier: BSD-3-Clause/ { delete file[FILENAME] }
            END { for (name in file) print substr(name, 3) }' | sort | tr '\n' ' ')
    [ -z "$unnamed" ] || fail "no line 'SPDX-License-Identifier: BSD-3-Clause' in $unnamed"
fi

# The headings of an algorithm's comment, one a line: the formatter joins lines that are too long.
grep -n '^ \*.*[^ *].* \(When\|Cost\|Restrictions\|Source\): ' \
    $(echo "$files" | grep '^src/\(core/algorithm\|outer/algorithm\|matrix/gemm\)/') /dev/null &&
    fail "algorithms: one heading a line (What, When, Cost, Restrictions, Source)"

# A script that counts failed checks must end by `finish`, which makes them its status.
for script in test/shim/*.sh test/tool/*.sh; do
    ! grep -q '^\. "$(dirname "$0")/common.sh"' "$script" 2>/dev/null || case $script in
    */common.sh | */schedules.sh) ;; # sourced
    *) tail -n 1 "$script" | grep -q '^finish' || fail "$script: its last line is not 'finish', so no failed check is seen" ;;
    esac
done

# What is cited is what is released.
if [ -f CITATION.cff ]; then
    version=$(sed -n 's/^#define SUMMAND_VERSION_\(MAJOR\|MINOR\|PATCH\) //p' include/summand/version.h | paste -sd .)
    grep -qx "version: $version" CITATION.cff || fail "CITATION.cff: the version is $version"
    grep -qx "version = \"$version\"" bindings/python/pyproject.toml || fail "pyproject.toml: the version is $version"
    grep -qF "SONAME = \".so.${version%.*}\"" bindings/python/summand/_library.py || fail "_library.py: the soname of $version"
    ! grep "^Package: libsummand-[a-z]*[0-9.]*$" packaging/recipes/debian/control | grep -v "[a-z]${version%.*}$" | grep "[0-9]" ||
        fail "packaging/recipes/debian: the packages of libraries have the soname of $version in their name"
    lines=$(awk '/^## / { versions++ } versions == 1 { n++ } END { print n + 0 }' NEWS.md)
    [ "$lines" -gt 0 ] && [ "$lines" -le 60 ] || fail "NEWS.md: $lines lines for its first version (1 to 60)"
fi

# An example fits a screen or two, and its head says how to run it and what it prints.
for example in examples/*.*; do
    [ -f "$example" ] || continue
    [ "$(wc -l <"$example")" -le 80 ] || fail "$example: more than 80 lines"
    head -n 12 "$example" | grep -q 'mpirun -np\|&& \./' || fail "$example: its head does not say how to run it"
done

# Pages for users have 200 lines at most, and links between pages lead somewhere (links.awk).
pages=$(find . \( -path ./build -o -path ./.git \) -prune -o -name '*.md' -print | sed 's,^\./,,')
links=$(awk -f "$rules/links.awk" $pages /dev/null | while read -r kind first rest; do
    [ "$kind" = wrong ] && echo "$first $rest"
    [ "$kind" = wrong ] || [ -e "$first" ] || echo "$rest: no file $first"
done)
[ -z "$links" ] || fail "$links"

# Layout, where the formatter is at hand in the version that the style is written for. FOLDER keeps the sums of the
# files that had it, by this formatter in this style: only what has another sum is looked at again.
if command -v clang-format-14 >/dev/null && [ -f .clang-format ]; then
    by=$({ clang-format-14 --version; cat .clang-format; } | cksum)
    # shellcheck disable=SC2046
    sums=$(sha1sum $files $(find include test examples -name '*.[ch]pp' 2>/dev/null))
    seen=${2:+$2/formatted}
    changed=$(echo "$sums" | awk -v seen="$seen" -v by="$by" '
        BEGIN { if (seen != "" && (getline line < seen) > 0 && line == by) while ((getline line < seen) > 0) right[line] }
        !($0 in right) { print $2 }')
    if [ -z "$changed" ] || said=$(clang-format-14 --dry-run -Werror $changed 2>&1); then
        [ -z "$seen" ] || printf '%s\n' "$by" "$sums" >"$seen"
    else
        echo "$said" | grep -m 5 'error:'
        fail "clang-format-14 differs"
    fi
fi

[ $status = 0 ] && echo "rules: $(echo "$files" | wc -l) files keep them"
exit $status
