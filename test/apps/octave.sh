#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Octave as the outside check: products A B on two groups of ranks, with transposes, beta, ragged blocks, in every
# order, against Octave's A * B, as Schmidtobreick (2017) validated hers; and exact sums against Octave's integers
# of 64 bits. Octave is optional: without it a line says so.
#     octave.sh BUILD       run by `make check-apps`
set -u
build=${1:?} source=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
if command -v octave-cli >/dev/null; then octave=octave-cli; else octave=octave; fi
command -v $octave >/dev/null || {
    echo 'check-apps: Octave is not here (Debian: octave): its checks are left out'
    exit 0
}
multiply=$build/test/multiply summand=$build/summand
mpiexec=$(sed -n 's/^MPIEXEC_EXECUTABLE:[A-Z]*=//p' "$build/CMakeCache.txt")
# shellcheck disable=SC2046
export $(grep -v '^#' "$(dirname "$0")/../../packaging/launcher.env")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
failed=0

# octave_runs WORDS: after octave.m.
octave_runs()
{
    { cat "$source/octave.m"; printf '%s\n' "$1"; } >job.m
    $octave --no-gui --no-init-file --quiet job.m </dev/null >said 2>&1 || {
        echo "octave: FAILED"
        failed=1
    }
    # Octave 7 prints this at the end of every script under Debian 12.
    grep -v 'ignoring const execution_exception' said >out
    cat out
}

# Integers, whose products are exact, and fractions, of both signs; A is m x k or k x m.
octave_runs '
rand ("state", 1); randn ("state", 2);
s = [1 1 1; 7 5 3; 64 48 96; 150 131 177];
for i = 1:rows (s)
  m = s(i, 1); n = s(i, 2); k = s(i, 3);
  for kind = "if"
    if (kind == "i") draw = @(r, c) floor (rand (r, c) * 17) - 8; else draw = @(r, c) randn (r, c); end
    name = sprintf ("%s%d", kind, i);
    write_raw (["a" name], draw (m, k)); write_raw (["b" name], draw (k, n)); write_raw (["c" name], draw (m, n));
  end
end'
: >compares
# product RANKS CASE m n k TA TB ALPHA BETA BLOCK ORDER: transposes take the same numbers in another shape.
number=0
product()
{
    number=$((number + 1))
    name=product-$number
    timeout 100 "$mpiexec" -n "$1" "$multiply" "a$2" "b$2" "c$2" "$name" "$3" "$4" "$5" "$6" "$7" "$8" "$9" \
        "${10}" "${11}" || {
        echo "multiply: FAILED: $*"
        failed=1
        return
    }
    awk -v c="$2" -v name="$name" -v m="$3" -v n="$4" -v k="$5" -v ta="$6" -v tb="$7" -v alpha="$8" -v beta="$9" 'BEGIN {
        split(ta == "T" ? k " " m : m " " k, a, " "); split(tb == "T" ? n " " k : k " " n, b, " ")
        raw = "reshape (fread (fopen (\"%s%s\"), Inf, \"double\"), %d, %d)"
        printf "compare (\"%s\", " raw ", " raw ", " raw ", %d, %d, %s, %s, %d);\n", name, "a", c, a[1], a[2], "b", c,
            b[1], b[2], "c", c, m, n, ta == "T", tb == "T", alpha, beta, c ~ /^i/ }' >>compares
}
product 2 i1 1 1 1 N N 1 0 4 any
product 3 i2 7 5 3 T T 2 -1 2 ordered
product 4 i3 64 48 96 N N 1 0 16 pairs
product 5 i4 150 131 177 T N -3 4 32 any
product 2 f2 7 5 3 N T 1 1 3 any
product 4 f3 64 48 96 N T 0.5 0.25 96 ordered
product 8 f4 150 131 177 N N 1 0 17 any
product 5 f4 150 131 177 T T -1.5 2 40 pairs
octave_runs "$(cat compares)"
[ "$(grep -c '^product-' out)" = $number ] || failed=1

# Multiples of 2^-30 below 2^24 in size: sums of 4096 of them are exact in 64 bits, and Octave rounds once.
octave_runs '
rand ("state", 3);
whole = int64 (floor ((rand (4096, 1) - 0.5) * 2 ^ 54) .* 2 .^ -floor (rand (4096, 1) * 40));
write_raw ("numbers.f64", double (whole) * 2 ^ -30);
total = sum (int64 (double (whole)), "native");
if (abs (double (total)) >= 2 ^ 62) error ("the sum is too long"); end
printf ("%s\n", num2hex (double (total) * 2 ^ -30));'
wanted=$(cat out)
got=$(timeout 100 "$mpiexec" -n 3 "$summand" sum --json --format f64 numbers.f64 |
    sed -n 's/.*"\(bits\|hex\)": *"\(0x\)\{0,1\}\([0-9a-f]*\)".*/\3/p' | head -n 1)
if [ -n "$wanted" ] && [ "$got" = "$wanted" ]; then
    echo 'exact sum                as Octave has it in integers, bit for bit'
else
    echo "exact sum: FAILED: '$got' is not '$wanted'"
    failed=1
fi
[ $failed = 0 ] && echo "check-apps: Octave agrees on $number products and a sum"
exit $failed
