/* Which ranks share a node. */
#ifndef SUMMAND_COMM_NODES_H
#define SUMMAND_COMM_NODES_H

#include <mpi.h>
#include <stdbool.h>

struct summand__nodes {
    int node_size;  /* ranks per node where each node is a run of consecutive ranks and all are of
                       one size but the last, which may be smaller; 1 where nodes lie in another way
                     */
    int processors; /* of the node that has the fewest: those on which any of its ranks may run */
    bool declared;  /* by SUMMAND_NODE_SIZE on rank 0; else found by what shares memory */
};

/* Collective over `comm`, whose errors return; alike on all ranks. `complaint` (local): rank 0's
 * SUMMAND_NODE_SIZE is no number from 1 on. Returns an MPI error code. */
int summand__nodes_read(MPI_Comm comm, struct summand__nodes *nodes, bool *complaint);

#endif
