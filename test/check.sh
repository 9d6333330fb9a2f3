#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Builds and tests everything that this machine can build: each MPI, the parts without MPI under sanitizers, the tests
# of threads under ThreadSanitizer (with Open MPI), and, with the long tests, the simulated MPI if SimGrid is
# installed. Parts left out for a missing library are reported; with CI set they are errors. The last lines name the
# failures of each preset with failures, and then say "N passed, N failed". PRESETS, JOBS (cores) and TARGETS may be
# set; ONCE=second: the first preset leaves out what another MPI has tested. Arguments go to ctest (-R sums). `make
# check` leaves out tests labelled long and longest (-LE long), `make check-all` the longest ones (-LE longest), `make
# check-long` none. After the word `minutes` only the minutes that it takes are printed (`make help`).
cd "$(dirname "$0")/.." || exit 2
JOBS=${JOBS:-$(nproc)}
passed=0
failed=0
report=
tested_once='^(unit|rules|cross|alone)/'
once=${ONCE:+$tested_once}
begin=$(date +%s)

# expected PRESET WORDS-OF-CTEST: seconds on two cores: build, test. Of the MPIs, the first one runs more.
expected()
{
    case $1/$2/${once:+second} in
    openmpi/-LE\ long/second | mpich/-LE\ long/second | abi/-LE\ long/*) echo 65 120 ;;
    openmpi/-LE\ long/ | mpich/-LE\ long/ | mpi/-LE\ long/) echo 85 450 ;;
    openmpi/*/second | mpich/*/second | abi/*) echo 65 400 ;;
    openmpi/* | mpich/* | mpi/*) echo 85 1450 ;;
    asan/-LE\ long/*) echo 55 65 ;;
    asan/*) echo 55 160 ;;
    tsan/*) echo 30 60 ;;
    smpi/*) echo 30 10 ;;
    *) echo 60 1000 ;;
    esac
}

# minutes WORDS-OF-CTEST: of all PRESETS on two cores.
minutes()
{
    seconds=0
    for preset in $PRESETS; do
        both=$(expected "$preset" "$*")
        seconds=$((seconds + ${both% *} + ${both#* }))
        case $preset in asan | tsan | smpi) ;; *) once=second ;; esac
    done
    echo $(((seconds + 59) / 60))
}

# fails NUMBER WORDS: counts a failure, and repeats it at the end.
fails()
{
    failed=$((failed + $1))
    report="$report
FAILED $2"
}

# Files with compiler warnings, and tests that CTest lists as failed, in one line.
files_of_warnings()
{
    sed -n 's/^\([^ :]*\):[0-9:]* warning:.*/\1/p; t
        s/.*warning:.*/(see the log)/p' "$1" | sed "s|^$PWD/||" | sort -u | tr '\n' ' '
}

# tests_that_failed LOG EXCEPT
tests_that_failed()
{
    sed -n '/^The following tests FAILED/,$ s/^[ \t]*[0-9]* - \(.*\)/\1/p' "$1" | while read -r test how; do
        case " $(echo "$2" | tr '\n' ' ') " in *" $test "*) ;; *) printf '%s %s ' "$test" "$how" ;; esac
    done
}

# again LOG: tests of LOG that failed or timed out and are labelled timed (test/CMakeLists.txt) run once more, one by
# one, because a busy machine is the likeliest cause. Prints the names of those that pass now. Crashed tests are not
# repeated.
again()
{
    ctest -N -L '^timed$' | sed -n 's/^ *Test *#[0-9]*: //p' >timed.txt
    : >again.log
    for test in $(sed -n '/^The following tests FAILED/,$ s/^[ \t]*[0-9]* - \([^ ]*\) (\(Failed\|Timeout\))/\1/p' "$1"); do
        grep -Fqx "$test" timed.txt && ctest --output-on-failure -R "^$test\$" >>again.log 2>&1 && echo "$test"
    done
}

sanitizers_work()
{
    echo 'int main(void) { return 0; }' >build/try.c &&
        ${CC:-cc} -fsanitize="$1" build/try.c -o build/try >/dev/null 2>&1 && { build/try || setarch -R build/try; } 2>/dev/null
}

if [ "${1:-}" = minutes ]; then
    shift
    PRESETS=${PRESETS:-$(sh packaging/mpis.sh | tr '\n' ' ')asan tsan}
    minutes "$@"
    exit
fi

mkdir -p build
if [ -z "${PRESETS:-}" ]; then
    PRESETS=$(sh packaging/mpis.sh | tr '\n' ' ')
    if sanitizers_work address,undefined; then PRESETS="${PRESETS}asan "; else echo "== asan: left out, $(${CC:-cc} \
        --version | head -n 1) has no sanitizers"; fi
    case $PRESETS in
    *openmpi*) if sanitizers_work thread; then PRESETS="${PRESETS}tsan "; else echo "== tsan: left out, it does not run here"; fi ;;
    *) echo '== tsan: left out, Open MPI is not here' ;;
    esac
    if [ -z "${CI:-}" ] && [ "$*" = '-LE long' ]; then # its build takes a minute for two tests
        echo '== smpi: left to make check-all'
    elif command -v smpicc >/dev/null && command -v smpirun >/dev/null; then
        PRESETS="${PRESETS}smpi "
    else
        echo '== smpi: left out, SimGrid is not here'
    fi
    if [ -n "${CI:-}" ]; then
        sh packaging/packages.sh check test || fails 1 'packages: some that are tested with are missing'
    else
        sh packaging/packages.sh check 'test?'
    fi
fi
all=OFF
[ -z "${CI:-}" ] || all=ON
echo "== Builds and tests: $PRESETS- about $(minutes "$@") minutes on two cores"

for preset in $PRESETS; do
    log=build/check-$preset.log
    echo "== $preset: builds in build/$preset, about $(expected "$preset" "$*" | cut -d' ' -f1) s"
    targets=${TARGETS:-}
    [ "$preset" != tsan ] || targets=tests-of-threads
    # The second MPI skips, and does not build, tests that the first one alone runs (test/CMakeLists.txt).
    skip_label=
    only_once=ON
    case $once/$preset/$* in
    ?*/mpich/'-LE long'* | ?*/openmpi/'-LE long'* | ?*/mpi/'-LE long'* | ?*/abi/'-LE long'*)
        skip_label="$2|_once"
        only_once=OFF ;;
    esac
    # shellcheck disable=SC2086
    if ! OPTIONS="-DSUMMAND_TESTS_ALL=$all -DSUMMAND_TESTS_ONCE=$only_once" JOBS=$JOBS sh packaging/build.sh "$preset" $targets; then
        fails 1 "$preset: does not build (log: build/$preset.log)"
        continue
    fi
    sed -n "s/^-- Tests left out/== $preset: tests left out/p" "build/$preset.log"
    if grep -q 'warning:' "build/$preset.log"; then
        grep -A3 'warning:' "build/$preset.log"
        fails 1 "$preset: warnings in $(files_of_warnings "build/$preset.log")(log: build/$preset.log)"
    fi
    echo "== $preset: runs its tests, about $(expected "$preset" "$*" | cut -d' ' -f2) s (log: $log)"
    start=$(date +%s)
    # Parts without MPI are tested with one MPI; compiled ones under sanitizers too.
    skip=$once
    [ "$preset" != asan ] || skip=${once:+^(rules|cross)/}
    # Slots: four per core, and two more for tests that sleep (test/CMakeLists.txt).
    places=$((4 * JOBS + 2))
    # Open MPI's launchers remove their common folder when it is empty, perhaps while another launcher creates its own
    # in it. So it is never empty.
    mkdir -p -m 700 "${TMPDIR:-/tmp}/ompi.$(uname -n | cut -d. -f1).$(id -u)/summand" || true
    (if [ -n "$skip_label" ]; then shift 2; set -- -LE "$skip_label" "$@"; fi
    cd "build/$preset" && ctest -j $places --output-on-failure ${skip:+-E "$skip"} "$@") 2>&1 | tee "$log" |
        grep -v '^ *[0-9/]* Test.*Passed\|^ *Start \|^Test project\|^ *$\|^Label Time\|sec\*proc\|^Total Test'
    case $preset in asan | tsan | smpi) ;; *) once=$tested_once ;; esac
    total=$(sed -n 's/.*tests passed, [0-9]* tests* failed out of \([0-9]*\).*/\1/p' "$log")
    bad=$(sed -n 's/.*tests passed, \([0-9]*\) tests* failed out of.*/\1/p' "$log")
    if [ -z "$total" ]; then
        fails 1 "$preset: no test ran (log: $log)"
    else
        alone=$([ "$bad" = 0 ] || (cd "build/$preset" && again "../../$log"))
        for test in $alone; do
            bad=$((bad - 1))
            report="$report
RETRIED $preset: $test passed alone, not beside others (log: $log)"
        done
        echo "== $preset: $((total - bad)) passed, $bad failed in $(($(date +%s) - start)) s"
        passed=$((passed + total - bad))
        [ "$bad" = 0 ] || fails "$bad" "$preset: $(tests_that_failed "$log" "$alone")(log: $log)"
    fi
done
echo "== $(($(date +%s) - begin)) s in all"
[ -z "$report" ] || echo "${report#?}"
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
