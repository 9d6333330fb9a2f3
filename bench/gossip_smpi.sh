#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Figures 8 and 11 of the gossip paper on a simulated cluster (SimGrid's MPI; package
# libsimgrid-dev): 64, 256, ... up to RANKS (4096) on a fat tree. Simulated time is exact and the same
# on every machine for one seed. 256 ranks take some three minutes of one processor: 40 s figure 11, the rest
# figure 8. Most of that is the torus of 256: it runs until its estimates no longer change, because 1e-12 cannot be
# proved after so many ticks. 1024 ranks take some twenty minutes more; 4096 need 5 GB.
#
#     sh bench/gossip_smpi.sh [RANKS [FOLDER [FIGURE...]]]
set -e
cd "$(dirname "$0")/.."
ranks=${1:-4096}
folder=${2:-figures/smpi}
[ $# -gt 2 ] && shift 2 && figures=$* || figures='11 8'
command -v smpirun > /dev/null || { echo "SimGrid is not here: apt-get install libsimgrid-dev" >&2; exit 1; }
if [ ! -x build/smpi/summand-study ] || [ ! -e build/smpi/bench/smpi-setup.so ]; then
    sh packaging/build.sh smpi summand-study smpi-setup
fi
mkdir -p "$folder"
for figure in $figures; do
    runs=10
    [ "$figure" = 8 ] && runs=6
    [ "$figure" = 8 ] && [ "$ranks" -gt 1024 ] && runs=1 # one run has no interval
    # Polling itself costs no simulated time: the runner lets time pass while it waits.
    LD_PRELOAD=$PWD/build/smpi/bench/smpi-setup.so smpirun -np "$ranks" -platform bench/platforms/fat-tree-256x16.xml \
        --cfg=smpi/iprobe:0 --cfg=smpi/test:0 --log=root.thres:error \
        build/smpi/summand-study figure "$figure" --quick --runs $runs --least 64 --factor 4 \
        --output "$folder"
done
