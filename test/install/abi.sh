#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# What programs are compiled against: prototypes, members of structs with size and offset, values of enums, and macros
# of the public headers, one a line. The test symbols compares it with abi.txt. Usage: abi.sh SOURCE CC
source=$(cd "$1" && pwd) cc=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$source/include" || exit 2
for header in summand.h summand/*.h; do echo "#include <$header>"; done >"$work/all.c"
compile() { "$cc" -std=c11 -I"$source/test/install/abi" -I"$source/include" "$@"; }
# Lines of our own headers alone, as one statement each.
compile -E "$work/all.c" | awk '/^# / { ours = $3 ~ /\/include\/summand/; next } ours' | tr '\n\t' '  ' |
    sed 's/__attribute__ *(([a-z_]*("[a-z]*")))//g; s/extern "C" {//g; s/  */ /g; s/\([({]\) /\1/g; s/ \([),]\)/\1/g' |
    awk '
        # Ends of statements at depth 0.
        { text = $0; depth = 0; word = ""
          for (i = 1; i <= length(text); i++) {
              c = substr(text, i, 1); word = word c
              if (c == "{") depth++
              if (c == "}") depth--
              if (c == ";" && !depth) { sub(/^ +/, "", word); print word; word = "" } } }' >"$work/statements"
awk -v program="$work/layout.c" -v all="$work/all.c" '
    function name_of(member) { # of "const char *name", "int list[4]", "void (*call)(int)"
        if (match(member, /\(\*[a-z_0-9]+\)/)) return substr(member, RSTART + 2, RLENGTH - 3)
        sub(/\[.*/, "", member); sub(/.*[ *]/, "", member); return member }
    BEGIN { while ((getline line <all) > 0) print line >program
            print "#include <stdio.h>\n#include <stddef.h>\nint main(void) {" >program }
    /^typedef struct [a-z_0-9]+ \{/ {
        type = $3; body = $0; sub(/^[^{]*\{/, "", body); sub(/\}[^}]*$/, "", body)
        printf "printf(\"struct %s: %%zu bytes\\n\", sizeof(%s));\n", type, type >program
        count = split(body, members, ";")
        for (m = 1; m <= count; m++) {
            if (members[m] !~ /[a-z]/) continue
            many = split(members[m], parts, ",")
            if (members[m] ~ /\(/) { many = 1; parts[1] = members[m] }
            for (p = 1; p <= many; p++) {
                name = name_of(parts[p]); base = parts[1]
                sub(/ *\**[a-z_0-9]+(\[.*)?$/, "", base); whole = p == 1 ? parts[1] : base " " parts[p]
                gsub(/^ +| +$/, "", whole); gsub(/  +/, " ", whole)
                printf "printf(\"struct %s: %%zu: %s\\n\", offsetof(%s, %s));\n", type, whole, type, name >program } }
        next }
    /^(typedef )?enum [a-z_0-9 ]*\{/ {
        type = $1 == "typedef" ? $3 : $2; if (type ~ /^\{/) type = "without name"
        body = $0; sub(/^[^{]*\{/, "", body); sub(/\}.*$/, "", body)
        count = split(body, words, ",")
        for (w = 1; w <= count; w++) {
            split(words[w], word, "="); gsub(/ /, "", word[1])
            if (word[1] != "") printf "printf(\"enum %s: %s = %%d\\n\", (int)%s);\n", type, word[1], word[1] >program }
        next }
    /^enum / || /^typedef / { print; next }
    { print }
    END { print "}" >program }' "$work/statements" >"$work/list"
compile -o "$work/layout" "$work/layout.c" && "$work/layout" >>"$work/list" || exit 1
compile -E -dM "$work/all.c" | awk '/^#define SUMMAND_[A-Z0-9_]+ / && !/_H *$/ && !/VERSION/ && $2 != "SUMMAND_API"' >>"$work/list"
LC_ALL=C sort "$work/list"
