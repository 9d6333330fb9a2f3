/* Loaded before the MPI (LD_PRELOAD): an MPI_Reduce whose result is wrong in its last element. */
#include <mpi.h>
#include <stddef.h>

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
