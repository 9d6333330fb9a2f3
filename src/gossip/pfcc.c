/* SPDX-License-Identifier: BSD-3-Clause */
/* Push-flow with cooperative correction (Casas, Gansterer, Wimmer, 2018, algorithm 5): a rank sends
 * a bad flow to its partner, which recognises it as bad and sends the good copy back. An iteration
 * that finds the own state bad pushes nothing, because the damage would spread. */
#include "gossip/parts.h"

#include <string.h>

bool summand__cooperative_check(struct summand__gossip_node *node,
                                struct summand__gossip_outbox *outbox,
                                void (*tell)(const struct summand__gossip_node *node, int slot,
                                             struct summand__gossip_outbox *outbox))
{
    summand__gossip_guard(node);
    return summand__flows_check(node, outbox, tell);
}

bool summand__flows_check(struct summand__gossip_node *node, struct summand__gossip_outbox *outbox,
                          void (*tell)(const struct summand__gossip_node *node, int slot,
                                       struct summand__gossip_outbox *outbox))
{
    bool dirty = false;
    if (!summand__gossip_bad_state(node))
        return false;
    node->counts.bad_states++;
    for (int s = 0; s < node->slots; s++)
        if (summand__gossip_bad_flow(node, s)) {
            tell(node, s, outbox);
            dirty = true;
        }
    return dirty;
}

static void send_flow(const struct summand__gossip_node *node, int slot,
                      struct summand__gossip_outbox *outbox)
{
    summand__gossip_post(outbox, node, node->partners[slot], SUMMAND__MASS,
                         node->flows + (size_t)slot * node->width);
    if (outbox->count) /* the checksum may be right although the seal is not */
        outbox->messages[outbox->count - 1].damaged = true;
}

static bool check(struct summand__gossip_node *node, struct summand__gossip_outbox *outbox)
{
    return summand__cooperative_check(node, outbox, send_flow);
}

static void tick(struct summand__gossip_node *node, int64_t to,
                 struct summand__gossip_outbox *outbox)
{
    union summand__word e[SUMMAND__GOSSIP_WIDTH];
    if (check(node, outbox))
        return;
    summand__gossip_total(node, e);
    summand__gossip_push(node, e, to, outbox);
}

static void receive(struct summand__gossip_node *node, int64_t from,
                    const struct summand__gossip_message *message,
                    struct summand__gossip_outbox *outbox)
{
    union summand__word *flow = summand__gossip_flow(node, from);
    if (!flow)
        return;
    bool bad_flow = summand__gossip_bad_flow(node, (int)((flow - node->flows) / node->width));
    if (!summand__gossip_bad_message(node, message)) {
        node->counts.repairs += bad_flow;
        summand__gossip_take_flow(node, flow, message);
        return;
    }
    node->counts.bad_messages++;
    if (bad_flow) {
        memset(flow, 0, node->width * sizeof *flow);
        summand__gossip_sign(node, flow);
        node->counts.resets++;
    }
    summand__gossip_post(outbox, node, from, SUMMAND__MASS, flow);
}

const struct summand__gossip_algorithm summand__gossip_pfcc = {
    .name = "pfcc",
    .description = "push-flow with cooperative correction",
    .style = SUMMAND__ASYNCHRONOUS,
    .resilient = "lost messages; any flip in a flow or message, without falling back",
    .cost = "1 message of n + 2 words, degree x (n + 2) additions; 2 messages per fault",
    .flows = true,
    .checked = true,
    .cooperative = true,
    .tau = {1e-10, 2e-5, 0},
    .check = check,
    .tick = tick,
    .receive = receive,
    .estimate = summand__gossip_flow_estimate,
    .exclude = summand__gossip_flow_exclude,
};
