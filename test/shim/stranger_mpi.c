/* SPDX-License-Identifier: BSD-3-Clause */
/* An MPI of one rank with the standard ABI of MPI 5; if STRANGER_OLDER is set, one of the shim's
 * kind that lacks most functions. Compiled twice, because MPI_X and PMPI_X may lie in two
 * libraries: PREFIX is MPI_ or PMPI_. */
#include <stdlib.h>
#include <string.h>

#define JOIN(prefix, name) prefix##name
#define NAME(prefix, name) JOIN(prefix, name)
#define FUNCTION(name, ...)                                                                        \
    __attribute__((visibility("default"))) int NAME(PREFIX, name)(__VA_ARGS__);                    \
    int NAME(PREFIX, name)(__VA_ARGS__)

FUNCTION(Init, int *argc, char ***argv)
{
    (void)argc, (void)argv;
    return 0;
}

FUNCTION(Finalize, void)
{
    return 0;
}

FUNCTION(Comm_rank, void *comm, int *rank)
{
    (void)comm;
    *rank = 0;
    return 0;
}

FUNCTION(Abi_get_version, int *major, int *minor)
{
    *major = getenv("STRANGER_OLDER") ? -1 : 1;
    *minor = 0;
    return 0;
}

#ifdef HAS_ADDRESSES
extern char ompi_mpi_comm_self[];
__attribute__((visibility("default"))) char ompi_mpi_comm_self[8];
#endif

/* Of a brand whose own handles are others. */
FUNCTION(Get_library_version, char *text, int *length)
{
    strcpy(text, BRAND);
    *length = (int)strlen(text);
    return 0;
}

FUNCTION(Allreduce, const void *sendbuf, void *recvbuf, int count, void *datatype, void *op,
         void *comm)
{
    if (datatype != (void *)0x214 || op != (void *)0x21 || comm != (void *)0x101)
        return 1;
    memcpy(recvbuf, sendbuf, (size_t)count * sizeof(double));
    return 0;
}
