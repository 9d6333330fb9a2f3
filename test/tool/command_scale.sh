# SPDX-License-Identifier: BSD-3-Clause
# bench/scale.sh with a stand-in for smpirun: cases behind one that ends its simulation run again, one that has
# no result has its reason printed, and tables and pictures are made of the others.
. "$(dirname "$0")/common.sh"
root=$(dirname "$0")/../..

# A case is a row, but blocks of 2000 x 2000, which end the simulation, and a whole result of 8000 x 8000, which
# does where it is not alone.
mkdir bin && cat > bin/smpirun << 'END'
#!/bin/sh
for word; do program=$cases cases=$platform platform=$mpi mpi=$word; done
count=$(wc -l < "$cases")
while read -r result size pairs algorithm; do
    case $result$size$count in
    blocks2000x2000*) echo 'no such blocks' >&2 && kill -KILL $$ ;;
    whole8000x80001) ;;
    whole8000x8000*) kill -KILL $$ ;;
    esac
    [ "$algorithm" != mpi ] || algorithm=mpi-$mpi
    echo "$platform,$result,48,$size,$pairs,$algorithm,1000.5,right,outer-gather"
done < "$cases"
END
chmod +x bin/smpirun
: > scale && chmod +x scale
PATH=$work/bin:$PATH SCALE=$work/scale OUT=$work/out JOBS=2 SCALE_ONLY='outer-1-48-*' \
    sh "$root/bench/scale.sh" quick outer > out.txt 2> err.txt
same 'status' $? 1
same 'rows of whole results' "$(cat out/rows/*.csv | grep -c ',whole,')" 60
same 'cases without result' "$(grep -c 'no result: blocks 2000x2000' out.txt)" 4
grep -q 'no such blocks' out.txt || fail "the reason is missing: $(cat out.txt)"
grep -q 'ended with status 137' out.txt || fail "the status is missing: $(cat out.txt)"
for picture in speedup-1 time-1 speedup-4 time-4; do
    [ -s "out/outer-$picture.svg" ] || fail "outer-$picture.svg is missing"
done

# Called again it runs what is left. A case that the others are compared with is a gap.
sed -i '/,8000x8000,/d' out/rows/outer-1-48-ompi.csv out/rows/outer-1-48-mpich.csv out/rows/outer-1-48-mvapich2.csv
sed -i 's/^    blocks2000.*//; s/^    whole8000x8000\*.*/    whole8000x8000*) exit 1 ;;/' bin/smpirun
PATH=$work/bin:$PATH SCALE=$work/scale OUT=$work/out JOBS=2 SCALE_ONLY='outer-1-48-*' \
    sh "$root/bench/scale.sh" quick outer > out.txt 2> err.txt
same 'status of the second run' $? 0
grep -q '^5 simulations to run' out.txt || fail "the second run: $(head -n 1 out.txt)"
sed -i '/,8000x8000,/d' out/rows/outer-1-48-ompi.csv out/rows/outer-1-48-mpich.csv out/rows/outer-1-48-mvapich2.csv
rm out/*.svg
OUT=$work/out root=$root size=quick sh "$root/bench/scale_report.sh" outer > out.txt 2> err.txt || fail "$(cat err.txt)"
same 'a row of gaps' "$(grep '^8000,' out/outer-speedup-1.csv)" '8000,,,,,,,'
[ -s out/outer-speedup-1.svg ] || fail 'no picture with gaps'
finish
