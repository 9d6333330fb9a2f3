/* SPDX-License-Identifier: BSD-3-Clause */
/* A part of making a fabric (fabric_make.c): each rank meets those of its node, they share memory,
 * and all ranks learn which ranks share nodes. */
#ifndef SUMMAND_FABRIC_FABRIC_NODE_H
#define SUMMAND_FABRIC_FABRIC_NODE_H

#include "fabric/fabric.h"

/* What each rank of a node tells the others. */
struct summand__note {
    struct summand__neighbour neighbour;
    int contexts; /* that it has numbers for */
    struct summand__allowance limits;
    struct summand__file file; /* of the node's first rank */
};

/* What making a fabric needs, and frees at its end. */
struct summand__making {
    struct summand__fabric *fabric; /* NULL: out of memory */
    MPI_Comm private;               /* the fabric's communicator */
    MPI_Comm node;                  /* the ranks of this node; the caller's where it has one rank */
    struct summand__note *notes;    /* by rank of `node` */
    int *scratch;                   /* by rank */
    struct summand__calibrated calibrated;
    bool stays;
};

/* Collective over `comm`, whose ranks have the same settings, communicators and room: fills the
 * fabric's map, memory, calibration, nodes, and what these say of contexts. Cost: two collectives
 * on the node's ranks, two on all ranks; more where something is measured. An MPI error code, on
 * all ranks. */
int summand__fabric_settle(MPI_Comm comm, struct summand__making *making);

#endif
