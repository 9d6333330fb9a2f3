/* SPDX-License-Identifier: BSD-3-Clause */
/* The index tree as in Stelz (2022), algorithm 1. Every outbound subtree root (the right child of a
 * node whose left child lies on a lower rank) goes to the rank of its parent, up to `values` of
 * them in one message. Each rank's program is a list of operations on numbered cells of one value
 * each. It depends only on the distribution, so sender and receiver agree on every message without
 * communication.
 *
 * The result is in cell 0 of the rank that holds element 0, which is the lowest one with
 * elements. */
#pragma once

#include <stdint.h>

/* When a message leaves, as in section 3.1.1: it is full (`values`), the next value has another
 * destination, a subtree of more than `summands` elements begins, or the rank is done. */
struct summand__outbound_rule {
    int values; /* 1: no buffer, a message per node */
    uint64_t summands;
};

/* The rule of the thesis. */
enum { SUMMAND__OUTBOUND_VALUES = 4, SUMMAND__OUTBOUND_SUMMANDS = 64 };
#define SUMMAND__OUTBOUND_RULE                                                                     \
    ((struct summand__outbound_rule){SUMMAND__OUTBOUND_VALUES, SUMMAND__OUTBOUND_SUMMANDS})

/* A node of the tree and the peer to which it is sent or from which it comes. */
struct summand__outbound_node {
    uint64_t x;
    unsigned level;
    int peer; /* -1 for the root of the whole tree */
};

enum summand__outbound_kind {
    SUMMAND__OUTBOUND_LOCAL,   /* cell <- value of node (x, level), all of whose elements are this
                                  rank's */
    SUMMAND__OUTBOUND_COMBINE, /* cell <- cell op cell `right`: now node (x, level) */
    SUMMAND__OUTBOUND_RECEIVE, /* cells cell .. cell + count - 1 <- one message of peer */
    SUMMAND__OUTBOUND_SEND     /* one message to peer <- cells cell .. cell + count - 1 */
};

struct summand__outbound_op {
    enum summand__outbound_kind kind;
    int cell;
    int right;
    int count;
    int peer;
    uint64_t x; /* of the message's first node if count is set */
    unsigned level;
};

enum {
    SUMMAND__OUTBOUND_MAX = 64, /* outbound or inbound nodes of a rank */
    SUMMAND__OUTBOUND_CELLS_MAX = 192,
    SUMMAND__OUTBOUND_OPS_MAX = 384
};

/* Lists the nodes that `rank` receives, in the order of use. It is ascending, and each sender sends
 * in this order. Returns their number. */
int summand__inbound_nodes(const uint64_t *starts, int ranks, int rank,
                           struct summand__outbound_node *nodes);

/* Makes the program of `rank`. Algorithm 1 goes through the tree level by level; here a rank does
 * the local parts of its last subtree before it waits for the first message. Values, messages and
 * their order are the same. Returns the number of operations; *cells: the number of cells. */
int summand__outbound_program(const uint64_t *starts, int ranks, int rank,
                              struct summand__outbound_rule rule, struct summand__outbound_op *ops,
                              int *cells);

/* Messages of all ranks. Cost: O(ranks log N). */
uint64_t summand__messages_buffered(const uint64_t *starts, int ranks,
                                    struct summand__outbound_rule rule);
