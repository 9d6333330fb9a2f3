/* SPDX-License-Identifier: BSD-3-Clause */
/* Ranks on nodes: for few ranks every partition, up to the names of nodes; for more ranks all on
 * one node, blocks, round-robin and at random. */
#pragma once

#include <stdbool.h>

enum {
    SUMMAND__EVERY_PARTITION = 6,  /* up to so many ranks */
    SUMMAND__PARTITIONS = 202,     /* of these */
    SUMMAND__THREE_PLACEMENTS = 20 /* up to this number of ranks: kinds and sizes in turn; for more
                                      ranks, whose proofs take longer, one for every eighth case */
};

struct summand__placements {
    int ranks;
    unsigned turn; /* selects the placements, if there are more */
    int given;     /* so far */
};

/* Gives the next placement: node[r] of each rank; on entry `node` holds the previous one. False if
 * there is none. Leaves out one rank per node: nothing is combined on arrival there. */
bool summand__placements_next(struct summand__placements *placements, int *node);
