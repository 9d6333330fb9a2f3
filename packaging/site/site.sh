#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The pages as a site of files that need no server and nothing from elsewhere: README, docs/, the examples, and the manual
# pages of all calls, commands and variables as reference. Needs mkdocs and mandoc (packages.txt, group site).
# Usage: site.sh PAGES FOLDER; PAGES: summand-pages of a build; the site is FOLDER/site/index.html
set -eu
command -v mandoc >/dev/null && command -v mkdocs >/dev/null || { echo 'site: needs mandoc and mkdocs' >&2; exit 1; }
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
source=$(dirname "$(dirname "$here")")
program=$(realpath "$1")
mkdir -p "$2"
folder=$(cd "$2" && pwd)
rm -rf "$folder/pages" "$folder/site" "$folder/man"
mkdir "$folder/pages" "$folder/pages/reference"
cd "$folder/pages"
cp -r "$source/docs" "$source/examples" "$source/NEWS.md" "$source/CONTRIBUTING.md" "$source/SECURITY.md" "$source/LICENSE" .
rm -rf docs/printed
mkdir include
cp -r "$source/include/summand" include
cp "$source/README.md" index.md
# Files of the source to which a page leads.
grep -rhoE '\]\((\.\./)*(cli|src|bench|test|packaging)/[^)#]*' docs CONTRIBUTING.md | sed 's/.*(\(\.\.\/\)*//' | sort -u | while read -r file; do
    mkdir -p "$(dirname "$file")"
    cp -r "$source/$file" "$file"
done
cp "$here/style.css" .
find . -name '*.md' -exec sed -i 's/<!--[^>]*-->//g' {} +

# A folder is no page: its index is. README is the site's first page.
find . -name '*.md' -exec sed -i 's,](\(\(\.\./\)*\)examples/*),](\1examples/index.md),g; s,](\(\(\.\./\)*\)include/summand/*),](\1reference/index.md),g
    s,\[\([^]]*\)\](data/[a-z]*/*),\1,g' {} +
sed -i 's,](\.\./README\.md,](../index.md,g' docs/*.md
sed -i 's,](\.\./\.\./README\.md,](../../index.md,g' docs/*/*.md
sed -i 's,](README\.md,](index.md,g' ./*.md

# The examples with their source.
{
    echo '# Examples'
    for file in examples/*.*; do
        name=${file##*/}
        case $name in *.md) continue ;; esac
        printf '\n## %s\n\n```\n' "$name"
        cat "$file"
        printf '```\n'
    done
} >index_of_examples
mv index_of_examples examples/index.md

# The manual, as mandoc makes it; a link of a page leads to another page.
"$program" manual -o "$folder/man" --headers "$source/include/summand"
{
    echo '# Reference'
    for part in '3 Calls' '7 Environment' '1 Commands'; do
        printf '\n## %s\n\n' "${part#* }"
        grep -L '^\.so' "$folder/man/man${part%% *}"/* | while IFS= read -r page; do
            name=$(basename "$page")
            name=${name%.*}
            echo "- [$name](man${part%% *}/$name.md): $(sed -n '/^\.SH NAME/{n;s/.* \\- //p;}' "$page" | sed 's/\\-/-/g; s/\\&//g')"
            mkdir -p "reference/man${part%% *}"
            {
                printf '# %s(%s)\n\n<div class="manual">\n' "$name" "${part%% *}"
                # mandoc ends a line twice before an indented one; an empty line would end the block of HTML.
                mandoc -T html -O 'fragment,man=../man%S/%N.html' "$page" >"$folder/one"
                sed '/^<br\/>$/d; s/^$/\&#8203;/' "$folder/one"
                echo '</div>'
            } >"reference/man${part%% *}/$name.md"
        done
    done
} >reference/index.md
rm "$folder/one"
cp "$here/mkdocs.yml" "$folder"
cd "$folder"
mkdocs build --quiet --strict --config-file mkdocs.yml
rm site/404.html # for a server that has the site at its root
echo "$folder/site/index.html"
