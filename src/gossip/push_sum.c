/* SPDX-License-Identifier: BSD-3-Clause */
/* Push-sum (Kempe, Dobra, Gehrke, 2003): halve the mass, send one half. */
#include "gossip/parts.h"

void summand__push_sum_tick(struct summand__gossip_node *node, int64_t to,
                            struct summand__gossip_outbox *outbox)
{
    union summand__word half[SUMMAND__GOSSIP_WIDTH];
    if (to < 0)
        return;
    node->arith->half(half, node->own, node->width);
    node->arith->subtract(node->own, half, node->width);
    summand__gossip_post(outbox, node, to, SUMMAND__MASS, half);
}

void summand__push_sum_receive(struct summand__gossip_node *node, int64_t from,
                               const struct summand__gossip_message *message,
                               struct summand__gossip_outbox *outbox)
{
    (void)from, (void)outbox;
    node->arith->add(node->own, message->body, node->width);
}

void summand__push_sum_estimate(const struct summand__gossip_node *node, double *y)
{
    summand__gossip_quotient(node, node->own, y);
}

const struct summand__gossip_algorithm summand__gossip_ps = {
    .name = "ps",
    .description = "push-sum",
    .style = SUMMAND__ASYNCHRONOUS,
    .resilient = "reported faults only",
    .cost = "1 message of n + 1 words",
    .tick = summand__push_sum_tick,
    .receive = summand__push_sum_receive,
    .estimate = summand__push_sum_estimate,
};
