# SPDX-License-Identifier: BSD-3-Clause
# Bits of promises on 4 ranks, wherever these run and with either MPI: those of bits.txt. From CTest, by run.sh.
#
#     bits.sh PROGRAM [all]    all: counts up to 100,000, for which bits.txt has lines too
. "$HOSTS_HERE/common.sh"
program=$1
most=3000
[ "${2:-}" != all ] || most=100000

# check WHAT COMMAND...: prints the lines of bits.txt.
check() {
    what=$1
    shift
    # MPICH's status may be forgiven (common.sh), so the last line counts.
    { "$@" > out 2> err && grep -q ', 0 failed' out; } || fail "$what: status $?: $(head -n 20 out err)"
    grep -E '^[^ ]+ [0-9]+ [0-9a-f]{16}$' out > lines # MPICH's launcher may add why a rank was killed
    awk -v most=$most '$2 <= 8 * most' "$HOSTS_HERE/bits.txt" > want
    cmp -s lines want || fail "$what: other bits: $(diff want lines | head -n 10)"
}

one() {
    check "$*" launch "$1" "$program" $most
}

one host0:4
one 'host0:2 host1:2'
one 'host0:3 host1:1'
one 'host0:1 host1:1 host2:1 host3:1'
BY=node one 'host0:2 host1:2'
check 'another instruction set on host1' launch 'host0:2 host1:2' "$HOSTS_HERE/only.sh" host1 SUMMAND_ARCH=generic "$program" $most
check 'messages alone' launch 'host0:2 host1:2' env SUMMAND_TRANSPORT=p2p "$program" $most
finish
