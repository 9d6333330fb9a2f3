# SPDX-License-Identifier: BSD-3-Clause
# What commands print into pages (docs/printed) is what they print now; `make docs` brings it up to date. Every picture is
# shown, every figure names the command that draws it, and command lines have options that there are.
source_dir=$(cd "$(dirname "$0")/../.." && pwd)
. "$(dirname "$0")/schedules.sh"
mkdir new
sh "$source_dir/docs/printed/make.sh" "$work/new" 2>places || fail "docs/printed/make.sh: $(cat places)"
(cd new && find . -type f) | sed 's,^\./,,' >made
[ "$(wc -l <made)" -ge 100 ] || fail "only $(wc -l <made) files were made"
while read -r file; do
    cmp -s "new/$file" "$source_dir/$file" || {
        diff "$source_dir/$file" "new/$file" | head -n 10 >&2
        fail "$file: run make docs: $(grep "^$file:" places)"
    }
done <made
for picture in "$source_dir"/docs/pictures/*.svg; do
    name=$(basename "$picture")
    [ -e "new/docs/pictures/$name" ] || fail "docs/pictures/$name: nothing makes it"
    grep -q "(pictures/$name)" new/docs/algorithms.md || fail "docs/pictures/$name: is nowhere shown"
done

# The section that shows a figure has the command that draws it: a line of code, or a comment under the figure.
awk 'function finish() { if (shown != "" && !command) print file ": the section of" shown " names no command"
                         shown = ""; command = 0; file = FILENAME }
     FNR == 1 || /^#+ / { finish() }
     /^    [^ ]/ || /^\$ / || /^<!-- drawn by.*: .* -->$/ { command = 1 }
     match($0, /\]\([^)]*figures\/[^)]*\.svg\)/) { name = substr($0, RSTART, RLENGTH - 1); sub(/.*\//, "", name)
                                                    shown = shown " " name; print "shown " name }
     END { finish() }' "$source_dir"/docs/*.md "$source_dir"/docs/*/*.md >figures
grep -v '^shown' figures && fail "figures without a command"
for figure in "$source_dir"/docs/figures/*; do
    grep -qx "shown $(basename "$figure")" figures || fail "docs/figures/$(basename "$figure"): no page shows it"
done

# Command lines in pages have options that there are, and the README names every command.
"$SUMMAND" help --json >summand.json && "$SUMMAND-study" help --json >summand-study.json || fail "help --json"
python3 "$source_dir/test/tool/page_options.py" summand.json summand-study.json "$source_dir"/*.md "$source_dir"/docs/*.md \
    "$source_dir"/docs/*/*.md >options || fail "page_options.py"
grep 'no option' options >&2 && fail "options of commands in pages"
[ "$(tail -n 1 options)" -ge 300 ] || fail "only $(tail -n 1 options) options in pages"
named() { # named NAME INDEX: of a command
    case $1 in help | version) return ;; esac
    grep -q "\`${1%% *}\`" "$source_dir/README.md" || fail "README.md does not name the command '$1'"
}
each_command 25 named
finish
