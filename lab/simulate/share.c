/* SPDX-License-Identifier: BSD-3-Clause */
#include "lab/simulate/share.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define NO_LANE UINT32_MAX

bool summand__share_open(struct summand__share *share, uint32_t nodes, uint32_t links, double wide,
                         double cross)
{
    size_t cards = 2 * (size_t)nodes + 2 * (size_t)links;
    *share = (struct summand__share){.free = NO_LANE,
                                     .nodes = nodes,
                                     .links = links,
                                     .wide = wide,
                                     .cross = cross,
                                     .first = malloc(cards * sizeof *share->first),
                                     .count = calloc(cards, sizeof *share->count)};
    for (size_t i = 0; share->first && i < cards; i++)
        share->first[i] = NO_LANE;
    return share->first && share->count;
}

void summand__share_free(struct summand__share *share)
{
    for (uint32_t l = 0; l < share->used; l++)
        summand__event_queue_free(&share->lanes[l].ends);
    free(share->lanes);
    free(share->first);
    free(share->count);
    *share = (struct summand__share){0};
}

static void put_on(struct summand__share *share, uint32_t at, int side)
{
    struct summand__lane *lane = &share->lanes[at];
    uint32_t *first = &share->first[lane->card[side]];
    lane->previous[side] = NO_LANE;
    lane->next[side] = *first;
    if (*first != NO_LANE)
        share->lanes[*first].previous[side] = at;
    *first = at;
}

static void take_off(struct summand__share *share, uint32_t at, int side)
{
    const struct summand__lane *lane = &share->lanes[at];
    uint32_t next = lane->next[side], previous = lane->previous[side];
    if (next != NO_LANE)
        share->lanes[next].previous[side] = previous;
    if (previous != NO_LANE)
        share->lanes[previous].next[side] = next;
    else
        share->first[lane->card[side]] = next;
}

static uint32_t take_free(struct summand__share *share)
{
    uint32_t at = share->free;
    if (at != NO_LANE) {
        share->free = share->lanes[at].next[0];
        return at;
    }
    if (share->used == share->capacity) {
        uint32_t capacity = share->capacity ? 2 * share->capacity : 64;
        struct summand__lane *lanes = realloc(share->lanes, capacity * sizeof *lanes);
        if (!lanes)
            return NO_LANE;
        share->lanes = lanes;
        share->capacity = capacity;
    }
    share->lanes[share->used].ends = (struct summand__event_queue){0};
    return share->used++;
}

/* The lane between these cards, a new one if there is none. NO_LANE when out of memory. */
static uint32_t lane_of(struct summand__share *share, const uint32_t card[SUMMAND__SHARED],
                        double now)
{
    uint32_t at = share->first[card[0]];
    while (at != NO_LANE && memcmp(share->lanes[at].card, card, sizeof share->lanes[at].card) != 0)
        at = share->lanes[at].next[0];
    if (at != NO_LANE)
        return at;
    at = take_free(share);
    if (at == NO_LANE)
        return at;
    struct summand__lane *lane = &share->lanes[at];
    *lane = (struct summand__lane){.since = now, .due = INFINITY, .ends = lane->ends};
    for (int side = 0; side < SUMMAND__SHARED; side++) {
        lane->card[side] = card[side];
        if (card[side] != SUMMAND__NO_LINK)
            put_on(share, at, side);
    }
    return at;
}

static void count(struct summand__share *share, const uint32_t card[SUMMAND__SHARED], uint32_t more)
{
    for (int side = 0; side < SUMMAND__SHARED && card[side] != SUMMAND__NO_LINK; side++)
        share->count[card[side]] += more;
}

static uint32_t opposite(const struct summand__share *share, uint32_t card)
{
    uint32_t cards = 2 * share->nodes;
    if (card < cards)
        return card < share->nodes ? card + share->nodes : card - share->nodes;
    return card < cards + share->links ? card + share->links : card - share->links;
}

/* The number of messages on a card, for one of its node: none gets more than the others there. */
static double rivals(const struct summand__share *share, uint32_t card)
{
    double own = share->count[card];
    if (share->cross > 0) {
        double other = share->count[opposite(share, card)];
        own = own > other ? own + share->cross * other : other + share->cross * own;
    }
    return card < 2 * share->nodes ? own : own / share->wide;
}

/* Pushes an event for the lane's first end, unless one is under way that comes no later. */
static bool watch(struct summand__share *share, struct summand__event_queue *queue, uint32_t kind,
                  uint32_t at)
{
    struct summand__lane *lane = &share->lanes[at];
    double due = lane->since + (lane->ends.heap[0].time - lane->clock) / lane->share;
    if (due >= lane->due)
        return true;
    lane->due = due;
    return summand__event_push(queue, due, kind, at);
}

static bool reckon(struct summand__share *share, struct summand__event_queue *queue, uint32_t kind,
                   uint32_t at, double now)
{
    struct summand__lane *lane = &share->lanes[at];
    double most = 0;
    for (int side = 0; side < SUMMAND__SHARED && lane->card[side] != SUMMAND__NO_LINK; side++) {
        double here = rivals(share, lane->card[side]);
        most = here > most ? here : most;
    }
    double part = 1.0 / most;
    if (part != lane->share) {
        lane->clock += (now - lane->since) * lane->share;
        lane->since = now;
        lane->share = part;
    }
    return watch(share, queue, kind, at);
}

static int side_of(const struct summand__share *share, uint32_t card)
{
    uint32_t cards = 2 * share->nodes;
    if (card < cards)
        return card >= share->nodes;
    return card < cards + share->links ? 2 : 3;
}

/* A card serves one direction, so all lanes on its list are there with the same side. */
static bool reckon_card(struct summand__share *share, struct summand__event_queue *queue,
                        uint32_t kind, uint32_t card, double now)
{
    int side = side_of(share, card);
    bool good = true;
    for (uint32_t l = share->first[card]; l != NO_LANE && good; l = share->lanes[l].next[side])
        good = reckon(share, queue, kind, l, now);
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
    uint32_t at = lane_of(share, card, now);
    if (at == NO_LANE)
        return false;
    struct summand__lane *lane = &share->lanes[at];
    double clock = lane->clock + (now - lane->since) * lane->share;
    if (!summand__event_push(&lane->ends, clock + seconds, 0, message))
        return false;
    count(share, card, 1);
    return reckon_cards(share, queue, kind, card, now);
}

bool summand__share_end(struct summand__share *share, struct summand__event_queue *queue,
                        uint32_t kind, uint32_t at, double now, uint32_t *message)
{
    struct summand__lane *lane = &share->lanes[at];
    *message = SUMMAND__NO_FLOW;
    if (now != lane->due)
        return true;
    lane->due = INFINITY;
    if (lane->since + (lane->ends.heap[0].time - lane->clock) / lane->share > now)
        return watch(share, queue, kind, at);
    *message = summand__event_pop(&lane->ends).subject;
    uint32_t card[SUMMAND__SHARED];
    memcpy(card, lane->card, sizeof card);
    count(share, card, UINT32_MAX);
    if (!lane->ends.length) {
        for (int side = 0; side < SUMMAND__SHARED && card[side] != SUMMAND__NO_LINK; side++)
            take_off(share, at, side);
        lane->next[0] = share->free;
        share->free = at;
    }
    return reckon_cards(share, queue, kind, card, now);
}
