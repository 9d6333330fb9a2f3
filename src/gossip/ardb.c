/* SPDX-License-Identifier: BSD-3-Clause */
/* Approximate recursive doubling (Casas, Gansterer, Wimmer, 2018, section 6.2): recursive doubling
 * on averages, stopped at the first step whose error is small enough. It needs the true value, so
 * only the simulators run it. N is a power of two. */
#include "gossip/parts.h"

static void receive(struct summand__gossip_node *node, int64_t from,
                    const struct summand__gossip_message *message,
                    struct summand__gossip_outbox *outbox)
{
    (void)from, (void)outbox;
    union summand__word half[SUMMAND__GOSSIP_WIDTH];
    node->arith->half(half, message->body, node->width);
    node->arith->half(node->own, node->own, node->width);
    node->arith->add(node->own, half, node->width);
}

const struct summand__gossip_algorithm summand__gossip_ardb = {
    .name = "ardb",
    .description = "recursive doubling on averages, stopped when accurate enough; needs the truth",
    .style = SUMMAND__ROUNDS,
    .resilient = "nothing",
    .cost = "1 message of n + 1 words; at most log2 N rounds",
    .study = true,
    .partners = summand__doubling_partners,
    .rounds = summand__doubling_rounds,
    .tick = summand__doubling_tick,
    .receive = receive,
    .estimate = summand__push_sum_estimate,
};
