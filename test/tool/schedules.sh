# SPDX-License-Identifier: BSD-3-Clause
# Sourced by the tests of list, predict and draw, which need no MPI launcher.
. "$(dirname "$0")/common.sh"

# expect PATTERN ARGUMENT...: succeeds, and its output has the pattern.
expect() {
    pattern=$1
    shift
    timeout 120 "$SUMMAND" "$@" >out 2>err || fail "'$*': status $?: $(cat err)"
    grep -Eq -e "$pattern" out || fail "'$*': no '$pattern' in: $(head -c 600 out)"
}

# refuse PATTERN ARGUMENT...: fails with one line on stderr that has the pattern.
refuse() {
    pattern=$1
    shift
    timeout 120 "$SUMMAND" "$@" >out 2>err && fail "'$*': succeeded"
    grep -Eq -e "$pattern" err || fail "'$*': no '$pattern' in: $(cat err)"
    same "'$*': lines of error" "$(wc -l <err)" 1
}

# Names of all algorithms.
algorithms() {
    "$SUMMAND" list --json | sed -n 's/^      "name": "\(.*\)",$/\1/p'
}
