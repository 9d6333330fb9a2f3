/* SPDX-License-Identifier: BSD-3-Clause */
/* A part of making a fabric (fabric_make.c): the ranks of each node share memory, and all ranks
 * learn which ranks share nodes. */
#pragma once

#include "fabric/fabric.h"

/* The message of each rank of a node to the others. */
struct summand__note {
    struct summand__neighbour neighbour;
    int contexts; /* for which it has tags */
    struct summand__allowance limits;
    struct summand__file file; /* made by the node's first rank */
};

/* Temporary state of making a fabric; freed at its end. */
struct summand__making {
    struct summand__fabric *fabric; /* NULL: out of memory */
    MPI_Comm private;               /* the fabric's communicator */
    MPI_Comm node;                  /* the ranks of this node; the caller's if it has one rank */
    struct summand__note *notes;    /* by rank of `node` */
    int *scratch;                   /* by rank */
    bool stays;
};

/* Collective over `comm`, whose ranks have the same settings, communicators and memory. Sets the
 * fabric's map, memory, calibration, nodes, and numbers of contexts. Cost: a collective on the
 * node's ranks, two at once on all ranks; on several nodes one more. Returns an MPI error code, on
 * all ranks. */
int summand__fabric_settle(MPI_Comm comm, struct summand__making *making);
