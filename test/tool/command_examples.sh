#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Every example of every help page runs unchanged, in less than 30 s of processor time. Left out: examples that need a
# user's programs and data.
. "$(dirname "$0")/common.sh"

mkdir bin
ln -s "$SUMMAND" bin/summand
ln -s "$SUMMAND-study" bin/summand-study
printf '#!/bin/sh\nexec "%s" "$@"\n' "$MPIEXEC" > bin/mpirun
chmod +x bin/mpirun
PATH=$work/bin:$PATH

# What the examples read.
summand generate psllh --count 504850 -o data.npy
summand generate psllh --count 2000 -o x.f64 && cp x.f64 y.f64
summand generate psllh --count 1000 -o a.binpsllh
cp data.npy x.npy
cp "$(dirname "$SUMMAND")/test/shim/hostile" app # an MPI program that does not know Summand
sed 's/(504850,), }  /(50485, 10), }/' data.npy > matrix.npy
awk 'BEGIN { for (i = 0; i < 64; i++) print i / 7 }' > numbers.txt
gzip -k numbers.txt
printf 'item,price\nnut,1.5\nbolt,2\n' > table.csv
sed 's/(504850,), }    /(50485, 5, 2), }/' data.npy > cube.npy
python3 -c 'import zipfile; zipfile.ZipFile("results.npz", "w").write("x.npy", "energy.npy")'
awk 'BEGIN { for (i = 0; i < 1024; i++) print i, (i + 1) % 1024 }' > edges.txt
printf 'x,a,b\n1,2,\n2,3,4\n' > times.csv
# Equal files, because 'bench compare' fails if a busy machine made a second measurement slower.
run 2 bench bcast --sizes 8 --budget 0.1 --start barrier --json before.json || fail "before.json: $(cat err)"
cp before.json after.json

# Processor time of all processes that this shell has waited for; a subshell has waited for none.
note_time() { # note_time FILE
    times > "$1"
}

# Seconds between two of them.
seconds_between() {
    awk 'FNR == 2 { gsub(/[ms]/, " "); at = $1 * 60 + $2 + $3 * 60 + $4; spent = FILENAME == ARGV[1] ? -at : spent + at }
        END { print spent }' "$1" "$2"
}

# Lines of the Examples of a page; one that goes on in the next is one.
examples() {
    "$SUMMAND" help "$@" | sed -n '/^Examples:/,/^$/p' | sed -n 's/^  *//p' |
        awk '/\\$/ { sub(/\\$/, ""); printf "%s", $0; next } { print }'
}

ran=0
run_examples() { # run_examples NAME: of a command
    # shellcheck disable=SC2086
    examples $1 > lines
    while read -r line; do
        case $line in *./program* | *'--data mnist'* | 'sh bench/'*) continue ;; esac
        note_time before
        for try in 1 2 3; do # a calibration says so where other tests leave it no processor
            sh -c "$line" < /dev/null > out 2> err && break
            status=$?
            case $status/$line in 1/'summand diff '* | 1/'summand judge '* | 1/*' inject --checked off '*) break ;; esac # they find what they look for
            [ $try = 3 ] || ! grep -q 'with little else to do' err || continue
            fail "'$line': status $status: $(cat err)"
            break
        done
        note_time after
        seconds=$(seconds_between before after)
        [ "${seconds%.*}" -lt 30 ] || fail "'$line': $seconds s of processor time"
        ran=$((ran + 1))
    done < lines
}
each_command 25 run_examples
[ $ran -ge 90 ] || fail "only $ran examples"
finish
