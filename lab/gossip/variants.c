/* SPDX-License-Identifier: BSD-3-Clause */
/* Casas, Gansterer, Wimmer (2018):
 *
 * hps-permutation, hpflc-permutation: in each round any random permutation, not one cycle through
 * all ranks (section 6). A rank that is its own image rests. Two ranks that are each other's image
 * send at the same time, so that flows overwrite each other; that is why section 6.1 has cycles.
 *
 * pfcc-printed: algorithm 5 word for word. Line 11 takes half of e_j, the partner's estimate. No
 * process knows it, so the algorithm cannot run; here the simulator shows it. Line 6 sends f_ij to
 * k, where j is the partner of the iteration before. And an iteration that finds the own state bad
 * pushes all the same.
 *
 * pfcc-recomputed: there is no second copy of the input. A bad one is the estimate, which is kept,
 * less the sum of the flows (section 4.5). */
#include "lab/gossip/variants.h"

#include "base/permutation.h"
#include "gossip/parts.h"

#include <string.h>

static struct summand__partners permutation_partners(uint64_t seed, int64_t ranks, int round,
                                                     int64_t rank)
{
    struct summand__permutation p;
    summand__permutation_make(&p, (uint64_t)ranks, seed, (uint64_t)round);
    int64_t to = (int64_t)summand__permutation_at(&p, (uint64_t)rank);
    if (to == rank)
        return (struct summand__partners){-1, -1};
    return (struct summand__partners){to, (int64_t)summand__permutation_where(&p, (uint64_t)rank)};
}

static const struct summand__gossip_algorithm hps_permutation = {
    .name = "hps-permutation",
    .description = "push-sum in rounds of any random permutation",
    .style = SUMMAND__ROUNDS,
    .resilient = "nothing",
    .cost = "1 message of n + 1 words",
    .study = true,
    .partners = permutation_partners,
    .tick = summand__push_sum_tick,
    .receive = summand__push_sum_receive,
    .estimate = summand__push_sum_estimate,
};

static const struct summand__gossip_algorithm hpflc_permutation = {
    .name = "hpflc-permutation",
    .description = "push-flow with local correction in rounds of any random permutation",
    .style = SUMMAND__ROUNDS,
    .resilient = "nothing: messages that cross lose mass",
    .cost = "1 message of n + 2 words",
    .flows = true,
    .checked = true,
    .study = true,
    .tau = {0.5, 0.5, 0},
    .partners = permutation_partners,
    .check = summand__pflc_check,
    .tick = summand__pflc_tick,
    .receive = summand__pflc_receive,
    .estimate = summand__gossip_flow_estimate,
    .exclude = summand__gossip_flow_exclude,
};

static union summand__word *flow_at(const struct summand__gossip_node *node, int slot)
{
    return node->flows + (size_t)slot * node->width;
}

/* These machines keep no second copy of the input: its place has e_j, and the place of its seal has
 * the slot of the last partner, from 1 on. */
static void see_estimate(struct summand__gossip_node *node,
                         const struct summand__gossip_node *partner)
{
    summand__gossip_total(partner, node->copy);
}

static void begin_printed(struct summand__gossip_node *node)
{
    node->seal[1] = 0;
}

static void tick_printed(struct summand__gossip_node *node, int64_t to,
                         struct summand__gossip_outbox *outbox)
{
    union summand__word e[SUMMAND__GOSSIP_WIDTH];
    int last = (int)node->seal[1];
    summand__gossip_total(node, e);
    if (summand__gossip_bad(node, e)) {
        node->counts.bad_states++;
        for (int k = 0; last && k < node->slots; k++)
            if (summand__gossip_bad_flow(node, k))
                summand__gossip_post(outbox, node, node->partners[k], SUMMAND__MASS,
                                     flow_at(node, last - 1));
    }
    union summand__word *flow = to >= 0 ? summand__gossip_flow(node, to) : NULL;
    if (!flow)
        return;
    node->seal[1] = (uint64_t)((flow - node->flows) / node->width) + 1;
    summand__gossip_push(node, node->copy, to, outbox);
}

static void receive_printed(struct summand__gossip_node *node, int64_t from,
                            const struct summand__gossip_message *message,
                            struct summand__gossip_outbox *outbox)
{
    summand__gossip_pfcc.receive(node, from, message, outbox);
}

static const struct summand__gossip_algorithm pfcc_printed = {
    .name = "pfcc-printed",
    .description = "algorithm 5 word for word: each push is half of the partner's estimate",
    .style = SUMMAND__ASYNCHRONOUS,
    .resilient = "nothing: it does not converge",
    .cost = "1 message of n + 2 words",
    .flows = true,
    .checked = true,
    .study = true,
    .tau = {1e-10, 2e-5, 0},
    .start = begin_printed,
    .tick = tick_printed,
    .receive = receive_printed,
    .estimate = summand__gossip_flow_estimate,
    .exclude = summand__gossip_flow_exclude,
};

static void keep_estimate(struct summand__gossip_node *node)
{
    union summand__word e[SUMMAND__GOSSIP_WIDTH];
    summand__gossip_total(node, e);
    if (!summand__gossip_bad(node, e))
        memcpy(node->copy, e, node->width * sizeof *e);
}

static bool any_bad_flow(const struct summand__gossip_node *node)
{
    for (int s = 0; s < node->slots; s++)
        if (summand__gossip_bad_flow(node, s))
            return true;
    return false;
}

static void recompute_input(struct summand__gossip_node *node)
{
    if (!summand__gossip_bad(node, node->own) || summand__gossip_bad(node, node->copy) ||
        any_bad_flow(node))
        return;
    node->counts.bad_states++;
    node->counts.repairs++;
    memcpy(node->own, node->copy, node->width * sizeof *node->own);
    for (int s = 0; s < node->slots; s++)
        node->arith->subtract(node->own, flow_at(node, s), node->width);
}

static void send_flow(const struct summand__gossip_node *node, int slot,
                      struct summand__gossip_outbox *outbox)
{
    summand__gossip_post(outbox, node, node->partners[slot], SUMMAND__MASS, flow_at(node, slot));
}

static bool check_recomputed(struct summand__gossip_node *node,
                             struct summand__gossip_outbox *outbox)
{
    recompute_input(node);
    return summand__flows_check(node, outbox, send_flow);
}

static void tick_recomputed(struct summand__gossip_node *node, int64_t to,
                            struct summand__gossip_outbox *outbox)
{
    union summand__word e[SUMMAND__GOSSIP_WIDTH];
    if (check_recomputed(node, outbox))
        return;
    summand__gossip_total(node, e);
    summand__gossip_push(node, e, to, outbox);
    keep_estimate(node);
}

static void receive_recomputed(struct summand__gossip_node *node, int64_t from,
                               const struct summand__gossip_message *message,
                               struct summand__gossip_outbox *outbox)
{
    recompute_input(node);
    summand__gossip_pfcc.receive(node, from, message, outbox);
    keep_estimate(node);
}

static const struct summand__gossip_algorithm pfcc_recomputed = {
    .name = "pfcc-recomputed",
    .description = "pfcc; a bad input is recomputed from the estimate and the flows",
    .style = SUMMAND__ASYNCHRONOUS,
    .resilient = "lost messages; any flip in a flow, a message or an input above tau",
    .cost = "1 message of n + 2 words, degree x (n + 2) additions; 2 messages per fault",
    .flows = true,
    .checked = true,
    .cooperative = true,
    .study = true,
    .tau = {1e-10, 2e-5, 0},
    .check = check_recomputed,
    .tick = tick_recomputed,
    .receive = receive_recomputed,
    .estimate = summand__gossip_flow_estimate,
    .exclude = summand__gossip_flow_exclude,
};

static const struct summand__gossip_variant variants[] = {
    {&hps_permutation, NULL},
    {&hpflc_permutation, NULL},
    {&pfcc_printed, see_estimate},
    {&pfcc_recomputed, NULL},
};

struct summand__gossip_variant summand__gossip_variant_named(const char *name)
{
    for (size_t i = 0; i < sizeof variants / sizeof *variants; i++)
        if (!strcmp(variants[i].algorithm->name, name))
            return variants[i];
    return (struct summand__gossip_variant){summand__gossip_named(name), NULL};
}
