# SPDX-License-Identifier: BSD-3-Clause
# Collectives by mpi4py, of buffers and of objects, with results that do not depend on the order of additions.
import array

from mpi4py import MPI

comm = MPI.COMM_WORLD
ones = array.array("d", [comm.rank + i for i in range(10)])
sums = array.array("d", [0.0] * 10)
blocks = array.array("d", [0.0] * 10 * comm.size)
for i in range(200):
    comm.Allreduce(ones, sums)
comm.Allgather(ones, blocks)
most = comm.allreduce(comm.rank * 3, MPI.MAX)
words = comm.bcast([1, "two", {3: 4.0}] if comm.rank == 1 % comm.size else None, 1 % comm.size)
both = array.array("d", ones)
comm.Allreduce(MPI.IN_PLACE, both, MPI.MIN)
comm.Ibcast(ones, 0).Wait()
part = comm.Split(comm.rank % 2)
total = part.allreduce(1)
part.Free()
if comm.rank == 0:
    print(list(sums), sum(blocks), most, words, list(both), list(ones), total)
