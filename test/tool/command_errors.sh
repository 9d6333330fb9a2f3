#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Each error is reported in one sentence by one rank; every rank ends, with an exit status above 0.
. "$(dirname "$0")/common.sh"

# one_sentence ERR WORDS WHAT: of all ranks
one_sentence() {
    same "$3: sentences" "$(grep -c '^summand' "$1")" 1
    grep '^summand' "$1" | grep -qF -e "$2" || fail "$3: '$(grep '^summand' "$1")' lacks '$2'"
    grep -qi 'MPI_ABORT\|signal\|Segmentation' "$1" && fail "$3: noise: $(cat "$1")"
}

really() { # really RANKS WORDS ARGUMENT...: a launch that fails with one sentence that contains WORDS
    words=$2
    ranks=$1
    shift 2
    run "$ranks" "$@"
    status=$?
    [ $status -ne 0 ] || fail "'$*' on $ranks ranks: exit status 0"
    [ $status -ne 124 ] || fail "'$*' on $ranks ranks: hung"
    one_sentence err "$words" "'$*' on $ranks ranks"
}

wrong() { # wrong WORDS ARGUMENT...: the same of a command line among others in a launch (all_wrong)
    words=$1
    shift
    queue "$@"
    echo "$words" > $line.words
}

all_wrong() { # all_wrong RANKS...: those that wait, in a launch for each number of ranks
    for p in "$@"; do
        launch "$p"
        for number in $(seq $line); do
            what="'$(cat $number.line)' on $p ranks"
            same "$what: ranks with status 0" "$(grep -cx 0 $number.status)" 0
            one_sentence $number.err "$(cat $number.words)" "$what"
            # An unwritable output is reported before the work, not after it.
            grep -q generated $number.out && fail "$what: measures before it says so"
        done
    done
    forget
}

{ echo 10; seq 10; } > good.psllh
"$SUMMAND" generate psllh -n 10 -o good.f64
"$SUMMAND" generate psllh -n 10 -o good.binpsllh
"$SUMMAND" generate psllh -n 10 -o good.npy

# Different words on one rank: that rank reports it, and the status is that of wrong usage. MPICH's launcher waits for
# processes that end without MPI_Init.
others='sum --no-such good.psllh,sum --ranks,sum good.npy,bench allreduce'
"$SUMMAND" info | grep -q 'Open MPI' && others="$others,list --bytes,no-such"
IFS=,
for words in $others; do
    IFS=' '
    # shellcheck disable=SC2086
    timeout $LIMIT "$MPIEXEC" -n 2 "$SUMMAND" sum good.psllh : -n 1 "$SUMMAND" $words > out 2> err
    status=$?
    same "'$words' on one rank: status" $status 2
    case $words in sum* | bench*)
        same "'$words' on one rank: sentences" "$(grep '^summand' err | sed 's/rank 2 has other words than rank 0: .*/it tells/')" \
            "summand $(echo "$words" | sed 's/\( allreduce\).*/\1/; t; s/ .*//'): it tells" ;;
    esac
done
unset IFS

really 3 'missing.npy: No such file' sum missing.npy
really 1 'missing.npy: No such file' sum missing.npy
wrong 'missing.npy: No such file' sum missing.npy
wrong 'missing.npy: No such file' sum good.psllh missing.npy
cp good.f64 good
wrong 'give --format' sum good
wrong 'missing: No such file' sum missing
wrong '.: Is a directory' sum --format f64 .
wrong 'standard input is named 2 times' sum - -
wrong '/dev/zero: not a regular file' sum --format f64 /dev/zero
wrong 'files in pairs' sum --op dot good.f64
head -c 72 good.f64 > nine.f64
wrong 'good.f64 holds 10 values, but nine.f64 holds 9' sum --op dot good.f64 nine.f64

head -c 20 good.f64 > short.f64
head -c 60 good.binpsllh > short.binpsllh
{ cat good.binpsllh; echo; } > long.binpsllh
head -c 5 good.binpsllh > tiny.binpsllh
printf '\377\377\377\377\377\377\377\377' > huge.binpsllh
wrong 'short.f64: its 20 bytes are no multiple of 8' sum short.f64
wrong 'short.binpsllh: 10 values of 8 bytes announced, but the file is too short' sum short.binpsllh
wrong 'long.binpsllh: 10 values of 8 bytes announced, but more follows' sum long.binpsllh
wrong 'tiny.binpsllh: too short' sum tiny.binpsllh
wrong 'too short' sum huge.binpsllh
all_wrong 3

{ echo 10; seq 9; } > short.psllh
{ echo 10; seq 11; } > long.psllh
{ echo ten; seq 10; } > count.psllh
{ echo -3; seq 3; } > negative.psllh
{ echo 10; seq 9; echo 1.5x; } > last.psllh
{ echo 3; echo 1; echo 1e999; echo 3; } > large.psllh
: > empty.psllh
wrong 'short.psllh: line 1 announces 10 values, but 9 follow' sum short.psllh
wrong 'long.psllh: line 1 announces 10 values, but 11 follow' sum long.psllh
wrong "count.psllh: line 1: 'ten' is not a count" sum count.psllh
wrong "negative.psllh: line 1: '-3' is not a count" sum negative.psllh
wrong "last.psllh: line 11: '1.5x' is not a number" sum last.psllh
wrong 'large.psllh: line 3: 1e999 is too large' sum large.psllh
wrong 'empty.psllh: an empty file' sum empty.psllh
printf '3\n1\n1.5\0zzz\n2\n' > zero.psllh
printf '3\0zzz\n1\n1.5\n2\n' > zero_count.psllh
printf '3\n1\n\0\n2\n' > zero_word.psllh
awk 'BEGIN { printf "2\n0."; for (i = 0; i < 3000; i++) printf "0"; print "1e3001\n1" }' > wide.psllh
wrong "zero.psllh: line 3: '1.5?zzz' is not a number" sum zero.psllh
wrong "zero_count.psllh: line 1: '3?zzz' is not a count" sum zero_count.psllh
wrong "zero_word.psllh: line 3: '?' is not a number" sum zero_word.psllh
wrong "wide.psllh: line 2: '0.00000000000000000000000000000000000000' is not a number" sum wide.psllh
all_wrong 1 3 # where the ranks read the text in other pieces

sed 's/<f8/<c7/' good.npy > complex.npy
sed 's/(10,)/(5,2)/' good.npy > matrix.npy
sed 's/(10,)/(11,)/' good.npy > short.npy
sed 's/, }  /, }\x00z/' good.npy > zero.npy
head -c 50 good.npy > cut.npy
wrong "complex.npy: its values are '<c7'; f2, f4, f8" sum complex.npy
wrong '--op: does not go with --columns' sum --columns --op asum matrix.npy
wrong '--method: with --columns exact, naive or all, not tree' sum --columns --method tree matrix.npy
wrong '--axis: does not go with --columns' sum --columns --axis 0 matrix.npy
wrong 'good.f64: its shape is (10,); a matrix, such as (460, 3), expected' sum --columns good.f64
wrong 'short.npy: 11 values of 8 bytes announced' sum short.npy
wrong 'cut.npy: the file ends too early' sum cut.npy
{
    printf '\223NUMPY\002\000\001\000\020\000'
    cat good.npy
} > long.npy
wrong 'long.npy: its .npy header is too long (1048577 bytes)' sum long.npy
wrong 'zero.npy: its .npy header has a byte 0' sum zero.npy
wrong 'good.f64: not an .npy file' sum --format npy good.f64

{ echo 10; seq 8; echo nan; echo 10; } > nan.psllh
{ echo 2; echo -inf; echo 1; } > inf.psllh
wrong 'nan.psllh: NaN-free promise broken: value 8 is nan' sum --no-nan nan.psllh
wrong 'inf.psllh: NaN-free promise broken: value 0 is -inf' sum --no-nan inf.psllh
run 3 sum nan.psllh || fail 'a NaN that nobody promised away'
same 'canonical NaN' "$(awk 'END { print $7 }' out)" 0x7ff8000000000000

wrong "--method: 'foo' is not one of exact|tree|naive|all" sum --method foo good.f64
wrong '--alpha: 2 is not between 0 and 1' sum --alpha 2 good.f64
really 3 '--ranks: 0 is not between 1 and' verify --ranks 0
really 3 '--jobs: 0 is not between 1 and' verify --jobs 0
really 3 'ring: cannot do bcast' verify -a ring -c bcast
really 3 '--gflops: 0 is not above 0' predict train --gflops 0
wrong '--alpha: does not go with --distribution even-lower' sum --alpha 0.1 good.f64
wrong '--foo: no such option' sum --foo good.f64
wrong "--n: '12x' is not a list" bench sum --n 12x
wrong "--terms: '0' is not a list" bench sum --terms 0
wrong "--methods: 'foo' is not one of" bench sum --methods exact,foo
wrong '--budget: 0 is not above 0' bench sum --budget 0
wrong 'missing.f64: No such file' bench sum missing.f64
for option in --csv --json --plot; do
    wrong 'nowhere/x: No such file' bench sum $option nowhere/x
done
wrong 'nowhere/x: No such file' record gather-product -o nowhere/x
all_wrong 3

alone() { # alone WORDS ARGUMENT...: the same without a launcher
    words=$1
    shift
    if timeout $LIMIT "$SUMMAND" "$@" > out 2> err; then
        fail "'$*': exit status 0"
    fi
    grep -qF -e "$words" err || fail "'$*': '$(cat err)' lacks '$words'"
}
alone '--launches: 0 is not between 1 and' bench allreduce --launches 0
alone "--choose: 'nosuch' is not one of" list --choose nosuch
alone "--collective: 'nosuch' is not one of" list -c nosuch
alone "binominal: no such algorithm (did you mean 'binomial'?)" list binominal
alone '-t: no such option' draw -tp 4
alone '-p (--ranks): 0 is not between' verify -p 0
alone 'no such command' foo
alone 'no such command' bench foo
alone 'what to generate' generate
alone "'ps': psllh alone can be generated" generate ps
alone '--quiet: takes no argument, but' verify --quiet=1
alone "--form: 'dubble' is not one of double, single, fixed (did you mean 'double'?)" gossip run --form dubble
study alone "'7x' is not one of the figures 1 to 13" figure 7x
alone '/tmp: Is a directory' sum /tmp
alone "summand sum: '': No such file" sum ''
mkfifo pipe.f64
LIMIT=20 alone 'pipe.f64: not a regular file' sum pipe.f64
alone '/tmp: line 1: Is a directory' gossip run --faults /tmp
alone '/tmp: line 1: Is a directory' predict --model /tmp
alone "neither a known model (did you mean 'node'?)" predict --model nods
alone '--count: -3 is not between 0 and' generate psllh --count -3
alone 'does not tell the format' generate psllh -o foo
alone 'npz: is read, and not written' generate psllh -o foo.npz
alone '--count: 10 is no multiple of 3 columns' generate psllh -n 10 --columns 3 -o x.npy
alone '--columns: a matrix goes to an .npy file, not to psllh' generate psllh -n 9 --columns 3
alone 'No such file' generate psllh -o nowhere/x.npy
alone 'nowhere/x: No such file' predict --plot nowhere/x
alone 'nowhere/x: No such file' gossip run --checkpoint nowhere/x
study alone 'nowhere/x: No such file' rounds --nodes 1k --plot nowhere/x
printf 'network.latency = 1e-6\0zzz\n' > zero.model
alone 'zero.model: line 1: a byte 0' predict --model zero.model
printf '0 1\n1 2\0\n2 0\n' > zero.edges
alone 'something other than pairs' gossip topology --nodes 3 file:zero.edges
alone 'no file given' spread
"$SUMMAND" sum < /dev/null > out 2> err
same 'no file: status' $? 2
grep -q '^summand sum: no file given' err || fail "no file: $(cat err)"
: > nothing
"$SUMMAND" sum < nothing > out 2> err && fail 'an empty input is taken'
grep -q '^summand sum: standard input: it is empty' err || fail "an empty input: $(cat err)"
alone '--plain and --json exclude each other' sum --plain --json good.f64
echo '{}' > empty.json
alone 'not the JSON' spread empty.json
echo '{' > broken.json
alone 'broken.json: this is no JSON (line ' spread broken.json
finish
