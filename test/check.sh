#!/bin/sh
# Builds and tests everything: both MPIs, the parts without MPI under sanitizers, and the simulated MPI
# where SimGrid is installed. The last line is "N passed, N failed". PRESETS and JOBS may be set;
# arguments go to ctest (-R sums, -L quick).
cd "$(dirname "$0")/.." || exit 2
JOBS=${JOBS:-$(nproc)}
passed=0
failed=0
mkdir -p build
if command -v smpicc >/dev/null && command -v smpirun >/dev/null; then
    presets='openmpi mpich asan smpi'
else
    presets='openmpi mpich asan'
    [ -n "${PRESETS:-}" ] || echo "== smpi: left out, SimGrid is not here (Debian: libsimgrid-dev)"
fi
for preset in ${PRESETS:-$presets}; do
    log=build/check-$preset.log
    echo "== $preset: build"
    if ! { cmake --preset "$preset" && cmake --build --preset "$preset" -j "$JOBS"; } >"$log" 2>&1; then
        tail -n 40 "$log"
        echo "== $preset: does not build (see $log)"
        failed=$((failed + 1))
        continue
    fi
    if grep -q 'warning:' "$log"; then
        grep -A3 'warning:' "$log"
        echo "== $preset: warnings"
        failed=$((failed + 1))
    fi
    echo "== $preset: test"
    ctest --test-dir "build/$preset" -j "$JOBS" --output-on-failure "$@" 2>&1 | tee "$log" |
        grep -v '^ *[0-9/]* Test.*Passed\|^ *Start '
    total=$(sed -n 's/.*tests passed, [0-9]* tests* failed out of \([0-9]*\).*/\1/p' "$log")
    bad=$(sed -n 's/.*tests passed, \([0-9]*\) tests* failed out of.*/\1/p' "$log")
    if [ -z "$total" ]; then
        failed=$((failed + 1))
    else
        passed=$((passed + total - bad))
        failed=$((failed + bad))
    fi
done
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
