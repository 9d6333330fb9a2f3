#!/bin/sh
# The main job on real numbers: does a sum depend on how many processes share the work?
# (Stelz 2022, table 4.2.) Usage: bench/demo.sh [FILE...], formats as in 'summand sum --help'.
# SUMMAND: the command; MPIEXEC: the launcher of the MPI that it was built with; DEMO_DIR: where
# results go; DEMO_BUDGET: seconds of timing per file.
set -eu

root=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)
SUMMAND=${SUMMAND:-$root/build/openmpi/summand}
MPIEXEC=${MPIEXEC:-mpiexec}
case $SUMMAND in
*/*) SUMMAND=$(CDPATH='' cd -- "$(dirname -- "$SUMMAND")" && pwd)/$(basename -- "$SUMMAND") ;;
esac
ranks='1 2 3 4 7 8'
out=${DEMO_DIR:-$root/demo}

# More processes than cores, and root in a container: Open MPI wants to be told.
export OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1

mkdir -p "$out"
if [ $# -eq 0 ]; then
    found=$(ls -Sr "$root"/../shared/data/psllh/*.binpsllh 2>/dev/null || true)
    if [ -n "$found" ]; then
        echo 'Numbers: per-site log-likelihoods of phylogenetic trees, from RAxML-NG.'
        # Names made by ls, one per line.
        while read -r file; do set -- "$@" "$file"; done <<END
$found
END
    else
        echo 'Numbers: generated, of the sizes of six real data sets of per-site log-likelihoods.'
        mkdir -p "$out/generated"
        for n in 460 767 898 1602 239763 504850; do
            file=$out/generated/n$n.binpsllh
            "$SUMMAND" generate psllh --count $n --seed $n --output "$file"
            set -- "$@" "$file"
        done
    fi
fi

printf 'Summing %d file(s) by three methods on' $#
results=''
for p in $ranks; do
    printf ' %d' "$p"
    "$MPIEXEC" -n "$p" "$SUMMAND" sum --method all --json "$@" > "$out/ranks$p.json"
    results="$results ranks$p.json"
done
printf ' ranks: done.\n'

budget=$((30 / $#))
[ $budget -gt 0 ] || budget=1
[ $budget -lt 4 ] || budget=4
budget=${DEMO_BUDGET:-$budget}
printf 'Timing on 2 ranks, up to %s s per file ...\n\n' "$budget"
"$MPIEXEC" -n 2 "$SUMMAND" bench sum --budget "$budget" --methods exact,tree,naive,fast \
    --json "$out/times.json" --csv "$out/times.csv" --plot "$out/times.svg" "$@" > "$out/times.txt"

status=0
(cd "$out" && "$SUMMAND" spread --bench times.json --plot spread.svg $results) || status=$?
printf '\nPictures: %s (this table), %s (times)\n' "$out/spread.svg" "$out/times.svg"
printf 'Your own numbers: %s FILE...\n' "$0"
exit $status
