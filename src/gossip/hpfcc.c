/* SPDX-License-Identifier: BSD-3-Clause */
/* HPFCC: cooperative correction on the schedule of HPS. A rank that finds a bad flow asks its
 * partner of that earlier round for the copy, and continues once the flow is repaired. It also asks
 * again for a bad message. The state is then bit for bit the same as without the fault; this costs
 * two messages and no round. Only if both copies of a flow are bad are both set to zero.
 *
 * It answers the open question of Casas, Gansterer, Wimmer (2018), section 6.1. */
#include "gossip/parts.h"

#include <string.h>

static void ask(const struct summand__gossip_node *node, int slot,
                struct summand__gossip_outbox *outbox)
{
    summand__gossip_post(outbox, node, node->partners[slot], SUMMAND__ASK, NULL);
}

static bool check(struct summand__gossip_node *node, struct summand__gossip_outbox *outbox)
{
    return summand__cooperative_check(node, outbox, ask);
}

static void tick(struct summand__gossip_node *node, int64_t to,
                 struct summand__gossip_outbox *outbox)
{
    union summand__word e[SUMMAND__GOSSIP_WIDTH];
    if (check(node, outbox) || to < 0)
        return;
    summand__gossip_total(node, e);
    summand__gossip_push(node, e, to, outbox);
}

static void answer(struct summand__gossip_node *node, union summand__word *flow, int64_t from,
                   struct summand__gossip_outbox *outbox)
{
    if (summand__gossip_bad_flow(node, (int)((flow - node->flows) / node->width))) {
        memset(flow, 0, node->width * sizeof *flow);
        summand__gossip_sign(node, flow);
        node->counts.resets++;
    }
    summand__gossip_post(outbox, node, from, SUMMAND__GIVE, flow);
}

static void receive(struct summand__gossip_node *node, int64_t from,
                    const struct summand__gossip_message *message,
                    struct summand__gossip_outbox *outbox)
{
    union summand__word *flow = summand__gossip_flow(node, from);
    if (!flow)
        return;
    if (message->kind == SUMMAND__ASK) {
        answer(node, flow, from, outbox);
        return;
    }
    if (summand__gossip_bad_message(node, message)) {
        node->counts.bad_messages++;
        summand__gossip_post(outbox, node, from, SUMMAND__ASK, NULL);
        return;
    }
    node->counts.repairs += message->kind == SUMMAND__GIVE;
    node->arith->negate(flow, message->body, node->width);
    summand__gossip_sign(node, flow);
}

const struct summand__gossip_algorithm summand__gossip_hpfcc = {
    .name = "hpfcc",
    .description = "push-flow with cooperative correction in rounds of one random cycle",
    .style = SUMMAND__ROUNDS,
    .resilient = "any flip in a flow, message or input; heals in the same round",
    .cost = "1 message of n + 2 words, up to 2 x round x (n + 2) additions; 2 messages per fault",
    .flows = true,
    .checked = true,
    .cooperative = true,
    .tau = {1e-10, 2e-5, 0},
    .partners = summand__cycle_partners,
    .check = check,
    .tick = tick,
    .receive = receive,
    .estimate = summand__gossip_flow_estimate,
    .exclude = summand__gossip_flow_exclude,
};
