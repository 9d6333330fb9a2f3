/* SPDX-License-Identifier: BSD-3-Clause */
/* Push-flow with local correction (Casas, Gansterer, Wimmer, 2018, algorithm 4): flows carry a
 * checksum; a bad flow is set to zero, a bad message is dropped. */
#include "gossip/parts.h"

#include <string.h>

static void zero_bad_flows(struct summand__gossip_node *node)
{
    node->counts.bad_states++;
    for (int s = 0; s < node->slots; s++) {
        union summand__word *flow = node->flows + (size_t)s * node->width;
        if (summand__gossip_bad_flow(node, s)) {
            memset(flow, 0, node->width * sizeof *flow);
            summand__gossip_sign(node, flow);
            node->counts.resets++;
        }
    }
}

bool summand__pflc_check(struct summand__gossip_node *node, struct summand__gossip_outbox *outbox)
{
    (void)outbox;
    summand__gossip_guard(node);
    if (summand__gossip_bad_state(node))
        zero_bad_flows(node);
    return false;
}

void summand__pflc_tick(struct summand__gossip_node *node, int64_t to,
                        struct summand__gossip_outbox *outbox)
{
    union summand__word e[SUMMAND__GOSSIP_WIDTH];
    summand__pflc_check(node, outbox);
    summand__gossip_total(node, e);
    if (to >= 0)
        summand__gossip_push(node, e, to, outbox);
}

void summand__pflc_receive(struct summand__gossip_node *node, int64_t from,
                           const struct summand__gossip_message *message,
                           struct summand__gossip_outbox *outbox)
{
    (void)outbox;
    if (summand__gossip_bad_message(node, message)) {
        node->counts.bad_messages++;
        return;
    }
    union summand__word *flow = summand__gossip_flow(node, from);
    if (flow)
        summand__gossip_take_flow(node, flow, message);
}

const struct summand__gossip_algorithm summand__gossip_pflc = {
    .name = "pflc",
    .description = "push-flow with local correction",
    .style = SUMMAND__ASYNCHRONOUS,
    .resilient = "lost messages; any flip in a flow or message",
    .cost = "1 message of n + 2 words, degree x (n + 2) additions",
    .flows = true,
    .checked = true,
    .tau = {0.5, 0.5, 0},
    .check = summand__pflc_check,
    .tick = summand__pflc_tick,
    .receive = summand__pflc_receive,
    .estimate = summand__gossip_flow_estimate,
    .exclude = summand__gossip_flow_exclude,
};
