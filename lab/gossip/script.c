/* SPDX-License-Identifier: BSD-3-Clause */
#include "lab/gossip/script.h"

#include "lab/gossip/events_run.h"

const char *summand__script_check(const struct summand__events *r)
{
    const struct summand__topology *t = r->setup->topology;
    for (int k = 0; k < r->setup->scripted; k++) {
        const struct summand__scripted *s = &r->setup->script[k];
        bool flow = s->variable == SUMMAND__FAULT_FLOW, edge = s->to < 0;
        if (!edge && s->variable == SUMMAND__FAULT_INPUT)
            return "a scripted fault names an edge, but an input has none";
        if (s->rank < 0 || s->rank >= r->n)
            return "a scripted fault names a process that does not exist";
        for (int64_t i = 0; !edge && i < summand__topology_degree(t, s->rank); i++)
            edge = summand__topology_neighbour(t, s->rank, i) == s->to;
        if (!edge)
            return "a scripted fault names an edge that does not exist";
        if (s->both && ((flow && s->to < 0) || s->variable == SUMMAND__FAULT_MESSAGE))
            return "both copies of a scripted fault: of the input, or of a flow to a given process";
        if (flow && !r->setup->algorithm->flows)
            return "a scripted fault names a flow, but the algorithm has none";
    }
    return NULL;
}

static bool due(const struct summand__events *r, int k, int rank, bool message)
{
    const struct summand__scripted *s = &r->setup->script[k];
    return s->rank == rank && (s->variable == SUMMAND__FAULT_MESSAGE) == message &&
           r->injected[k] < s->burst && r->sent[rank] >= s->after + r->injected[k];
}

static void flip(struct summand__events *r, const struct summand__scripted *s,
                 union summand__word *mass)
{
    struct summand__fault fault = {.component = s->component};
    for (fault.bit = 0; fault.bit < 64; fault.bit++)
        if (s->bits >> fault.bit & 1) {
            struct summand__random random = r->faults; /* the same component for all bits */
            summand__fault_mass(&fault, r->setup->arith, mass, r->width, &random);
            r->outcome->flips++;
        }
}

static void inject_node(struct summand__events *r, const struct summand__scripted *s)
{
    struct summand__gossip_node *node = r->nodes[s->rank];
    uint64_t drawn = summand__random_bits(&r->faults);
    union summand__word *mass = node->own;
    if (s->variable == SUMMAND__FAULT_FLOW && s->to >= 0)
        mass = summand__gossip_find(node, s->to);
    else if (s->variable == SUMMAND__FAULT_FLOW && node->slots)
        mass = node->flows + (size_t)(drawn % (uint64_t)node->slots) * (size_t)node->width;
    if (mass)
        flip(r, s, mass);
    if (!s->both)
        return;
    mass = s->variable == SUMMAND__FAULT_FLOW ? summand__gossip_find(r->nodes[s->to], s->rank)
                                              : node->copy;
    if (mass)
        flip(r, s, mass);
}

bool summand__script_tick(struct summand__events *r, int node, int64_t *other)
{
    bool injected = false;
    *other = -1;
    for (int k = 0; k < r->setup->scripted; k++)
        if (due(r, k, node, false)) {
            const struct summand__scripted *s = &r->setup->script[k];
            inject_node(r, s);
            r->injected[k]++;
            r->script_left--;
            injected = true;
            if (s->both && s->variable == SUMMAND__FAULT_FLOW)
                *other = s->to;
        }
    return injected;
}

void summand__script_send(struct summand__events *r, int from,
                          struct summand__gossip_message *message)
{
    for (int k = 0; k < r->setup->scripted; k++) {
        const struct summand__scripted *s = &r->setup->script[k];
        if (!due(r, k, from, true) || (s->to >= 0 && s->to != message->peer))
            continue;
        summand__random_bits(&r->faults);
        flip(r, s, message->body);
        r->injected[k]++;
        r->script_left--;
    }
}
