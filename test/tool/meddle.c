/* SPDX-License-Identifier: BSD-3-Clause */
/* Loaded before the MPI (LD_PRELOAD): an MPI_Reduce with a wrong last element of the result, and an
 * MPI_Bcast that returns MEDDLE_LATE milliseconds late on all ranks except the root, as on a busy
 * machine. */
#include <mpi.h>
#include <stddef.h>
#include <stdlib.h>
#include <unistd.h>

__attribute__((visibility("default"))) int MPI_Bcast(void *buffer, int count, MPI_Datatype datatype,
                                                     int root, MPI_Comm comm)
{
    const char *late = getenv("MEDDLE_LATE");
    int rank, code = PMPI_Bcast(buffer, count, datatype, root, comm);
    MPI_Comm_rank(comm, &rank);
    if (late && rank != root)
        usleep((useconds_t)(1000 * atoi(late)));
    return code;
}

__attribute__((visibility("default"))) int MPI_Reduce(const void *sendbuf, void *recvbuf, int count,
                                                      MPI_Datatype datatype, MPI_Op op, int root,
                                                      MPI_Comm comm)
{
    int rank, size, code = PMPI_Reduce(sendbuf, recvbuf, count, datatype, op, root, comm);
    MPI_Comm_rank(comm, &rank);
    MPI_Type_size(datatype, &size);
    if (rank == root && count > 0)
        ((char *)recvbuf)[(size_t)(count - 1) * (size_t)size] ^= 1;
    return code;
}
