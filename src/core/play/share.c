/* SPDX-License-Identifier: BSD-3-Clause */
#include "play/share.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "play/grow.h"

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
                                     .count = calloc(cards, sizeof *share->count),
                                     .least = calloc(cards, sizeof *share->least),
                                     .changed = malloc(cards * sizeof *share->changed),
                                     .is_changed = calloc(cards, sizeof *share->is_changed)};
    for (size_t i = 0; share->first && i < cards; i++)
        share->first[i] = NO_LANE;
    return share->first && share->count && share->least && share->changed && share->is_changed;
}

void summand__share_free(struct summand__share *share)
{
    free(share->lanes);
    free(share->flows);
    free(share->first);
    free(share->count);
    free(share->least);
    free(share->changed);
    free(share->is_changed);
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
        void *grown = summand__grown(share->lanes, &share->capacity, sizeof *share->lanes);
        if (!grown)
            return NO_LANE;
        share->lanes = grown;
    }
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
    *lane = (struct summand__lane){
        .since = now, .due = INFINITY, .first = SUMMAND__NO_FLOW, .last = SUMMAND__NO_FLOW};
    for (int side = 0; side < SUMMAND__SHARED; side++) {
        lane->card[side] = card[side];
        if (card[side] != SUMMAND__NO_LINK)
            put_on(share, at, side);
    }
    return at;
}

static uint32_t opposite(const struct summand__share *share, uint32_t card)
{
    uint32_t cards = 2 * share->nodes;
    if (card < cards)
        return card < share->nodes ? card + share->nodes : card - share->nodes;
    return card < cards + share->links ? card + share->links : card - share->links;
}

static void change(struct summand__share *share, uint32_t card)
{
    if (!share->is_changed[card])
        share->changed[share->changes++] = card;
    share->is_changed[card] = true;
}

static void count(struct summand__share *share, const uint32_t card[SUMMAND__SHARED], uint32_t more)
{
    for (int side = 0; side < SUMMAND__SHARED && card[side] != SUMMAND__NO_LINK; side++) {
        share->count[card[side]] += more;
        change(share, card[side]);
        if (share->cross > 0)
            change(share, opposite(share, card[side]));
    }
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
    double due = lane->since + (share->flows[lane->first].end - lane->clock) / lane->share;
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
        double here = share->least[lane->card[side]];
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
bool summand__share_settle(struct summand__share *share, struct summand__event_queue *queue,
                           uint32_t kind, double now)
{
    bool good = true;
    for (uint32_t i = 0; i < share->changes; i++)
        share->least[share->changed[i]] = rivals(share, share->changed[i]);
    for (uint32_t i = 0; i < share->changes; i++) {
        uint32_t card = share->changed[i];
        int side = side_of(share, card);
        share->is_changed[card] = false;
        for (uint32_t l = share->first[card]; l != NO_LANE && good; l = share->lanes[l].next[side])
            good = reckon(share, queue, kind, l, now);
    }
    share->changes = 0;
    return good;
}

/* Enters a message among those of its lane. */
static bool enter(struct summand__share *share, struct summand__lane *lane, uint32_t message,
                  double end)
{
    while (message >= share->flow_room) {
        void *grown = summand__grown(share->flows, &share->flow_room, sizeof *share->flows);
        if (!grown)
            return false;
        share->flows = grown;
    }
    uint32_t before = lane->last;
    while (before != SUMMAND__NO_FLOW && share->flows[before].end > end)
        before = share->flows[before].previous;
    uint32_t *link = before == SUMMAND__NO_FLOW ? &lane->first : &share->flows[before].next;
    share->flows[message] = (struct summand__flow){end, *link, before};
    *(*link == SUMMAND__NO_FLOW ? &lane->last : &share->flows[*link].previous) = message;
    *link = message;
    return true;
}

bool summand__share_begin(struct summand__share *share, uint32_t message,
                          const uint32_t card[SUMMAND__SHARED], double seconds, double now)
{
    uint32_t at = lane_of(share, card, now);
    if (at == NO_LANE)
        return false;
    struct summand__lane *lane = &share->lanes[at];
    double clock = lane->clock + (now - lane->since) * lane->share;
    count(share, card, 1);
    return enter(share, lane, message, clock + seconds);
}

/* Takes the first message off its lane. */
static uint32_t leave(struct summand__share *share, struct summand__lane *lane)
{
    uint32_t message = lane->first;
    lane->first = share->flows[message].next;
    *(lane->first == SUMMAND__NO_FLOW ? &lane->last : &share->flows[lane->first].previous) =
        SUMMAND__NO_FLOW;
    return message;
}

bool summand__share_end(struct summand__share *share, struct summand__event_queue *queue,
                        uint32_t kind, uint32_t at, double now, uint32_t *message)
{
    struct summand__lane *lane = &share->lanes[at];
    *message = SUMMAND__NO_FLOW;
    if (now != lane->due)
        return true;
    lane->due = INFINITY;
    double end = share->flows[lane->first].end;
    if (lane->since + (end - lane->clock) / lane->share > now)
        return watch(share, queue, kind, at);
    *message = leave(share, lane);
    uint32_t card[SUMMAND__SHARED];
    memcpy(card, lane->card, sizeof card);
    count(share, card, UINT32_MAX);
    if (lane->first != SUMMAND__NO_FLOW && share->flows[lane->first].end == end) {
        lane->due = now;
        return summand__event_push(queue, now, kind, at);
    }
    if (lane->first != SUMMAND__NO_FLOW)
        return true;
    for (int side = 0; side < SUMMAND__SHARED && card[side] != SUMMAND__NO_LINK; side++)
        take_off(share, at, side);
    lane->next[0] = share->free;
    share->free = at;
    return true;
}
