/* SPDX-License-Identifier: BSD-3-Clause */
/* Parts of network.h: who measures what, and the model that comes of it. */
#ifndef SUMMAND_FABRIC_NETWORK_FIT_H
#define SUMMAND_FABRIC_NETWORK_FIT_H

#include "calibrate/calibration.h"
#include "fabric/network.h"
#include "fabric/probe.h"

enum { SUMMAND__NETWORK_LOOKS = 64 }; /* nodes whose distance is looked at, most */

/* Ranks are those of the map; -1: there is none. */
struct summand__network_roles {
    int rank, nodes;
    int helper;                       /* another rank of rank 0's node */
    int peer, partner;                /* two ranks of another node */
    int look[SUMMAND__NETWORK_LOOKS]; /* first ranks of the first nodes, by node; then of the last
                                       */
    int looks;
    bool follows; /* this rank obeys rank 0 */
    int across;   /* this rank's partner half of the nodes away */
};

/* Local, the same for all ranks but the last two. On one node the peer is its second rank. */
void summand__network_cast(const struct summand__node_map *map, int rank,
                           struct summand__network_roles *roles);

/* An exchange of two nodes: how long it took. 0 bytes: none is worth to be pressed. */
struct summand__network_bulk {
    size_t bytes;
    double seconds;
};

/* On rank 0, while the others follow: the model, and an exchange to be repeated by all. False where
 * a message failed, as the probe says. `calibration`: of a node whose ranks share memory; NULL:
 * they send messages. */
bool summand__network_fit(struct summand__probe *probe, const struct summand__network_roles *roles,
                          const struct summand__calibration *calibration,
                          struct summand__network_sample thorough[2], double seconds,
                          struct summand__model *model, struct summand__network_bulk *bulk);

/* To two digits: noise then seldom changes a choice. */
double summand__network_rounded(double value);

#endif
