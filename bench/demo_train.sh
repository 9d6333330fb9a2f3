#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Trains a network on drawn digits: on one process; with replicas on 2 and 3 ranks, and in two stages, which end in
# the same bits; and as in the dissertation, with weights that may arrive at any time. Ends with an accuracy and a
# picture. SUMMAND: the command; MPIEXEC: the launcher of its MPI; DEMO_DIR: where results go; DATA: a folder of
# samples instead (MNIST: its four files).
set -eu

root=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)
SUMMAND=${SUMMAND:-$root/build/openmpi/summand}
MPIEXEC=${MPIEXEC:-mpiexec}
out=${DEMO_DIR:-$root/demo}
data=${DATA:-synthetic}
# shellcheck disable=SC2046
export $(grep -v '^#' "$root/packaging/launcher.env")

mkdir -p "$out"
echo "A network with 784 inputs, 128 neurons and 10 outputs learns digits ($data)."
"$SUMMAND" train --data "$data" --epochs 5 --plot "$out/training.svg" --model "$out/ranks1.model"
for p in 2 3; do
    printf '\nThe same with replicas on %d ranks:\n' $p
    "$MPIEXEC" -n $p "$SUMMAND" train --data "$data" --epochs 5 --mode data --model "$out/ranks$p.model" | tail -n 1
    cmp "$out/ranks1.model" "$out/ranks$p.model"
    echo 'Its weights have the same bits.'
done
printf '\nIn two stages of a layer each, through which batches pass in pieces:\n'
"$MPIEXEC" -n 2 "$SUMMAND" train --data "$data" --epochs 5 --mode sync --model "$out/stages.model" | tail -n 1
cmp "$out/ranks1.model" "$out/stages.model"
echo 'Its weights have the same bits.'
printf '\nOne rank works forward, the other one back, and puts new weights into its twin (poad):\n'
"$MPIEXEC" -n 2 "$SUMMAND" train --data "$data" --epochs 5 --mode poad | tail -n 2
printf '\nPicture: %s\n' "$out/training.svg"
