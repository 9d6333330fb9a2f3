/* SPDX-License-Identifier: BSD-3-Clause */
/* Linked into the command: ranks of one machine act as ranks of several nodes. TEST_NODES has the
 * node of each rank of MPI_COMM_WORLD, a digit each: "0110". */
#include <stdlib.h>
#include <string.h>

#include <mpi.h>

int __wrap_PMPI_Comm_split_type(MPI_Comm comm, int type, int key, MPI_Info info, MPI_Comm *made);
int __wrap_PMPI_Comm_split_type(MPI_Comm comm, int type, int key, MPI_Info info, MPI_Comm *made)
{
    const char *nodes = getenv("TEST_NODES");
    int rank;
    (void)type;
    (void)info;
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    return PMPI_Comm_split(comm, nodes && (size_t)rank < strlen(nodes) ? nodes[rank] - '0' : 0, key,
                           made);
}
