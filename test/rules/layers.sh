#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# What the objects of the library must keep. No layer uses a name that a higher layer defines. Only tables are filled
# from above: lower layers declare them, and src/tables, or whoever links the library, defines them. Nothing ends the
# program or installs a handler. Variables that outlive a call are those of state.txt.
# Usage: layers.sh FILE: each line has a layer and its objects, from the lowest layer to the highest.
nm=${NM:-nm}
rules=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
status=0
while read -r layer objects; do
    # shellcheck disable=SC2086
    $nm -P $objects | awk -v layer="$layer" 'NF > 1 { print layer, $1, $2 }'
done <"$1" | awk '
    !($1 in height) { height[$1] = ++layers }
    $3 ~ /^[TDBRVWC]$/ { home[$2] = $1; names++ }
    $3 == "U" { uses[$1, $2] = 1 }
    END {
        for (use in uses) {
            split(use, part, SUBSEP)
            if (part[2] ~ /^(abort|exit|_exit|_Exit|quick_exit|raise|signal|sigaction|longjmp)$/) {
                print "layers: " part[1] " calls " part[2]
                bad = 1
            }
            if (!(part[2] in home) || height[home[part[2]]] <= height[part[1]]) continue
            if (home[part[2]] ~ /^layer-tables/ && part[2] ~ /^summand__(algorithms|window_transports|registered)$/) { filled++; continue }
            print "layers: " part[1] " uses " part[2] " of " home[part[2]]
            bad = 1
        }
        if (layers < 20 || names < 500 || !filled) { print "layers: only " layers " layers with " names " names"; bad = 1 }
        if (!bad) print "layers: " layers " layers, no name of a higher one"
        exit bad
    }' || status=1

# Constant tables of addresses are written once, by the dynamic linker: .data.rel.ro.
# shellcheck disable=SC2046
${OBJDUMP:-objdump} -t $(cut -d' ' -f2- "$1") | awk -v list="$rules/state.txt" '
    BEGIN {
        while ((getline line < list) > 0) {
            count = line ~ /^#/ ? 0 : split(line, word, /[: ]+/)
            for (i = 2; i <= count; i++) known[word[1], word[i]]
        }
    }
    /file format/ {
        file = $1
        sub(/:$/, "", file)
        sub(/^.*\.dir\/(\.\/)?/, "", file)
        sub(/\.o$/, "", file)
        files++
    }
    / O / && /[ \t]\.(bss|data)/ && !/\.data\.rel\.ro/ && !($NF ~ /^summand_guard_/) {
        name = $NF
        sub(/\.[0-9]+$/, "", name)
        if ((file, name) in known) next
        print "layers: " file " keeps " name ": enter it in state.txt, or make it const"
        bad = 1
    }
    END {
        if (!files) print "layers: objdump shows no file"
        exit bad || !files
    }' || status=1
exit $status
