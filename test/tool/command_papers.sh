#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# docs/papers.md: its commands run unchanged, but in rows that say how long they take; and it leaves no document out.
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

# Left out: a command before a time in brackets, and what needs files of hours.
grep '^| ' "$page" | sed 's/`[^`]*` ([^)]*\(minute\|hour\|long\)[^)]*)//g' | grep -o '`[^`]*`' | tr -d '`' |
    grep -E '^(mpirun|summand)' | grep -v 'FILE' > lines
while read -r line; do
    sh -c "$line" < /dev/null > out 2> err || fail "'$line': $(cat err)"
done < lines
[ "$(wc -l < lines)" -ge 33 ] || fail "only $(wc -l < lines) commands"
same 'documents' "$(grep -c '^## ' "$page")" 5
finish
