/* SPDX-License-Identifier: BSD-3-Clause */
/* Injects faults: flips the bits that options and environment name. */
#include <string.h>
#include <summand/gossip_faults.h>

#include "gossip/mpi/runner.h"
#include "kernel/fpenv_call.h"

/* None, if the caller gave none. */
static const summand_gossip_faults *faults_of(const struct summand__runner *r)
{
    static const summand_gossip_faults none;
    return r->options->faults ? r->options->faults : &none;
}

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
    const summand_gossip_faults *o = faults_of(r);
    for (int f = 0; f < o->count; f++)
        if (due(r, &o->fault[f], SUMMAND_GOSSIP_MESSAGE, r->round))
            flip_mass(r, &o->fault[f], message->body);
    if (r->hooked)
        flip_mass(r, &r->injected, message->body);
    r->inject = r->hooked = false;
}

static void flip(struct summand__runner *r, const summand_gossip_fault *how)
{
    struct summand__fault fault = {.variable = (enum summand__fault_variable)how->variable,
                                   .component = (enum summand__fault_component)how->component,
                                   .bit = how->bit};
    if (how->variable == SUMMAND_GOSSIP_MESSAGE)
        r->inject = true;
    else if (how->variable < SUMMAND_GOSSIP_MESSAGE)
        summand__fault_node(&fault, r->node, &r->faults);
}

void summand__runner_inject_fault(struct summand__runner *r)
{
    const summand_gossip_faults *o = faults_of(r);
    summand_gossip_fault fault = {0};
    for (int f = 0; f < o->count; f++)
        if (o->fault[f].rank == r->state->rank && o->fault[f].round == r->round)
            flip(r, &o->fault[f]);
    struct summand__fpenv *lent = summand__fpenv_lend();
    bool strikes = o->inject && o->inject(o->context, r->round, &fault);
    summand__fpenv_take_back(lent);
    if (strikes) {
        flip(r, &fault);
        r->hooked = fault.variable == SUMMAND_GOSSIP_MESSAGE;
        r->injected = fault;
    }
}

static struct summand__guarded part_of(const void *at, size_t bytes)
{
    return (struct summand__guarded){(void *)at, bytes / 8};
}

/* The parts of a guard itself, and of its copy. */
static int guard_parts(const struct summand__guard *guard, struct summand__guarded *part)
{
    const struct summand__guard_list *list = &guard->list[0];
    size_t copied = 0;
    for (size_t k = 0; k < list->count; k++)
        copied += list->part[k].words;
    part[0] = part_of(guard, sizeof *guard);
    part[1] = part_of(list->copy, 8 * copied);
    return 2;
}

static int node_parts(const struct summand__gossip_node *node, struct summand__guarded *part)
{
    size_t slots = (size_t)node->slots, width = (size_t)node->width;
    int count = 0;
    part[count++] = part_of(node, sizeof *node + 2 * width * sizeof *node->own);
    part[count++] = part_of(node->partners, slots * sizeof *node->partners);
    if (node->sealed) { /* without seals nothing would detect a flip in flows */
        part[count++] = part_of(node->flows, slots * width * sizeof *node->flows);
        part[count++] = part_of(node->seals, slots * sizeof *node->seals);
    }
    if (node->ordered)
        part[count++] = part_of(node->turns, slots * sizeof *node->turns);
    return count;
}

/* Covers all existing data, not only guarded data, so it also hits data that the code forgets to
 * guard. */
int summand__runner_kept(const struct summand__runner *r, struct summand__guarded *part)
{
    const struct summand__topology *t = r->topology;
    size_t questions = (size_t)r->state->ranks * sizeof *r->store->questions;
    int count = 0;
    part[count++] = r->home[0];
    part[count++] = r->home[1];
    part[count++] = part_of(r->operands, (size_t)((char *)r->layout - (char *)r->operands));
    count += guard_parts(&r->guard, part + count);
    count += guard_parts(r->layout, part + count);
    part[count++] = part_of(r->store, sizeof *r->store + questions);
    part[count++] = r->results;
    if (t && !t->full) {
        const int64_t *start = t->start + r->state->rank;
        part[count++] = part_of(start, 2 * sizeof *start);
        part[count++] = part_of(t->list + start[0], (size_t)(start[1] - start[0]) * 8);
    }
    if (r->node)
        count += node_parts(r->node, part + count);
    return count;
}

/* The guard is closed: any stored data may be hit. */
void summand__runner_upset_kept(struct summand__runner *r)
{
    struct summand__guarded part[SUMMAND__KEPT_PARTS];
    const summand_gossip_faults *o = faults_of(r);
    for (int f = 0; f < o->count; f++) {
        const summand_gossip_fault fault = o->fault[f];
        if (!due(r, &fault, SUMMAND_GOSSIP_KEPT, r->step))
            continue;
        int count = summand__runner_kept(r, part);
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
    const summand_gossip_faults *o = faults_of(r);
    r->receipts++;
    for (int f = 0; f < o->count; f++)
        if (due(r, &o->fault[f], SUMMAND_GOSSIP_RECEIVED, r->receipts - 1))
            words[o->fault[f].word % count] ^= (int64_t)((uint64_t)1 << o->fault[f].bit);
}
