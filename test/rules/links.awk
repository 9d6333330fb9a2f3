# SPDX-License-Identifier: BSD-3-Clause
# Pages of Markdown: a user's page (docs/*.md, but the catalogue that `make docs` writes) has at most 200 lines, and a
# link to a page's heading finds that heading. Prints "file FILE PAGE" for each linked file, for the caller to look at,
# and "wrong COMPLAINT".
FNR == 1 { inside = 0; page[FILENAME] }
/^```/ { inside = !inside; next }
FILENAME ~ /^docs\/[^\/]*\.md$/ && FILENAME != "docs/algorithms.md" && FNR == 201 { print "wrong " FILENAME ": 200 lines at most" }
!inside && /^#+ / { heading[FILENAME "#" anchor($0)] }
!inside {
    for (rest = $0; match(rest, /\]\([^) ]+\)/); rest = substr(rest, RSTART + RLENGTH)) {
        target = substr(rest, RSTART + 2, RLENGTH - 3)
        if (target !~ /^[a-z]+:/)
            link[FILENAME " " target]
    }
}

# As GitHub makes it: small letters, without punctuation, with hyphens for blanks.
function anchor(line)
{
    sub(/^#+ /, "", line)
    line = tolower(line)
    gsub(/[^a-z0-9_ -]/, "", line)
    gsub(/ /, "-", line)
    return line
}

function resolved(from, to,    folder, part, n, i, out, depth, kept)
{
    folder = from
    if (!sub(/[^\/]*$/, "", folder))
        folder = ""
    n = split(folder to, part, "/")
    depth = 0
    for (i = 1; i <= n; i++)
        if (part[i] == "..")
            depth--
        else if (part[i] != "" && part[i] != ".")
            kept[++depth] = part[i]
    for (i = 1; i <= depth; i++)
        out = out (i > 1 ? "/" : "") kept[i]
    return out
}

END {
    for (l in link) {
        split(l, part, " ")
        n = split(part[2], half, "#")
        to = half[1] == "" ? part[1] : resolved(part[1], half[1])
        print "file " to " " part[1]
        if (n > 1 && to in page && !((to "#" half[2]) in heading))
            print "wrong " part[1] ": no heading for " part[2]
    }
}
