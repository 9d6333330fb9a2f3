/* SPDX-License-Identifier: BSD-3-Clause */
#include "lab/simulate/share.h"

#include <stdlib.h>

#define NO_FLOW UINT32_MAX

bool summand__share_open(struct summand__share *share, uint32_t nodes, uint32_t links, double wide,
                         double cross)
{
    size_t cards = 2 * (size_t)nodes + 2 * (size_t)links;
    *share = (struct summand__share){.nodes = nodes,
                                     .links = links,
                                     .wide = wide,
                                     .cross = cross,
                                     .first = malloc(cards * sizeof *share->first),
                                     .count = calloc(cards, sizeof *share->count)};
    for (size_t i = 0; share->first && i < cards; i++)
        share->first[i] = NO_FLOW;
    return share->first && share->count;
}

void summand__share_free(struct summand__share *share)
{
    free(share->flows);
    free(share->first);
    free(share->count);
    *share = (struct summand__share){0};
}

static bool make_room(struct summand__share *share, uint32_t message)
{
    uint32_t capacity = share->capacity ? share->capacity : 256;
    if (message < share->capacity)
        return true;
    while (capacity <= message)
        capacity *= 2;
    struct summand__flow *flows = realloc(share->flows, capacity * sizeof *flows);
    if (!flows)
        return false;
    share->flows = flows;
    share->capacity = capacity;
    return true;
}

static void put_on(struct summand__share *share, uint32_t message, int side)
{
    struct summand__flow *flow = &share->flows[message];
    uint32_t *first = &share->first[flow->card[side]];
    flow->previous[side] = NO_FLOW;
    flow->next[side] = *first;
    if (*first != NO_FLOW)
        share->flows[*first].previous[side] = message;
    *first = message;
    share->count[flow->card[side]]++;
}

static void take_off(struct summand__share *share, uint32_t message, int side)
{
    const struct summand__flow *flow = &share->flows[message];
    uint32_t next = flow->next[side], previous = flow->previous[side];
    if (next != NO_FLOW)
        share->flows[next].previous[side] = previous;
    if (previous != NO_FLOW)
        share->flows[previous].next[side] = next;
    else
        share->first[flow->card[side]] = next;
    share->count[flow->card[side]]--;
}

static uint32_t opposite(const struct summand__share *share, uint32_t card)
{
    uint32_t cards = 2 * share->nodes;
    if (card < cards)
        return card < share->nodes ? card + share->nodes : card - share->nodes;
    return card < cards + share->links ? card + share->links : card - share->links;
}

/* The number of flows on a card, for a flow of its node: none gets more than the others there. */
static double rivals(const struct summand__share *share, uint32_t card)
{
    double own = share->count[card], other = share->count[opposite(share, card)];
    double wide = card < 2 * share->nodes ? 1 : share->wide;
    if (share->cross > 0)
        own = own > other ? own + share->cross * other : other + share->cross * own;
    return own / wide;
}

static bool reckon(struct summand__share *share, struct summand__event_queue *queue, uint32_t kind,
                   uint32_t message, double now)
{
    struct summand__flow *flow = &share->flows[message];
    double most = 0;
    for (int side = 0; side < SUMMAND__SHARED && flow->card[side] != SUMMAND__NO_LINK; side++) {
        double here = rivals(share, flow->card[side]);
        most = here > most ? here : most;
    }
    double part = 1.0 / most;
    if (part == flow->share)
        return true;
    flow->left -= (now - flow->since) * flow->share;
    if (flow->left < 0)
        flow->left = 0;
    flow->since = now;
    flow->share = part;
    flow->end = now + flow->left / part;
    return summand__event_push(queue, flow->end, kind, message);
}

static int side_of(const struct summand__share *share, uint32_t card)
{
    uint32_t cards = 2 * share->nodes;
    if (card < cards)
        return card >= share->nodes;
    return card < cards + share->links ? 2 : 3;
}

/* A card serves one direction, so all flows on its list are there with the same side. */
static bool reckon_card(struct summand__share *share, struct summand__event_queue *queue,
                        uint32_t kind, uint32_t card, double now)
{
    int side = side_of(share, card);
    bool good = true;
    for (uint32_t m = share->first[card]; m != NO_FLOW && good; m = share->flows[m].next[side])
        good = reckon(share, queue, kind, m, now);
    return good;
}

static bool reckon_cards(struct summand__share *share, struct summand__event_queue *queue,
                         uint32_t kind, const uint32_t card[SUMMAND__SHARED], double now)
{
    bool good = true;
    for (int side = 0; side < SUMMAND__SHARED && card[side] != SUMMAND__NO_LINK; side++) {
        good = good && reckon_card(share, queue, kind, card[side], now);
        if (share->cross > 0)
            good = good && reckon_card(share, queue, kind, opposite(share, card[side]), now);
    }
    return good;
}

bool summand__share_begin(struct summand__share *share, struct summand__event_queue *queue,
                          uint32_t kind, uint32_t message, const uint32_t card[SUMMAND__SHARED],
                          double seconds, double now)
{
    if (!make_room(share, message))
        return false;
    struct summand__flow *flow = &share->flows[message];
    *flow = (struct summand__flow){.left = seconds, .since = now, .end = now, .active = true};
    for (int side = 0; side < SUMMAND__SHARED; side++) {
        flow->card[side] = card[side];
        if (card[side] != SUMMAND__NO_LINK)
            put_on(share, message, side);
    }
    return reckon_cards(share, queue, kind, card, now);
}

bool summand__share_end(struct summand__share *share, struct summand__event_queue *queue,
                        uint32_t kind, uint32_t message, double now)
{
    const uint32_t *card = share->flows[message].card;
    share->flows[message].active = false;
    for (int side = 0; side < SUMMAND__SHARED && card[side] != SUMMAND__NO_LINK; side++)
        take_off(share, message, side);
    return reckon_cards(share, queue, kind, card, now);
}

bool summand__share_ends(const struct summand__share *share, uint32_t message, double now)
{
    return message < share->capacity && share->flows[message].active &&
           share->flows[message].end == now;
}
