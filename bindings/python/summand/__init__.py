# SPDX-License-Identifier: BSD-3-Clause
"""Exact and reproducible sums of NumPy arrays, on one process and over MPI.

On one process: fsum, dot, norm, Accumulator, ColumnSums, Network. They need libsummand-local and no MPI.

>>> import summand
>>> summand.fsum([0.1] * 10)
1.0

Over MPI, with mpi4py: the modules summand.mpi and summand.matrix.

    from mpi4py import MPI
    import summand.mpi
    total = summand.mpi.sum(x, MPI.COMM_WORLD)      # the same bits on any number of ranks
"""
from ._library import use
from .exact import Accumulator, ColumnSums, dot, fsum, norm
from .network import Network

__all__ = ["Accumulator", "ColumnSums", "Network", "dot", "fsum", "norm", "use", "version"]


def version() -> str:
    """The version of the library."""
    from ._library import local

    return local().summand_version().decode()
