/* SPDX-License-Identifier: BSD-3-Clause */
/* The nodes of ranks. */
#pragma once

#include <stdbool.h>

#include "base/machine.h"
#include "shape/grouping.h"

/* The nodes, as needed for choosing algorithms: equal on all ranks of a communicator. */
struct summand__nodes {
    int node_size; /* ranks per node if each node is a run of consecutive ranks and all have the
                      same number, except a smaller last one; else 1 */
    int most;      /* ranks of the fullest node */
    const struct summand__groupings *groupings; /* nodes that are not such runs; else NULL */
    int processors; /* of the node with the fewest: those on which any of its ranks may run */
    bool declared;  /* by SUMMAND_NODE_SIZE on rank 0; else found by shared memory */
};

/* A rank on this node, by its own message. */
struct summand__neighbour {
    int rank; /* of the fabric */
    bool known;
    unsigned char affinity[SUMMAND__AFFINITY_BYTES];
};

/* The nodes of all ranks of a fabric, as this rank sees them. */
struct summand__node_map {
    int *leader;                     /* by rank: the lowest rank of its node */
    int *local;                      /* by rank: its rank on this node, or -1 on another one */
    struct summand__neighbour *here; /* by rank on this node */
    int ranks, ranks_here;
};

/* Some ranks of a map in any order: `member[i]`, or i if `member` is NULL. */
struct summand__members {
    const int *member;
    int count, rank; /* this rank is member[rank] */
};

static inline int summand__member(const struct summand__members *members, int rank)
{
    return members->member ? members->member[rank] : rank;
}

/* Allocates room for so many ranks; false when out of memory. */
bool summand__node_map_make(struct summand__node_map *map, int ranks);
void summand__node_map_free(struct summand__node_map *map);

/* This rank's current entry. */
struct summand__neighbour summand__neighbour_now(int rank);

/* True if this rank may still run on the same processors as when the map was made. */
bool summand__node_map_holds(const struct summand__node_map *map, int rank);

/* Finds the nodes of members: sets node_size, most and groupings. `*made` are the groupings, to be
 * freed, or NULL. `scratch` has an element for each rank of the map. False when out of memory. */
bool summand__nodes_find(const struct summand__node_map *map,
                         const struct summand__members *members, int *scratch,
                         struct summand__nodes *nodes, struct summand__groupings **made);

/* Number of members on this node. */
int summand__members_here(const struct summand__node_map *map,
                          const struct summand__members *members);

/* True if any node has two members. */
bool summand__members_share(const struct summand__node_map *map,
                            const struct summand__members *members, int *scratch);

/* True if the members on this node are exactly this rank's run of `node_size` consecutive ones. */
bool summand__members_fit(const struct summand__node_map *map,
                          const struct summand__members *members, int node_size);

/* Number of processors on which any of the members on this node may run; those of the machine, if
 * the node was declared or the system does not say. */
int summand__members_processors(const struct summand__node_map *map,
                                const struct summand__members *members, bool declared);
