/* SPDX-License-Identifier: BSD-3-Clause */
/* Push-flow (Niederbrucker, Strakova, Gansterer, 2012): the mass sent is kept as a flow per
 * partner, and messages carry the whole flow, so every received message repairs earlier losses. */
#include "gossip/parts.h"

static void tick(struct summand__gossip_node *node, int64_t to,
                 struct summand__gossip_outbox *outbox)
{
    union summand__word e[SUMMAND__GOSSIP_WIDTH];
    summand__gossip_total(node, e);
    summand__gossip_push(node, e, to, outbox);
}

static void receive(struct summand__gossip_node *node, int64_t from,
                    const struct summand__gossip_message *message,
                    struct summand__gossip_outbox *outbox)
{
    (void)outbox;
    union summand__word *flow = summand__gossip_flow(node, from);
    if (flow)
        summand__gossip_take_flow(node, flow, message);
}

const struct summand__gossip_algorithm summand__gossip_pf = {
    .name = "pf",
    .description = "push-flow",
    .style = SUMMAND__ASYNCHRONOUS,
    .resilient = "lost messages; flips of mantissa and sign bits",
    .cost = "1 message of n + 1 words, degree x (n + 1) additions",
    .flows = true,
    .tick = tick,
    .receive = receive,
    .estimate = summand__gossip_flow_estimate,
    .exclude = summand__gossip_flow_exclude,
};
