/* SPDX-License-Identifier: BSD-3-Clause */
/* A common time for all ranks: each node's monotonic clock, and its offset from rank 0's. */
#pragma once

#include <mpi.h>

/* Seconds of the local clock (CLOCK_MONOTONIC; MPI_Wtime starts anew in each process). */
double clock_now(void);

/* Nodes have one clock each. A node is the ranks that share memory, or SUMMAND_NODE_SIZE ranks. */
struct clock_nodes {
    MPI_Comm node; /* the ranks of this one */
    int count;     /* nodes other than rank 0's; on rank 0 */
    int *leader;   /* their lowest ranks; on rank 0 */
};

/* Collective over MPI_COMM_WORLD. */
void clock_open(struct clock_nodes *nodes);
void clock_close(struct clock_nodes *nodes);

/* This node's clock minus rank 0's: 0 on rank 0's own node; elsewhere by the exchange with the
 * shortest round trip among 20, whose error is at most half that trip (Cristian 1989; SKaMPI's
 * method). Clocks drift: measure repeatedly. Collective over MPI_COMM_WORLD, 20 round trips per
 * node. */
double clock_offset(const struct clock_nodes *nodes);
