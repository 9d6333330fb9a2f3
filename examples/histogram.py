#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""A weighted histogram over all ranks: each bin is an exact sum of weights, rounded once.

    export PYTHONPATH=DIR/share/summand/python      # DIR: the prefix of the install
    mpirun -np 3 python3 histogram.py

The bits do not depend on the number of ranks; those of numpy.bincount and MPI's sum do.
Prints on any number of ranks: 4 of 4 bins with the bits of one rank
"""
import numpy
from mpi4py import MPI

import summand
import summand.mpi

world, BINS = MPI.COMM_WORLD, 4
index = numpy.arange(30000)
weights, bins = 1 / (index + 1.0), index * 7919 % BINS

mine = slice(world.rank, None, world.size)          # elements in turn
part = summand.ColumnSums(BINS)
part.add_at(bins[mine], weights[mine])
total = summand.mpi.column_sums(part, world)

one = summand.ColumnSums(BINS)
one.add_at(bins, weights)
if world.rank == 0:
    print(f"{(total == one.round()).sum()} of {BINS} bins with the bits of one rank")
