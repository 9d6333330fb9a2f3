/* SPDX-License-Identifier: BSD-3-Clause */
/* Cards whose messages share the bandwidth evenly, like links of a network with fair flows. Of n
 * messages on a card each gets 1/n; a message moves at the lesser of its two shares. (Unused parts
 * of a share are not given to others.) If a message needs `cross` of its bandwidth in the other
 * direction too, for acknowledgements, it also uses its nodes' cards of that direction. On a full
 * card it gets no more than any other message, although it needs little. Source: the flow model of
 * Velho, Schnorr, Casanova, Legrand (2013), and SimGrid, which has it. Cost: O(n) for each begin
 * and end, and as many events. */
#ifndef SUMMAND_LAB_SIMULATE_SHARE_H
#define SUMMAND_LAB_SIMULATE_SHARE_H

#include <stdbool.h>

#include "lab/simulate/event_queue.h"

/* What a flow shares: its two cards; between switches also the link up from its switch and the link
 * down to the other one. */
enum { SUMMAND__SHARED = 4 };
#define SUMMAND__NO_LINK UINT32_MAX

struct summand__flow {
    uint32_t card[SUMMAND__SHARED], next[SUMMAND__SHARED], previous[SUMMAND__SHARED];
    double left;  /* remaining seconds if alone, at `since` */
    double share; /* of a card, since then */
    double since, end;
    bool active;
};

struct summand__share {
    struct summand__flow *flows; /* by message */
    uint32_t capacity;
    uint32_t nodes; /* their cards for outgoing, then those for incoming messages */
    uint32_t links; /* then the switches' links up, then those down */
    double wide;    /* bandwidth of a link, in cards */
    double cross;
    uint32_t *first, *count; /* by card */
};

/* `links`: switches whose links upwards are shared too; 0: none. */
bool summand__share_open(struct summand__share *share, uint32_t nodes, uint32_t links, double wide,
                         double cross);
void summand__share_free(struct summand__share *share);

/* A message's flow begins or ends `now`. `card`: the cards out and in and, unless SUMMAND__NO_LINK,
 * a link up and one down, counted as in `nodes` and `links`. Pushes events of `kind` for all flows
 * whose end moves. False when out of memory. */
bool summand__share_begin(struct summand__share *share, struct summand__event_queue *queue,
                          uint32_t kind, uint32_t message, const uint32_t card[SUMMAND__SHARED],
                          double seconds, double now);
bool summand__share_end(struct summand__share *share, struct summand__event_queue *queue,
                        uint32_t kind, uint32_t message, double now);

/* True if the event is the end of a flow and that end has not moved since. */
bool summand__share_ends(const struct summand__share *share, uint32_t message, double now);

#endif
