#include "lab/simulate/share.h"

#include <stdlib.h>

#define NO_FLOW UINT32_MAX

bool summand__share_open(struct summand__share *share, uint32_t nodes, double cross)
{
    size_t cards = 2 * (size_t)nodes;
    *share = (struct summand__share){.nodes = nodes,
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
    return card < share->nodes ? card + share->nodes : card - share->nodes;
}

/* Flows that share a card, for one that has its node's: none gets more than the others there. */
static double rivals(const struct summand__share *share, uint32_t card)
{
    double own = share->count[card], other = share->count[opposite(share, card)];
    if (share->cross <= 0)
        return own;
    return own > other ? own + share->cross * other : other + share->cross * own;
}

static bool reckon(struct summand__share *share, struct summand__event_queue *queue, uint32_t kind,
                   uint32_t message, double now)
{
    struct summand__flow *flow = &share->flows[message];
    double out = rivals(share, flow->card[0]), in = rivals(share, flow->card[1]);
    double part = 1.0 / (out > in ? out : in);
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

/* A card serves one direction, so a flow is on its list by the same side as all others. */
static bool reckon_card(struct summand__share *share, struct summand__event_queue *queue,
                        uint32_t kind, uint32_t card, double now)
{
    int side = card >= share->nodes;
    bool good = true;
    for (uint32_t m = share->first[card]; m != NO_FLOW && good; m = share->flows[m].next[side])
        good = reckon(share, queue, kind, m, now);
    return good;
}

static bool reckon_cards(struct summand__share *share, struct summand__event_queue *queue,
                         uint32_t kind, const uint32_t card[2], double now)
{
    bool good = true;
    for (int side = 0; side < 2; side++) {
        good = good && reckon_card(share, queue, kind, card[side], now);
        if (share->cross > 0)
            good = good && reckon_card(share, queue, kind, opposite(share, card[side]), now);
    }
    return good;
}

bool summand__share_begin(struct summand__share *share, struct summand__event_queue *queue,
                          uint32_t kind, uint32_t message, uint32_t out, uint32_t in,
                          double seconds, double now)
{
    if (!make_room(share, message))
        return false;
    share->flows[message] = (struct summand__flow){
        .card = {out, in}, .left = seconds, .since = now, .end = now, .active = true};
    put_on(share, message, 0);
    put_on(share, message, 1);
    return reckon_cards(share, queue, kind, share->flows[message].card, now);
}

bool summand__share_end(struct summand__share *share, struct summand__event_queue *queue,
                        uint32_t kind, uint32_t message, double now)
{
    share->flows[message].active = false;
    take_off(share, message, 0);
    take_off(share, message, 1);
    return reckon_cards(share, queue, kind, share->flows[message].card, now);
}

bool summand__share_ends(const struct summand__share *share, uint32_t message, double now)
{
    return message < share->capacity && share->flows[message].active &&
           share->flows[message].end == now;
}
