/* Loaded before the MPI (LD_PRELOAD): an MPI_Reduce whose result is wrong in its last element, or
 * that takes a millisecond longer, as the environment variable MEDDLE_HOW says: wrong, slow. */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

__attribute__((visibility("default"))) int MPI_Reduce(const void *sendbuf, void *recvbuf, int count,
                                                      MPI_Datatype datatype, MPI_Op op, int root,
                                                      MPI_Comm comm)
{
    const char *how = getenv("MEDDLE_HOW");
    int rank, size, code = PMPI_Reduce(sendbuf, recvbuf, count, datatype, op, root, comm);
    MPI_Comm_rank(comm, &rank);
    MPI_Type_size(datatype, &size);
    if (how && !strcmp(how, "wrong") && rank == root && count > 0)
        ((char *)recvbuf)[(size_t)(count - 1) * (size_t)size] ^= 1;
    if (how && !strcmp(how, "slow"))
        for (double start = now(); now() < start + 1e-3;)
            ;
    return code;
}
