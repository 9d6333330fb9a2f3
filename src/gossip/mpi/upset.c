/* Injects faults: bits that options and environment want flipped. */
#include "gossip/mpi/runner.h"

#include <string.h>

static bool due(const struct summand__runner *r, const summand_gossip_fault *fault,
                enum summand_gossip_variable variable, int64_t when)
{
    return fault->rank == r->state->rank && fault->variable == variable && fault->round == when;
}

static void flip_mass(struct summand__runner *r, const summand_gossip_fault *how,
                      union summand__word *mass)
{
    struct summand__fault fault = {.component = (enum summand__fault_component)how->component,
                                   .bit = how->bit};
    summand__fault_mass(&fault, r->node->arith, mass, r->width, &r->faults);
}

void summand__runner_corrupt(struct summand__runner *r, struct summand__gossip_message *message)
{
    const summand_gossip_options *o = r->options;
    for (int f = 0; f < o->faults; f++)
        if (due(r, &o->fault[f], SUMMAND_GOSSIP_MESSAGE, r->round))
            flip_mass(r, &o->fault[f], message->body);
    if (r->hooked)
        flip_mass(r, &r->spoil_how, message->body);
    r->spoil = r->hooked = false;
}

static void flip(struct summand__runner *r, const summand_gossip_fault *how)
{
    struct summand__fault fault = {.variable = (enum summand__fault_variable)how->variable,
                                   .component = (enum summand__fault_component)how->component,
                                   .bit = how->bit};
    if (how->variable == SUMMAND_GOSSIP_MESSAGE)
        r->spoil = true;
    else if (how->variable < SUMMAND_GOSSIP_MESSAGE)
        summand__fault_node(&fault, r->node, &r->faults);
}

void summand__runner_inject_fault(struct summand__runner *r)
{
    const summand_gossip_options *o = r->options;
    summand_gossip_fault fault = {0};
    for (int f = 0; f < o->faults; f++)
        if (o->fault[f].rank == r->state->rank && o->fault[f].round == r->round)
            flip(r, &o->fault[f]);
    if (o->strike && o->strike(o->context, r->round, &fault)) {
        flip(r, &fault);
        r->hooked = fault.variable == SUMMAND_GOSSIP_MESSAGE;
        r->spoil_how = fault;
    }
}

static int kept_parts(const struct summand__runner *r, struct summand__guarded *part)
{
    const struct summand__gossip_node *node = r->node;
    size_t store = sizeof *r->store / 8;
    const struct summand__guard_list *list = &r->guard.list[0];
    size_t copied = 0;
    int count = 0;
    for (size_t k = 0; k < list->count; k++) {
        part[count++] = list->part[k];
        copied += list->part[k].words;
    }
    part[count++] = (struct summand__guarded){(void *)&r->guard, sizeof r->guard / 8};
    part[count++] = (struct summand__guarded){list->copy, copied};
    part[count++] = (struct summand__guarded){r->store, store};
    part[count++] = r->results;
    if (node && node->sealed) {
        size_t slots = (size_t)node->slots;
        part[count++] = (struct summand__guarded){node->flows, slots * (size_t)node->width};
        part[count++] = (struct summand__guarded){node->seals, slots};
    }
    return count;
}

/* The guard is closed: whatever is kept may be hit. */
void summand__runner_upset_kept(struct summand__runner *r)
{
    struct summand__guarded part[SUMMAND__GUARDED_MOST + 6];
    const summand_gossip_options *o = r->options;
    for (int f = 0; f < o->faults; f++) {
        const summand_gossip_fault fault = o->fault[f];
        if (!due(r, &fault, SUMMAND_GOSSIP_KEPT, r->step))
            continue;
        int count = kept_parts(r, part);
        size_t words = 0, at, k = 0;
        for (int p = 0; p < count; p++)
            words += part[p].words;
        for (at = (size_t)fault.word % words; at >= part[k].words; k++)
            at -= part[k].words;
        ((uint64_t *)part[k].at)[at] ^= (uint64_t)1 << fault.bit;
        return; /* the options themselves may have been hit */
    }
}

void summand__runner_upset_received(struct summand__runner *r, int64_t *words, int count)
{
    const summand_gossip_options *o = r->options;
    r->receipts++;
    for (int f = 0; f < o->faults; f++)
        if (due(r, &o->fault[f], SUMMAND_GOSSIP_RECEIVED, r->receipts - 1))
            words[o->fault[f].word % count] ^= (int64_t)((uint64_t)1 << o->fault[f].bit);
}
