#!/bin/sh
# The rules of the code base that a script can see: include arrows point down, <mpi.h> stays where it
# belongs, no file above 500 lines, no function above 80. Usage: rules.sh PROJECT-ROOT
rules=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
cd "${1:-.}" || exit 2
status=0
fail()
{
    echo "rules: $*"
    status=1
}

# Height of each layer of src/; an include must point to a lower layer or to its own. The layers of pure
# arithmetic (0) serve everyone and include only one another. lab/ and cli/ may see all of src/, which sees
# neither of them.
height_of()
{
    case $1 in
    base | shape) echo 0 ;;
    kernel | schedule | model) echo 1 ;;
    exact | algorithm | calibrate) echo 2 ;;
    select) echo 3 ;;
    comm) echo 4 ;;
    op) echo 5 ;;
    transport) echo 6 ;;
    exec) echo 7 ;;
    plan) echo 8 ;;
    ordered) echo 9 ;;
    sum | collective | gossip | notify | outer) echo 10 ;;
    matrix) echo 11 ;;
    api) echo 12 ;;
    train) echo 13 ;;
    *) echo unknown ;;
    esac
}

files=$(find include src lab cli test bench -name '*.[ch]' 2>/dev/null | sort)
for file in $(find src -name '*.[ch]' | sort); do
    layer=${file#src/}
    layer=${layer%%/*}
    height=$(height_of "$layer")
    [ "$height" = unknown ] && fail "$file: layer $layer has no height in test/rules/rules.sh" && continue
    for target in $(sed -n 's/^#include "\([a-z0-9_]*\)\/.*/\1/p' "$file"); do
        to=$(height_of "$target")
        [ "$to" = unknown ] && fail "$file includes unknown layer $target" && continue
        [ "$target" = "$layer" ] || [ "$to" -lt "$height" ] ||
            fail "$file includes \"$target/...\": the arrow runs up"
    done
    case $layer in
    base | shape | kernel | calibrate | exact | schedule | model | algorithm | select | exec)
        grep -Hn '#include <mpi.h>\|#include <summand/\(sum\|error\|ordered\).h>' "$file" &&
            fail "$file: layer $layer must not know MPI" ;;
    esac
    # State machines and simulators know no MPI; what runs them over MPI has a folder of its own.
    case $file in
    src/gossip/mpi/* | src/matrix/mpi/* | src/train/mpi/*) ;;
    src/gossip/* | src/matrix/* | src/train/*)
        grep -Hn '#include <mpi.h>\|#include "\(comm\|transport\|plan\|matrix/mpi\|train/mpi\)/' "$file" &&
            fail "$file: what is not in a folder mpi must not know MPI" ;;
    esac
    # One file speaks, and one asks for the rank of the one who may. printf(3) into strings is free.
    case $file in
    src/base/warning.c) ;;
    *) grep -Hnw 'stderr\|stdout\|printf\|puts\|perror' "$file" | grep -v ': \*\|/\*\|"[^"]*stderr\|format(printf' &&
        fail "$file: the library prints nothing but the warnings of base/warning.c" ;;
    esac
    case $file in
    src/comm/world_root.c | src/transport/window/gpi2_start.c) ;; # GASPI's processes are those of the world
    *) grep -Hn '[(, ]MPI_COMM_WORLD[),;]' "$file" | grep -v ':[^:]*:[ /]\*' &&
        fail "$file: MPI_COMM_WORLD is the program's, not the library's" ;;
    esac
    # What the MPI may call back must stay in memory.
    case $file in
    src/comm/callbacks.c) ;;
    *) grep -Hn 'MPI_\(Op_create\|[A-Za-z]*_create_\(keyval\|errhandler\)\|Grequest_start\|Register_datarep\)\>' "$file" |
        grep -v ':[^:]*:[ /]\*' && fail "$file: comm/callbacks.c gives the MPI functions to call back" ;;
    esac
    # The executor sees the transports' common header alone.
    if [ "$layer" = exec ] || [ "$layer" = schedule ]; then
        grep -Hn '#include "transport/' "$file" | grep -v 'exec/[a-z]*\.h:.*transport/transport.h' &&
            fail "$file: only the executor sees a transport"
    fi
done

# What proves and simulates knows nothing of the command, and no MPI but in folders called mpi.
for file in $(find lab -name '*.[ch]' 2>/dev/null | sort); do
    grep -Hn '#include "cli/' "$file" && fail "$file: lab must not know the command"
    case $file in
    */mpi/*) continue ;;
    esac
    grep -Hn '#include <mpi.h>\|#include "\(comm\|transport\|plan\|ordered\|sum\|collective\|api\|matrix/mpi\)/\|#include "lab/.*/mpi/' "$file" &&
        fail "$file: lab must not know MPI"
done

# jansson's own calls return NULL for text that is no UTF-8 and numbers that are not finite, and leave out NULL.
grep -rn 'json_\(pack\|string\|real\)(' --include='*.[ch]' cli bench | grep -v '^cli/common/json\.[ch]:' &&
    fail 'the command builds JSON by json_make, json_text and json_finite (cli/common/json.h)'

for file in $files; do
    lines=$(wc -l <"$file")
    [ "$lines" -le 500 ] || fail "$file has $lines lines (500 at most)"
    # In this layout a function's body is between a '{' and a '}' at the beginning of a line.
    awk -v file="$file" '
        /^\{/ { start = NR }
        /^\}/ { if (start && NR - start + 1 > 80) {
                    printf "rules: %s:%d: function of %d lines (80 at most)\n", file, start,
                           NR - start + 1; bad = 1 }
                start = 0 }
        /\\$/ { if (!run) run = NR }
        !/\\$/ { if (run && NR - run + 1 > 80) {
                    printf "rules: %s:%d: macro of %d lines (80 at most)\n", file, run,
                           NR - run + 1; bad = 1 }
                run = 0 }
        END { exit bad }' "$file" || status=1
done

# What is built here runs on other processors: instruction sets are chosen at run time (kernel/arch.h).
grep -rn 'm\(arch\|cpu\|tune\)=native' --include=CMakeLists.txt --include='*.cmake' --include='*.json' --include='*.[ch]' \
    CMakeLists.txt CMakePresets.json cmake src lab bench cli test packaging 2>/dev/null | grep -v ':[^:]*:.*\* ' &&
    fail 'nothing is compiled for the processor at hand'

# Files do not call each other in a circle (circles.awk).
circles=$(awk -f "$rules/circles.awk" $(echo "$files" | grep '^\(src\|lab\|cli\|bench\)/.*\.c$') /dev/null)
[ -z "$circles" ] || fail "they call each other in a circle: $circles"

# The headings of an algorithm's comment, one a line: the formatter joins lines that are too long.
grep -rn '^ \*.*[^ *].* \(When\|Cost\|Restrictions\|Source\): ' src/algorithm 2>/dev/null &&
    fail "src/algorithm: one heading a line (What, When, Cost, Restrictions, Source)"

# What is cited is what is released (trees of the rules' own tests have neither).
if [ -f CITATION.cff ]; then
    version=$(sed -n 's/^#define SUMMAND_VERSION_\(MAJOR\|MINOR\|PATCH\) //p' include/summand/version.h | paste -sd .)
    grep -qx "version: $version" CITATION.cff || fail "CITATION.cff: the version is $version"
    lines=$(awk '/^## / { versions++ } versions == 1 { n++ } END { print n + 0 }' NEWS.md)
    [ "$lines" -gt 0 ] && [ "$lines" -le 60 ] || fail "NEWS.md: $lines lines for its first version (1 to 60)"
fi

# Layout, where the formatter is at hand in the version that the style is written for.
if command -v clang-format-14 >/dev/null && [ -f .clang-format ]; then
    clang-format-14 --dry-run -Werror $files 2>&1 | grep -m 5 'error:' && fail "clang-format-14 differs"
fi

[ $status = 0 ] && echo "rules: $(echo "$files" | wc -l) files keep them"
exit $status
