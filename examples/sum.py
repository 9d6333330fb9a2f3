#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The exact sum of all elements of all ranks, and that of one process.

    export PYTHONPATH=DIR/share/summand/python      # DIR: the prefix of the install
    mpirun -np 3 python3 sum.py

mpi4py must be built with the same MPI as the library. Prints on 3 ranks: 3.0
"""
import numpy
from mpi4py import MPI

import summand.mpi

x = numpy.array([1e16, 1, -1e16])
total = summand.mpi.sum(x, MPI.COMM_WORLD)
assert total == MPI.COMM_WORLD.size * summand.fsum(x)
if MPI.COMM_WORLD.rank == 0:
    print(total)
