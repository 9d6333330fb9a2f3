#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# No object of a layer uses a name that a higher layer defines. Only tables are filled from above: the core declares
# them, and src/tables, or whoever links the library, defines them.
# Usage: layers.sh FILE: each line has a layer and its objects, from the lowest layer to the highest.
nm=${NM:-nm}
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
            if (!(part[2] in home) || height[home[part[2]]] <= height[part[1]]) continue
            if (home[part[2]] ~ /^layer-tables/ && part[2] ~ /^summand__(algorithms|window_transports|registered)$/) { filled++; continue }
            print "layers: " part[1] " uses " part[2] " of " home[part[2]]
            bad = 1
        }
        if (layers < 20 || names < 500 || !filled) { print "layers: only " layers " layers with " names " names"; bad = 1 }
        if (!bad) print "layers: " layers " layers, no name of a higher one"
        exit bad
    }'
