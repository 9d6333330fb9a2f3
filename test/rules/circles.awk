# SPDX-License-Identifier: BSD-3-Clause
# Files whose functions call each other in a circle: none can be read, or replaced, without the others.
# awk -f circles.awk FILE.c... prints one circle a line, its files in alphabetical order.
# A file defines the functions that begin at the start of a line and are not static, and calls what it names. Tables
# that list the rows of other files make no circle: what they name are no functions.

FNR == 1 { files[++count] = FILENAME; comment = 0 }
{
    line = $0
    gsub(/"([^"\\]|\\.)*"/, "", line)
    if (comment) {
        if (!sub(/^.*\*\//, "", line)) next
        comment = 0
    }
    gsub(/\/\*[^*]*(\*[^*\/][^*]*)*\*\//, "", line)
    if (sub(/\/\*.*/, "", line)) comment = 1
    sub(/\/\/.*/, "", line)
}
/^[a-z]/ && !/^(static|typedef|extern)/ && line ~ /\(/ { head = line }
/^[a-z]/ && !/^(static|typedef|extern)/ && line !~ /\(/ { head = "" }
/^(static|typedef|extern|#)/ { head = "" }
/^\{/ && head != "" {
    name = head
    sub(/\(.*/, "", name)
    sub(/.*[ *]/, "", name)
    if (name ~ /^[a-z_][a-z_0-9]*$/ && !(name in owner) && name != "main") owner[name] = FILENAME
    head = ""
}
/^[ \t]/ {
    # A type may have the name of a function.
    gsub(/(struct|enum|union)[ \t]+[A-Za-z_0-9]+/, "", line)
    while (match(line, /[A-Za-z_][A-Za-z_0-9]*/)) {
        word = substr(line, RSTART, RLENGTH)
        line = substr(line, RSTART + RLENGTH)
        # Short names may be variables elsewhere.
        if (word ~ /^summand__/ || line ~ /^\(/) used[FILENAME, word] = 1
    }
}
END {
    for (pair in used) {
        split(pair, part, SUBSEP)
        if (part[2] in owner && owner[part[2]] != part[1]) calls[part[1], owner[part[2]]] = 1
    }
    for (pair in calls) {
        split(pair, part, SUBSEP)
        next_of[part[1], ++degree[part[1]]] = part[2]
    }
    for (i = 1; i <= count; i++)
        if (!(files[i] in number)) visit(files[i])
}
# Tarjan 1972.
function visit(file,   k, to, size, list, member, i, j, swap) {
    number[file] = low[file] = ++visited
    stack[++top] = file
    on[file] = 1
    for (k = 1; k <= degree[file]; k++) {
        to = next_of[file, k]
        if (!(to in number)) {
            visit(to)
            if (low[to] < low[file]) low[file] = low[to]
        } else if (on[to] && number[to] < low[file]) {
            low[file] = number[to]
        }
    }
    if (low[file] != number[file]) return
    size = 0
    do {
        member = stack[top--]
        on[member] = 0
        list[++size] = member
    } while (member != file)
    if (size < 2) return
    for (i = 1; i < size; i++)
        for (j = i + 1; j <= size; j++)
            if (list[j] < list[i]) { swap = list[i]; list[i] = list[j]; list[j] = swap }
    member = list[1]
    for (i = 2; i <= size; i++) member = member " " list[i]
    print member
}
