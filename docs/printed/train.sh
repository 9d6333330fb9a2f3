# SPDX-License-Identifier: BSD-3-Clause
# Predicted seconds of an epoch on two ranks of 100 Gflop/s: train.sh LAYERS GROUPS, or train.sh LAYERS replicas.
case $2 in
replicas) summand predict train --ranks 2 --gflops 100 --layers "$1" | sed -n 's/^replicas: .* \([0-9.]*\) s for an epoch$/\1/p' ;;
*) summand predict train --ranks 2 --gflops 100 --layers "$1" --groups "$2" | awk 'told { print $3; exit } $1 == "groups" { told = 1 }' ;;
esac | awk '{ printf "%.2f\n", $1 }'
