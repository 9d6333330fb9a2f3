/* SPDX-License-Identifier: BSD-3-Clause */
/* Ranks on nodes: for few ranks every partition, but for the names of nodes; for more all on one
 * node, blocks, round-robin and at random. */
#ifndef SUMMAND_LAB_VERIFY_PLACEMENTS_H
#define SUMMAND_LAB_VERIFY_PLACEMENTS_H

#include <stdbool.h>

enum {
    SUMMAND__EVERY_PARTITION = 6,  /* up to so many ranks */
    SUMMAND__PARTITIONS = 202,     /* of these */
    SUMMAND__THREE_PLACEMENTS = 20 /* up to so many: kinds and sizes in turn; for more ranks, whose
                                      proofs take longer, one for every eighth case */
};

struct summand__placements {
    int ranks;
    unsigned turn; /* which ones, where there are more */
    int given;     /* so far */
};

/* The next one: node[r] of each rank, which holds the last one before. False when there is none. A
 * single rank on each node is not among them: nothing is combined there as it arrives. */
bool summand__placements_next(struct summand__placements *placements, int *node);

#endif
