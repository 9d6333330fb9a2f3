# Sourced by the tests of the command: $1 is the command, $2 the source directory.
summand=$1
source_dir=$2
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
failures=0

fail() {
    echo "FAILED: $*" >&2
    failures=$((failures + 1))
}

# expect PATTERN ARGUMENTS...: succeeds, and its output has the pattern.
expect() {
    pattern=$1
    shift
    "$summand" "$@" >"$work/out" 2>"$work/err" || fail "summand $*: status $?: $(cat "$work/err")"
    grep -Eq -e "$pattern" "$work/out" || fail "summand $*: no '$pattern' in: $(head -c 600 "$work/out")"
}

# refuse PATTERN ARGUMENTS...: fails at once with one line on stderr that has the pattern.
refuse() {
    pattern=$1
    shift
    "$summand" "$@" >"$work/out" 2>"$work/err" && fail "summand $*: succeeded"
    grep -Eq -e "$pattern" "$work/err" || fail "summand $*: no '$pattern' in: $(cat "$work/err")"
    [ "$(wc -l <"$work/err")" -eq 1 ] || fail "summand $*: not one line: $(cat "$work/err")"
}

# Names of all algorithms.
algorithms() {
    "$summand" list --json | sed -n 's/^    "name": "\(.*\)",$/\1/p'
}

finish() {
    [ "$failures" -eq 0 ] || echo "$failures failures" >&2
    [ "$failures" -eq 0 ]
    exit
}
