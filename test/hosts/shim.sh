# SPDX-License-Identifier: BSD-3-Clause
# The shim and the command between hosts: programs of test/shim give what they give without it, other modes on one host
# are an error that names ranks and modes, records of two placements have the same bits, and a machine is described,
# measured and tuned. From CTest, by run.sh.
#
#     shim.sh [all]
. "$HOSTS_HERE/common.sh"
programs=$PROGRAMS/shim

# by 'WORDS' PLACE COMMAND...: `summand run WORDS` of a launch.
by() {
    BEFORE="$SUMMAND run $1 --"
    shift
    launch "$@"
    ran=$?
    BEFORE=
    return $ran
}

launch 'host0:2 host1:2' "$programs/hostile" > plain 2> plain.err || fail "hostile, without the shim: $(head -n 20 plain.err)"
modes='fast canonical'
places='host0:2 host1:2'
[ "${1:-}" != all ] || modes='off fast ordered canonical exact'
for mode in $modes; do
    by "--mode $mode" "$places" "$programs/hostile" > out 2> err || fail "hostile, $mode: $(head -n 20 err)"
    cmp -s plain out || fail "hostile, $mode: another output: $(diff plain out | head -n 6)"
done
by '--mode canonical' 'host0:2 host1:3' "$programs/life" canonical > out 2> err || fail "canonical: $(head -n 20 err)"
grep -qx '0x1.21d572599361ep-1 0x1.0948161a731d8p-2 0x1.9166eea6aaa9ep-5' out || fail "canonical bits of five ranks: $(cat out err)"

by '--mode canonical' "$places" "$HOSTS_HERE/only.sh" host1 SUMMAND_MODE=exact "$programs/life" sums > out 2>&1 &&
    fail 'other modes on host1: no error'
grep -q 'SUMMAND_MODE: canonical on ranks 0-1, exact on ranks 2-3' out || fail "other modes on host1: $(cat out)"

launch "$places" "$SUMMAND" info --network > out 2> err || fail "info --network: $(head -n 20 err)"
grep -q '^per_node *= 2 ' out || fail "info --network: $(cat out)"
# MPICH says of such ranks that each is alone; the hosts' one kernel makes no node of them.
launch 'host0:1 host1:1' "$SUMMAND" info --network > out 2> err || fail "info --network, one rank per host: $(head -n 20 err)"
grep -q '^per_node *= 1 ' out || fail "info --network, one rank per host: $(cat out)"
[ "${1:-}" = all ] || finish

mkdir inputs
for place in 'host0:5' 'host0:2 host1:3'; do
    record=$(echo "$place" | tr -d ': ')
    by "--mode canonical --record $record --report=$record.json" "$place" "$PROGRAMS/record_calls" "$PWD/inputs" > out 2>&1 || fail "record on $place: $(tail -n 20 out)"
    "$SUMMAND" report "$record.json" > out 2>&1 || fail "report of $place: $(cat out)"
done
"$SUMMAND" diff host05 host02host13 > out 2>&1 || fail "diff of two placements: $(cat out)"
launch "$places" "$SUMMAND" tune --budget 5 --output tuned --collectives allreduce > out 2>&1 || fail "tune: $(tail -n 20 out)"
SUMMAND_TUNING=$PWD/tuned launch "$places" "$PROGRAMS/hosts-bits" 3000 > out 2>&1 || fail "tuned: $(tail -n 20 out)"
grep -q ', 0 failed' out || fail "tuned: $(tail -n 20 out)"
finish
