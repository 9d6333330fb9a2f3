/* SPDX-License-Identifier: BSD-3-Clause */
/* Parts of network.h: the roles of ranks, and the model from the measurements. */
#pragma once

#include "calibrate/calibration.h"
#include "learn/network.h"
#include "learn/probe.h"

enum { SUMMAND__NETWORK_LOOKS = 64 }; /* most nodes whose distance is measured */

/* Ranks of the communicator; -1: none. */
struct summand__network_roles {
    int rank, nodes;
    int helper;                       /* another rank of rank 0's node */
    int peer, partner;                /* two ranks of another node */
    int look[SUMMAND__NETWORK_LOOKS]; /* first ranks of the first nodes, by node, and of the last
                                         one */
    int looks;
    bool follows; /* this rank obeys rank 0 */
    int across;   /* this rank's partner half of the nodes away */
};

/* Local. `leader` as in network.h. Sets the same values on all ranks, except the last two members.
 * On one node the peer is its second rank. */
void summand__network_cast(const int *leader, int ranks, int rank,
                           struct summand__network_roles *roles);

/* An exchange of two nodes and its time. 0 bytes: all nodes need not repeat it. */
struct summand__network_bulk {
    size_t bytes;
    double seconds;
};

/* Called on rank 0 while the others follow: the model, and an exchange for all nodes to repeat.
 * False if a message failed, as the probe's code says. `calibration`: of a node whose ranks share
 * memory; NULL: they send messages. */
bool summand__network_fit(struct summand__probe *probe, const struct summand__network_roles *roles,
                          const struct summand__calibration *calibration,
                          struct summand__network_sample thorough[2], double seconds,
                          struct summand__model *model, struct summand__network_bulk *bulk);

/* Rounds to two digits, so noise seldom changes a choice. */
double summand__network_rounded(double value);
