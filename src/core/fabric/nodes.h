/* SPDX-License-Identifier: BSD-3-Clause */
/* Which ranks share a node. */
#ifndef SUMMAND_FABRIC_NODES_H
#define SUMMAND_FABRIC_NODES_H

#include <stdbool.h>

#include "base/machine.h"
#include "shape/grouping.h"

/* What algorithms are chosen by: alike on all ranks of a communicator. */
struct summand__nodes {
    int node_size; /* ranks per node where each node is a run of consecutive ranks and all are of
                      one size but the last, which may be smaller; 1 where nodes lie in another way
                    */
    int most;      /* ranks of the fullest node */
    const struct summand__groupings *groupings; /* where they lie in another way; else NULL */
    int processors; /* of the node that has the fewest: those on which any of its ranks may run */
    bool declared;  /* by SUMMAND_NODE_SIZE on rank 0; else found by what shares memory */
};

/* A rank on this node, as it told the others. */
struct summand__neighbour {
    int rank; /* of the fabric */
    bool known;
    unsigned char affinity[SUMMAND__AFFINITY_BYTES];
};

/* Of all ranks of a fabric, as this one sees it. */
struct summand__node_map {
    int *leader;                     /* by rank: the lowest rank of its node */
    int *local;                      /* by rank: its rank on this node, or -1 on another one */
    struct summand__neighbour *here; /* by rank on this node */
    int ranks, ranks_here;
};

/* Some of the ranks of a map in any order: `member[i]`, or i where `member` is NULL. */
struct summand__members {
    const int *member;
    int count, rank; /* this rank is member[rank] */
};

static inline int summand__member(const struct summand__members *members, int rank)
{
    return members->member ? members->member[rank] : rank;
}

/* Room for so many ranks; false when out of memory. */
bool summand__node_map_make(struct summand__node_map *map, int ranks);
void summand__node_map_free(struct summand__node_map *map);

/* This rank as it is now. */
struct summand__neighbour summand__neighbour_now(int rank);

/* Whether this rank may run on the processors that it could when the map was made. */
bool summand__node_map_holds(const struct summand__node_map *map, int rank);

/* How members lie on nodes: sets node_size, most and groupings; `*made` are these, to be freed, or
 * NULL. `scratch` has a place for each rank of the map. False when out of memory. */
bool summand__nodes_find(const struct summand__node_map *map,
                         const struct summand__members *members, int *scratch,
                         struct summand__nodes *nodes, struct summand__groupings **made);

/* Members on this node. */
int summand__members_here(const struct summand__node_map *map,
                          const struct summand__members *members);

/* Whether any node has two members. */
bool summand__members_share(const struct summand__node_map *map,
                            const struct summand__members *members, int *scratch);

/* Whether the members of this node are those of this rank's run of `node_size` consecutive ones. */
bool summand__members_fit(const struct summand__node_map *map,
                          const struct summand__members *members, int node_size);

/* Processors on which any of the members on this node may run; of the machine, where the node was
 * declared or the system does not say. */
int summand__members_processors(const struct summand__node_map *map,
                                const struct summand__members *members, bool declared);

#endif
