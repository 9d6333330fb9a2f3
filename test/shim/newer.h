/* SPDX-License-Identifier: BSD-3-Clause */
/* Functions of MPI 4.1, which mpi.h may not declare. */
#include <mpi.h>

#define NEWER(prefix)                                                                              \
    int prefix##Request_get_status_any(int count, const MPI_Request requests[], int *index,        \
                                       int *flag, MPI_Status *status);                             \
    int prefix##Request_get_status_all(int count, const MPI_Request requests[], int *flag,         \
                                       MPI_Status statuses[]);                                     \
    int prefix##Request_get_status_some(int count, const MPI_Request requests[], int *done,        \
                                        int places[], MPI_Status statuses[]);
NEWER(MPI_)
NEWER(PMPI_)
