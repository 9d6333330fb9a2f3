#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Every file that a command writes is written whole or not at all: on a full disk and after a signal, the old file is
# there, and no other. Devices and pipes are written directly.
# The disk is a small tmpfs, if the kernel lets a user mount one.
if [ -z "${DISK:-}" ] && unshare -rm mount -t tmpfs tmpfs /mnt 2> /dev/null; then
    DISK=tmpfs exec unshare -rm sh "$0"
fi
pictures=$(cd "$(dirname "$0")/../../docs/pictures" && pwd)
. "$(dirname "$0")/common.sh"

mkdir disk
if [ -n "${DISK:-}" ]; then
    mount -t tmpfs -o size=4m tmpfs disk || exit 1
    trap 'umount "$work/disk"; rm -rf "$work"' EXIT
else
    echo 'no tmpfs here: a limit on files stands for the full disk, and commands over MPI are left out'
fi
ranks=0 # 0: without a launcher
program=$SUMMAND

beside() { # what lies on the disk
    (cd disk && find . -mindepth 1 ! -name filler ! -type d | sort | tr '\n' ' ')
}

call() {
    if [ $ranks = 0 ]; then
        "$program" "$@"
    else
        timeout $LIMIT "$MPIEXEC" -n $ranks "$SUMMAND" "$@"
    fi
}

full() { # full FILE ARGUMENT...: fails for want of room, and says of what
    file=$1
    shift
    [ -z "${DISK:-}" ] || head -c 8m /dev/zero > disk/filler 2> err
    (
        [ -n "${DISK:-}" ] || { trap '' XFSZ && ulimit -f 0; }
        call "$@" > /dev/null
        echo "status $?" >&2
    ) 2>&1 | cat > err
    rm -f disk/filler
    grep -q '^status 1' err || fail "$*: a full disk is no error"
    grep -q "^summand[a-z-]* .*$file: No space left on device\|^summand[a-z-]* .*$file: File too large\|^summand[a-z-]* .* the checkpoint cannot be written" err ||
        fail "$*: does not say what failed: $(cat err)"
    same "$*: files on the full disk" "$(beside)" "$kept"
}

writes() { # writes FILE ARGUMENT...: the command writes disk/FILE
    file=disk/$1
    kept="./$1 "
    shift
    [ $ranks = 0 ] || [ -n "${DISK:-}" ] || return
    call "$@" > out 2> err || fail "$*: $(cat err)"
    [ -s $file ] || fail "$*: no $file"
    same "$*: files" "$(beside)" "$kept"
    echo '# old' > $file
    full $file "$@"
    [ "$(cat $file | head -n 1)" = '# old' ] || fail "$*: the old file is gone"
    rm $file
}
writes x.f64 generate psllh -n 5000 -o disk/x.f64
writes x.svg draw binomial -o disk/x.svg
writes x.svg predict -p 16 -n 1,10 --plot disk/x.svg
program=$SUMMAND-study
writes x.csv distribution --csv disk/x.csv --ranks 4 --max-n 1k
writes x.svg distribution --plot disk/x.svg --ranks 4 --max-n 1k
program=$SUMMAND
"$SUMMAND" generate psllh -n 100 -o x.f64
run 2 sum --method all --json x.f64 && mv out 2.json
writes x.svg spread --plot disk/x.svg 2.json
ranks=2
writes x.json bench sum --n 100 --budget 0.1 --json disk/x.json
writes x.csv bench sum --n 100 --budget 0.1 --csv disk/x.csv
writes x.svg bench sum --n 100 --budget 0.1 --plot disk/x.svg
writes x.txt tune --budget 0.1 --collectives bcast --least 8 --most 8 -o disk/x.txt
ranks=0

# Checkpoints: the previous state stays, and a run can resume from it.
resumes() { # resumes LESS MORE ARGUMENT...: a run that is saved with the words LESS, and goes on with MORE
    less=$1 more=$2
    shift 2
    kept='./state '
    "$SUMMAND" "$@" $less --checkpoint disk/state > out || fail "$*"
    same "$*: files" "$(beside)" "$kept"
    cp disk/state state
    full disk/state "$@" --checkpoint disk/state $more
    cmp -s state disk/state || fail "$*: the state is another one"
    rm disk/state
}
program=$SUMMAND-study
study resumes '--most 3' '--most 4' rounds --nodes 1k
program=$SUMMAND
resumes '--eps 1e-6' '--eps 1e-13' gossip run --algorithm pflc --form double --nodes 64

# Folders of files.
"$PAGES" manual -o disk/man || fail 'manual'
kept=$(beside)
for page in disk/man/man*/*; do
    echo old > "$page"
done
program=$PAGES
full disk/man/man1/summand.1 manual -o disk/man
same 'pages' "$(cat disk/man/man*/* | sort -u)" old
rm -r disk/man
mkdir disk/pictures
for picture in "$pictures"/*.svg; do # which it writes (command_docs)
    echo old > disk/pictures/"${picture##*/}"
done
kept=$(beside)
full disk/pictures/predict-reduce.svg algorithms --pictures disk/pictures
program=$SUMMAND
same 'pictures' "$(cat disk/pictures/* | sort -u)" old
rm -r disk/pictures
"$SUMMAND-study" figure 7 --quick --output disk > out || fail 'figure'
kept=$(beside)
same 'files of a figure' "$kept" './figure7.csv ./figure7.svg '
echo old > disk/figure7.csv
echo old > disk/figure7.svg
program=$SUMMAND-study
full disk/figure7.part figure 7 --quick --output disk
program=$SUMMAND
same 'results of a figure' "$(cat disk/figure7.*)" "$(printf 'old\nold')"
rm disk/figure7.*
# Computed results are kept until they are written.
mkdir disk/figure7.csv
"$SUMMAND-study" figure 7 --quick --output disk > out 2> err && fail 'a figure without its CSV'
same 'what is left of it' "$(beside)" './figure7.part '
rm -r disk/figure7.*

# A signal during a write that takes many seconds; not on the small disk, which would end it.
mkdir large
for signal in TERM KILL; do
    echo old > large/x.f64
    "$SUMMAND" generate psllh -n 256m -o large/x.f64 &
    writer=$!
    until [ -e /proc/$writer/fd/3 ] || ! kill -0 $writer; do
        sleep 0.01
    done 2> err
    kill -$signal $writer || fail 'the command had ended before it was killed'
    wait $writer 2> err
    [ "$(wc -c < large/x.f64)" = 4 ] || fail "$signal: the old file is gone"
    same "files after $signal" "$(cd large && find . -type f)" './x.f64'
done

# Outputs that are no regular files; and the same file as standard output.
count() { # count PATH: lines that reach a pipe
    "$SUMMAND" generate psllh -n 9 -f psllh -o "$1" | wc -l
}
for path in - /dev/stdout /dev/fd/1 /proc/self/fd/1; do
    same "$path" "$(count $path)" 10
    (echo first && "$SUMMAND" generate psllh -n 9 -f psllh -o $path && echo last) > log
    same "$path in a file" "$(sed -n '1p;$p' log | tr '\n' ' ')$(wc -l < log)" 'first last 12'
done
# A file that another process has open: it is checked before the work, and unchanged until the first write.
exec 7> kept
echo old >&7
sleep 100 & # has it open, too
holder=$!
exec 7>&-
"$SUMMAND" draw no-such -o /proc/$holder/fd/7 2> err && fail 'an algorithm that there is not'
same 'a file of another process, after wrong words' "$(cat kept)" old
"$SUMMAND" draw binomial -o /proc/$holder/fd/7 || fail 'a file of another process'
head -c 4 kept | grep -q '<svg' || fail "a file of another process: $(head -c 40 kept)"
kill $holder
run 2 bench sum --n 100 --budget 0.1 --methods exact,naive --json /dev/stdout || fail 'JSON on stdout'
tail -n 1 out | grep -q '^{.*"results":' || fail 'no JSON on stdout'
"$SUMMAND" draw binomial -o /dev/null || fail '/dev/null'
[ -c /dev/null ] || fail '/dev/null is no device any more'
for command in 'draw binomial' 'list' 'predict -p 16 -n 1' 'info' 'info --json' 'generate psllh'; do
    "$SUMMAND" $command > /dev/full 2> err && fail "$command: a full screen is no error"
    grep -q '^summand .*standard output: ' err || fail "$command: $(cat err)"
done
"$SUMMAND" draw binomial -o /dev/full 2> err && fail '/dev/full'
grep -q 'No space left' err || fail "/dev/full: $(cat err)"
finish
