# SPDX-License-Identifier: BSD-3-Clause
# bench/outer_figures.sh: it goes on after the last whole launch, draws every figure, and takes simulated times; the
# pictures in docs are what it draws of the data there.
. "$(dirname "$0")/common.sh"
root=$(cd "$(dirname "$0")/../.." && pwd)
figures() { # figures ARGUMENT...
    sh "$root/bench/outer_figures.sh" "$SUMMAND" "$@"
}

cp -R "$root/docs/results/data/outer" drawn && figures drawn draw || fail 'the data in docs are not drawn'
for picture in drawn/*.svg; do
    name=outer-$(basename "$picture")
    cmp "$picture" "$root/docs/figures/$name" || fail "docs/figures/$name: draw it again (docs/results/outer_figures.md)"
    grep -q "(../figures/$name)" "$root/docs/results/outer_figures.md" || fail "$name is nowhere shown"
done
same 'pictures' "$(find drawn -name '*.svg' | wc -l)" 13

# A launch, then one more after a line that was cut short.
export RANKS=2 SIZES=8,16 REPETITIONS=2 BUDGET=0.05 MPIEXEC
LAUNCHES=1 figures small || fail 'a launch'
cp small/2.json first.json
same 'lines after a launch' "$(wc -l < small/2.json)" 1
printf '{"command":"bench outer","ra' >> small/2.json
LAUNCHES=2 figures small measure || fail 'another launch'
same 'lines after two' "$(wc -l < small/2.json)" 2
head -n 1 small/2.json | cmp - first.json || fail 'the first launch was measured again'
same 'launches' "$("$SUMMAND-study" outer small/2.json | awk '/outer-allgather:neighbor-exchange/ { print $1, $2, $3, $NF }')" \
    "2 8x8 1 2
2 16x16 1 2"
cp small/2.json second.json
LAUNCHES=2 figures small || fail 'nothing left to measure'
cmp small/2.json second.json || fail 'a launch too many'
for number in 2 3 4 5 6 7 8 9 10 11 12; do
    grep -q "Figure $number: " small/figure-$number.svg || fail "figure $number"
done

# A simulator that takes 6000 us for one MPI, 4000 for the others, and 1000 for what is ours.
mkdir bin && cat > bin/smpirun << 'END'
#!/bin/sh
for word; do program=$cases cases=$platform platform=$mpi mpi=$word; done
while read -r result size pairs algorithm; do
    us=1000 ranks=${cases##*/outer-1-} ranks=${ranks%%-*}
    [ "$algorithm" != mpi ] || algorithm=mpi-$mpi us=4000
    [ "$algorithm" != mpi-ompi ] || us=6000
    echo "$platform,$result,$ranks,$size,$pairs,$algorithm,$us,right,outer-gather"
done < "$cases"
END
chmod +x bin/smpirun
: > scale && chmod +x scale
PATH=$work/bin:$PATH SCALE=$work/scale OUT=$work/out JOBS=2 SIZES=1000 figures cluster simulate draw || fail 'simulate'
for p in 8 16 32 48; do
    same "speed-up on $p nodes" "$("$SUMMAND-study" outer cluster/simulated-$p.json | awk '/ auto / { print $1, $3, $6 }')" \
        "$p, 1000x1000 4.000"
done
grep -q '48 simulated ranks' cluster/simulated-7.svg || fail 'simulated-7.svg does not say so'
[ ! -e cluster/figure-7.svg ] || fail 'a figure of simulated times is drawn as measured'

figures small guess 2> err && fail 'an unknown word succeeds'
grep -q "'guess' is not measure, simulate or draw" err || fail "$(cat err)"
mkdir empty
figures empty draw 2> err && fail 'nothing to draw succeeds'
grep -q 'empty has no launches to draw' err || fail "$(cat err)"
finish
