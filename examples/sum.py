#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The exact sum of all elements of all ranks, by ctypes and mpi4py. Usage: mpirun -np 3 python3 sum.py [libsummand.so]

mpi4py must be built with the same MPI as the library. Prints on 3 ranks: 3.0
"""
import ctypes
import sys
from array import array

from mpi4py import MPI

ROOT_ALL = -1  # SUMMAND_ROOT_ALL
summand = ctypes.CDLL(sys.argv[1] if len(sys.argv) > 1 else "libsummand.so")
# MPICH's handles are integers, Open MPI's are addresses; those of the standard ABI of MPI 5 are constants.
pointers = MPI._sizeof(MPI.Comm) > ctypes.sizeof(ctypes.c_int)
handle = ctypes.c_void_p if pointers else ctypes.c_int
abi = getattr(MPI, "Get_abi_version", lambda: (0, 0))()[0] > 0  # mpi4py 4.1 has it; -1: handles of the MPI's own
kind = "mpi_abi" if abi else "open_mpi" if pointers else "mpich"
if not hasattr(summand, "summand_this_library_is_not_for_" + kind):
    sys.exit("sum.py: libsummand was built with another MPI than mpi4py")
summand.summand_sum.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_longlong, handle, ctypes.c_int, handle,
                                ctypes.c_void_p]


def exact_sum(values, comm=MPI.COMM_WORLD):
    """The exact sum of the doubles of all ranks, rounded once; `values` has a buffer of doubles (array, numpy)."""
    view = memoryview(values).cast("B")
    x = (ctypes.c_char * max(len(view), 1)).from_buffer_copy(view if len(view) else b"\0")
    result = ctypes.c_double()
    code = summand.summand_sum(x, ctypes.byref(result), len(view) // 8, MPI._handleof(MPI.DOUBLE), ROOT_ALL,
                               MPI._handleof(comm), None)
    if code != MPI.SUCCESS:
        raise MPI.Exception(code)
    return result.value


if __name__ == "__main__":
    total = exact_sum(array("d", [1e16, 1, -1e16]))
    if MPI.COMM_WORLD.rank == 0:
        print(total)
