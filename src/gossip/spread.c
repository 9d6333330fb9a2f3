/* SPDX-License-Identifier: BSD-3-Clause */
/* Minimum and maximum by gossip: every rank passes on the extremum it knows. The operation is
 * idempotent, so there is no mass to conserve, but a wrong extremum would stay for ever. So values
 * have a checksum of their bits, in messages and in memory. A rank with a wrong copy returns to its
 * input, and receives the extremum again.
 */
#include "base/random.h"
#include "gossip/parts.h"

#include <math.h>
#include <string.h>

static uint64_t digest(const union summand__word *mass, int width)
{
    uint64_t h = 0x65787472u;
    for (int k = 0; k < width - 1; k++)
        h = summand__mix(h ^ mass[k].bits);
    return h;
}

static void start(struct summand__gossip_node *node)
{
    node->own[node->width - 1].bits = digest(node->own, node->width);
    memcpy(node->copy, node->own, node->width * sizeof *node->own);
}

static bool wrong(const union summand__word *mass, int width)
{
    return digest(mass, width) != mass[width - 1].bits;
}

static bool check(struct summand__gossip_node *node, struct summand__gossip_outbox *outbox)
{
    (void)outbox;
    if (wrong(node->own, node->width)) {
        node->counts.bad_states++;
        node->counts.repairs++;
        memcpy(node->own, node->copy, node->width * sizeof *node->own);
    }
    return false;
}

static void tick(struct summand__gossip_node *node, int64_t to,
                 struct summand__gossip_outbox *outbox)
{
    check(node, outbox);
    if (to >= 0)
        summand__gossip_post(outbox, node, to, SUMMAND__MASS, node->own);
}

/* -0 is below +0, so that ranks that receive both in different orders end with the same one. */
static bool beyond(const struct summand__gossip_node *node, union summand__word a,
                   union summand__word b)
{
    double x = node->arith->value(a), y = node->arith->value(b);
    bool larger = x > y || (x == y && !signbit(x) && signbit(y));
    bool smaller = x < y || (x == y && signbit(x) && !signbit(y));
    return node->maximum ? larger : smaller;
}

static void receive(struct summand__gossip_node *node, int64_t from,
                    const struct summand__gossip_message *message,
                    struct summand__gossip_outbox *outbox)
{
    (void)from;
    if (message->damaged || wrong(message->body, node->width)) {
        node->counts.bad_messages++;
        return;
    }
    check(node, outbox);
    for (int k = 0; k < node->width - 2; k++)
        if (beyond(node, message->body[k], node->own[k]))
            node->own[k] = message->body[k];
    node->own[node->width - 1].bits = digest(node->own, node->width);
}

static void estimate(const struct summand__gossip_node *node, double *y)
{
    for (int k = 0; k < node->width - 2; k++)
        y[k] = node->arith->value(node->own[k]);
}

const struct summand__gossip_algorithm summand__gossip_spread = {
    .name = "spread",
    .description = "minimum or maximum, in rounds of one random cycle",
    .style = SUMMAND__ROUNDS,
    .resilient = "lost messages; any flip in a message or value",
    .cost = "1 message of n + 2 words",
    .checked = true,
    .extremum = true,
    .partners = summand__cycle_partners,
    .start = start,
    .check = check,
    .tick = tick,
    .receive = receive,
    .estimate = estimate,
};
