#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# docs/papers.md: its commands run unchanged, it leaves no document out, and each row says what is other here than there.
# With the word `others` the commands run that take minutes, without it the rest; nothing runs that takes hours, or needs
# files of hours.
source_dir=$(cd "$(dirname "$0")/../.." && pwd)
. "$(dirname "$0")/common.sh"
page=$source_dir/docs/papers.md

mkdir bin
ln -s "$SUMMAND" bin/summand
ln -s "$SUMMAND-study" bin/summand-study
printf '#!/bin/sh\nexec "%s" "$@"\n' "$MPIEXEC" > bin/mpirun
chmod +x bin/mpirun
PATH=$work/bin:$PATH
summand generate psllh --count 50000 -o data.npy

# A time in brackets follows the command.
commands() { grep -E '^(mpirun|summand)' | grep -v 'FILE'; }
grep '^| ' "$page" | grep -o '`[^`]*` ([^)]*\(minute\|long\)[^)]*)' | grep -v hour | sed 's/^`//; s/`.*//' | commands > minutes
grep '^| ' "$page" | sed 's/`[^`]*` ([^)]*\(minute\|hour\|long\)[^)]*)//g' | grep -o '`[^`]*`' | tr -d '`' | commands > lines
same 'commands that take minutes' "$(wc -l < minutes)" 4
[ "$(wc -l < lines)" -ge 34 ] || fail "only $(wc -l < lines) commands"
[ "${1:-}" != others ] || mv minutes lines
while read -r line; do
    sh -c "$line" < /dev/null > out 2> err || fail "'$line': $(cat err)"
done < lines
same 'documents' "$(grep -c '^## ' "$page")" 5
awk -F'|' '/^\| / && $4 !~ /^ (here|same|other (size|data|algorithm))[ ,;:]/ { print; bad = 1 } END { exit bad }' "$page" ||
    fail 'a row does not say what is other here'
finish
