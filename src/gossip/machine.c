/* SPDX-License-Identifier: BSD-3-Clause */
/* Shared by all machines: storage, the outbox, flows, the guarded initial mass. */
#include "gossip/machine.h"

#include "kernel/seal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { PATIENCE = 1 /* draws of an edge before its flow is sent again */ };

static uint64_t seal(const union summand__word *mass, int width)
{
    return summand__seal((uint64_t)width, mass, (size_t)width);
}

static double default_tau(const struct summand__gossip_algorithm *algorithm,
                          const struct summand__arith *arith, int count)
{
    int form = 0;
    while (summand__ariths[form] != arith)
        form++;
    /* The checksum of a mass of `count` values and a weight is a sum of count + 1 terms of up to 1.
     */
    return algorithm->tau[form] * (count + 1) / 2;
}

static bool grow(struct summand__gossip_node *node, int capacity)
{
    int64_t *partners = realloc(node->partners, capacity * sizeof *partners);
    if (partners)
        node->partners = partners;
    union summand__word *flows =
        realloc(node->flows, (size_t)capacity * node->width * sizeof *flows);
    if (flows)
        node->flows = flows;
    uint64_t *seals = node->sealed ? realloc(node->seals, capacity * sizeof *seals) : NULL;
    if (seals)
        node->seals = seals;
    struct summand__turn *turns =
        node->ordered ? realloc(node->turns, capacity * sizeof *turns) : NULL;
    if (turns)
        node->turns = turns;
    bool good = partners && flows && (seals || !node->sealed) && (turns || !node->ordered);
    if (good)
        node->capacity = capacity;
    return good;
}

struct summand__gossip_node *summand__gossip_start(const struct summand__gossip_setup *setup,
                                                   const double *values, double weight)
{
    if (setup->count < 1 || setup->count > SUMMAND__GOSSIP_MOST)
        return NULL;
    int width = setup->count + 2;
    struct summand__gossip_node *node = calloc(1, sizeof *node + 2 * width * sizeof *node->own);
    if (!node)
        return NULL;
    node->algorithm = setup->algorithm;
    node->arith = setup->arith;
    node->rank = setup->rank;
    node->ranks = setup->ranks;
    node->tau =
        setup->tau >= 0 ? setup->tau : default_tau(setup->algorithm, setup->arith, setup->count);
    node->width = width;
    node->maximum = setup->maximum;
    node->sealed = setup->sealed;
    node->ordered = setup->ordered && setup->algorithm->flows &&
                    setup->algorithm->style == SUMMAND__ASYNCHRONOUS;
    node->own = (union summand__word *)(node + 1);
    node->copy = node->own + width;
    double mass[SUMMAND__GOSSIP_MOST];
    for (int k = 0; k < setup->count; k++)
        mass[k] = setup->algorithm->extremum ? values[k] : values[k] * weight;
    node->arith->load(node->own, mass, weight, width);
    memcpy(node->copy, node->own, width * sizeof *node->own);
    node->seal[0] = node->seal[1] = seal(node->own, width);
    if (setup->slots && !grow(node, setup->slots)) {
        summand__gossip_free(node);
        return NULL;
    }
    if (node->algorithm->start)
        node->algorithm->start(node);
    return node;
}

void summand__gossip_free(struct summand__gossip_node *node)
{
    if (!node)
        return;
    free(node->partners);
    free(node->flows);
    free(node->seals);
    free(node->turns);
    free(node);
}

static int slot_of(const struct summand__gossip_node *node, const union summand__word *flow)
{
    return (int)((flow - node->flows) / node->width);
}

static int64_t version_to(const struct summand__gossip_node *node, int64_t partner)
{
    const union summand__word *flow = node->ordered ? summand__gossip_find(node, partner) : NULL;
    return flow ? node->turns[slot_of(node, flow)].version : 0;
}

void summand__gossip_post(struct summand__gossip_outbox *outbox,
                          const struct summand__gossip_node *node, int64_t peer,
                          enum summand__gossip_kind kind, const union summand__word *body)
{
    if (outbox->count == outbox->capacity) {
        int capacity = outbox->capacity ? 2 * outbox->capacity : 4;
        void *grown = realloc(outbox->messages, capacity * sizeof *outbox->messages);
        if (!grown)
            return; /* a lost message: gossip tolerates it */
        outbox->messages = grown;
        outbox->capacity = capacity;
    }
    struct summand__gossip_message *message = &outbox->messages[outbox->count++];
    message->peer = peer;
    message->kind = kind;
    message->damaged = false;
    message->version = version_to(node, peer);
    if (body)
        memcpy(message->body, body, node->width * sizeof *body);
    else
        memset(message->body, 0, node->width * sizeof *body);
}

void summand__gossip_outbox_free(struct summand__gossip_outbox *outbox)
{
    free(outbox->messages);
    *outbox = (struct summand__gossip_outbox){0};
}

union summand__word *summand__gossip_find(const struct summand__gossip_node *node, int64_t partner)
{
    for (int s = 0; s < node->slots; s++)
        if (node->partners[s] == partner)
            return node->flows + (size_t)s * node->width;
    return NULL;
}

union summand__word *summand__gossip_flow(struct summand__gossip_node *node, int64_t partner)
{
    union summand__word *flow = summand__gossip_find(node, partner);
    if (flow)
        return flow;
    /* Small steps: a billion-node simulation would pay for every unused slot. */
    int more = node->capacity < 32 ? 8 : node->capacity / 4;
    if (node->slots == node->capacity && !grow(node, node->capacity + more)) {
        node->failed = true;
        return NULL;
    }
    node->partners[node->slots] = partner;
    flow = node->flows + (size_t)node->slots++ * node->width;
    memset(flow, 0, node->width * sizeof *flow);
    if (node->ordered)
        node->turns[node->slots - 1] = (struct summand__turn){0, 0};
    summand__gossip_sign(node, flow);
    return flow;
}

static uint64_t seal_of(const struct summand__gossip_node *node, int slot)
{
    uint64_t version = node->ordered ? (uint64_t)node->turns[slot].version << 32 : 0;
    return summand__seal((uint64_t)node->partners[slot] ^ version,
                         node->flows + (size_t)slot * node->width, (size_t)node->width);
}

void summand__gossip_sign(struct summand__gossip_node *node, const union summand__word *flow)
{
    if (node->sealed)
        node->seals[slot_of(node, flow)] = seal_of(node, slot_of(node, flow));
}

void summand__gossip_total(const struct summand__gossip_node *node, union summand__word *total)
{
    node->arith->total(total, node->own, node->flows, node->slots, node->width);
}

bool summand__gossip_bad(const struct summand__gossip_node *node, const union summand__word *mass)
{
    return node->arith->bad(mass, node->tau, node->width);
}

void summand__gossip_mass(const struct summand__gossip_node *node, union summand__word *mass)
{
    if (node->algorithm->flows)
        summand__gossip_total(node, mass);
    else
        memcpy(mass, node->own, node->width * sizeof *mass);
}

bool summand__gossip_bad_flow(const struct summand__gossip_node *node, int slot)
{
    return (node->sealed && node->seals[slot] != seal_of(node, slot)) ||
           summand__gossip_bad(node, node->flows + (size_t)slot * node->width);
}

bool summand__gossip_bad_message(const struct summand__gossip_node *node,
                                 const struct summand__gossip_message *message)
{
    return message->damaged || summand__gossip_bad(node, message->body);
}

bool summand__gossip_bad_state(const struct summand__gossip_node *node)
{
    union summand__word e[SUMMAND__GOSSIP_WIDTH];
    for (int s = 0; node->sealed && s < node->slots; s++)
        if (node->seals[s] != seal_of(node, s))
            return true;
    summand__gossip_total(node, e);
    return summand__gossip_bad(node, e);
}

/* The lower rank of a pair begins. */
static bool has_turn(const struct summand__gossip_node *node, int slot)
{
    return (node->turns[slot].version + (node->rank > node->partners[slot])) % 2 == 0;
}

void summand__gossip_take_flow(struct summand__gossip_node *node, union summand__word *flow,
                               const struct summand__gossip_message *message)
{
    int slot = slot_of(node, flow);
    bool bad = node->algorithm->checked && summand__gossip_bad_flow(node, slot);
    if (node->ordered && message->version <= node->turns[slot].version && !bad)
        return;
    node->arith->negate(flow, message->body, node->width);
    if (node->ordered)
        node->turns[slot] = (struct summand__turn){message->version, 0};
    summand__gossip_sign(node, flow);
}

static union summand__word *next_in_turn(struct summand__gossip_node *node,
                                         union summand__word *flow)
{
    int first = slot_of(node, flow), slot = first;
    if (!has_turn(node, first) && ++node->turns[first].missed > PATIENCE) {
        node->turns[first].missed = 0;
        return NULL;
    }
    while (!has_turn(node, slot)) {
        slot = slot + 1 < node->slots ? slot + 1 : 0;
        if (slot == first)
            return NULL;
    }
    node->turns[slot].version++;
    node->turns[slot].missed = 0;
    return node->flows + (size_t)slot * node->width;
}

void summand__gossip_push(struct summand__gossip_node *node, const union summand__word *e,
                          int64_t to, struct summand__gossip_outbox *outbox)
{
    union summand__word half[SUMMAND__GOSSIP_WIDTH];
    union summand__word *flow = summand__gossip_flow(node, to);
    if (!flow)
        return;
    union summand__word *turn = node->ordered ? next_in_turn(node, flow) : flow;
    if (!turn) { /* in case the last push was lost */
        summand__gossip_post(outbox, node, to, SUMMAND__MASS, flow);
        return;
    }
    flow = turn;
    to = node->partners[slot_of(node, flow)];
    node->arith->half(half, e, node->width);
    node->arith->subtract(flow, half, node->width);
    summand__gossip_sign(node, flow);
    summand__gossip_post(outbox, node, to, SUMMAND__MASS, flow);
}

void summand__gossip_guard(struct summand__gossip_node *node)
{
    size_t bytes = node->width * sizeof *node->own;
    bool same = !memcmp(node->own, node->copy, bytes);
    bool good = seal(node->own, node->width) == node->seal[0];
    if (same && good)
        return;
    if (!good && seal(node->copy, node->width) != node->seal[1]) {
        node->lost = true;
        return;
    }
    node->counts.bad_states++;
    node->counts.repairs++;
    if (good) {
        memcpy(node->copy, node->own, bytes);
        node->seal[1] = node->seal[0];
    } else {
        memcpy(node->own, node->copy, bytes);
        node->seal[0] = node->seal[1];
    }
}

void summand__gossip_quotient(const struct summand__gossip_node *node,
                              const union summand__word *mass, double *y)
{
    double weight = node->arith->value(mass[node->width - 2]);
    for (int k = 0; k < node->width - 2; k++)
        y[k] = node->arith->value(mass[k]) / weight;
}

void summand__gossip_flow_estimate(const struct summand__gossip_node *node, double *y)
{
    union summand__word e[SUMMAND__GOSSIP_WIDTH];
    summand__gossip_total(node, e);
    summand__gossip_quotient(node, e, y);
}

void summand__gossip_flow_exclude(struct summand__gossip_node *node, int64_t gone)
{
    union summand__word *flow = summand__gossip_find(node, gone);
    if (flow) {
        memset(flow, 0, node->width * sizeof *flow);
        summand__gossip_sign(node, flow);
        node->counts.resets++;
    }
}
