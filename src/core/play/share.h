/* SPDX-License-Identifier: BSD-3-Clause */
/* Cards whose messages share the bandwidth evenly, like links of a network with fair flows. Of n
 * messages on a card each gets 1/n; a message moves at the lesser of its two shares. (Unused parts
 * of a share are not given to others.) If a message needs `cross` of its bandwidth in the other
 * direction too, for acknowledgements, it also uses its nodes' cards of that direction. On a full
 * card it gets no more than any other message, although it needs little.
 *
 * Messages between the same cards always move alike. So they are one lane with a clock of its own,
 * which counts the seconds that each of them would have taken alone, and a message ends at a fixed
 * time of that clock. Only the first end of a lane is an event. Shares are made anew once for all
 * messages that begin or end at one time. Cost: O(lanes of their cards) then; a message longer than
 * later ones of its lane, O(these).
 *
 * Source: the flow model of Velho, Schnorr, Casanova, Legrand (2013), and SimGrid, which has it;
 * virtual clocks of flows: Parekh, Gallager (1993). */
#pragma once

#include <stdbool.h>

#include "play/event_queue.h"

/* What a message shares: its two cards; between switches also the link up from its switch and the
 * link down to the other one. */
enum { SUMMAND__SHARED = 4 };
#define SUMMAND__NO_LINK UINT32_MAX
#define SUMMAND__NO_FLOW UINT32_MAX

struct summand__flow {
    double end;              /* in time of its lane's clock */
    uint32_t next, previous; /* messages of its lane, by their ends */
};

struct summand__lane {
    uint32_t card[SUMMAND__SHARED], next[SUMMAND__SHARED], previous[SUMMAND__SHARED];
    double clock; /* at `since`, in seconds of a message alone */
    double share; /* of a card, since then; 0: none yet */
    double since;
    double due;           /* of its event that is under way; INFINITY: there is none */
    uint32_t first, last; /* its messages */
};

struct summand__share {
    struct summand__lane *lanes;
    uint32_t capacity, used, free; /* `free` begins a list by next[0] */
    struct summand__flow *flows;   /* by message */
    uint32_t flow_room;
    uint32_t nodes; /* their cards for outgoing, then those for incoming messages */
    uint32_t links; /* then the switches' links up, then those down */
    double wide;    /* bandwidth of a link, in cards */
    double cross;
    uint32_t *first, *count; /* by card: its lanes, and the number of their messages */
    double *least;           /* by card: one over the share that a message gets */
    uint32_t *changed;       /* the cards whose count has changed since `least` was made */
    bool *is_changed;
    uint32_t changes;
};

/* `links`: switches whose links upwards are shared too; 0: none. */
bool summand__share_open(struct summand__share *share, uint32_t nodes, uint32_t links, double wide,
                         double cross);
void summand__share_free(struct summand__share *share);

/* A message begins `now`, and would take so many seconds alone. `card`: the cards out and in and,
 * unless SUMMAND__NO_LINK, a link up and one down, counted as in `nodes` and `links`. False when
 * out of memory. */
bool summand__share_begin(struct summand__share *share, uint32_t message,
                          const uint32_t card[SUMMAND__SHARED], double seconds, double now);

/* Call before time goes on from `now`, if there are `changes`. Pushes events of `kind`, whose
 * subjects are lanes. False when out of memory. */
bool summand__share_settle(struct summand__share *share, struct summand__event_queue *queue,
                           uint32_t kind, double now);

/* Answers such an event: `message` is the one that ends now, or SUMMAND__NO_FLOW if the end has
 * moved meanwhile. False when out of memory. */
bool summand__share_end(struct summand__share *share, struct summand__event_queue *queue,
                        uint32_t kind, uint32_t lane, double now, uint32_t *message);
