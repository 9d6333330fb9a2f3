/* SPDX-License-Identifier: BSD-3-Clause */
/* Saves the state of a run to a file, so that an interrupted run resumes with the same bits. One
 * list of calls saves and loads it. */
#include "lab/gossip/events_run.h"
#include "lab/gossip/tape.h"

#include <stdlib.h>
#include <string.h>

enum { VERSION = 5 };

static void expect_duration(struct summand__tape *tape, const struct summand__duration *duration)
{
    summand__tape_expect_real(tape, duration->mean);
    summand__tape_expect_real(tape, duration->width);
    summand__tape_expect(tape, duration->exponential);
}

static uint64_t sum_of_topology(const struct summand__topology *t)
{
    uint64_t sum = (uint64_t)t->full;
    for (int64_t i = 0; !t->full && i < t->n; i++)
        for (int64_t k = t->start[i]; k < t->start[i + 1]; k++)
            sum = summand__mix(sum ^ (uint64_t)t->list[k]) + (uint64_t)i;
    return sum;
}

static void expect_setup(struct summand__tape *tape, const struct summand__events_setup *setup)
{
    uint64_t name[2] = {0};
    snprintf((char *)name, sizeof name, "%s", setup->algorithm->name);
    summand__tape_expect(tape, name[0]);
    snprintf((char *)name, sizeof name, "%s", setup->arith->name);
    summand__tape_expect(tape, name[0]);
    summand__tape_expect(tape, (uint64_t)setup->topology->n);
    summand__tape_expect(tape, sum_of_topology(setup->topology));
    for (int64_t i = 0; i < setup->topology->n; i++) {
        summand__tape_expect_real(tape, setup->values[i]);
        summand__tape_expect_real(tape, setup->weights ? setup->weights[i] : 1);
    }
    summand__tape_expect(tape, setup->seed);
    summand__tape_expect(tape, setup->fault_seed);
    summand__tape_expect_real(tape, setup->tau);
    summand__tape_expect(tape, setup->norm);
    summand__tape_expect(tape, setup->crossing);
    expect_duration(tape, &setup->period);
    expect_duration(tape, &setup->latency);
    summand__tape_expect_real(tape, setup->loss);
    summand__tape_expect_real(tape, setup->duplication);
    summand__tape_expect(tape, setup->fault.variable);
    summand__tape_expect(tape, setup->fault.component);
    summand__tape_expect(tape, (uint64_t)setup->fault.bit);
    summand__tape_expect(tape, (uint64_t)setup->fault_after);
    summand__tape_expect_real(tape, setup->fault_rate);
    for (int k = 0; k < setup->scripted; k++) { /* without a script the file does not change */
        const struct summand__scripted *s = &setup->script[k];
        summand__tape_expect(tape, (uint64_t)s->rank);
        summand__tape_expect(tape, (uint64_t)s->to);
        summand__tape_expect(tape,
                             (uint64_t)s->variable << 8 | (uint64_t)s->component << 1 | s->both);
        summand__tape_expect(tape, s->bits);
        summand__tape_expect(tape, (uint64_t)s->after);
        summand__tape_expect(tape, (uint64_t)s->burst);
    }
    summand__tape_expect(tape, (uint64_t)setup->stop_rank);
    summand__tape_expect_real(tape, setup->stop_time);
    summand__tape_expect_real(tape, setup->report_delay);
}

/* The flows of a node are those to its neighbours, all made at the start. */
static void pass_node(struct summand__tape *tape, struct summand__gossip_node *node)
{
    size_t words = (size_t)node->width;
    summand__tape_expect(tape, (uint64_t)node->slots);
    for (int s = 0; s < node->slots; s++)
        summand__tape_expect(tape, (uint64_t)node->partners[s]);
    summand__tape_pass(tape, node->flows, (size_t)node->slots * words * sizeof *node->flows);
    if (node->ordered)
        summand__tape_pass(tape, node->turns, (size_t)node->slots * sizeof *node->turns);
    summand__tape_pass(tape, node->own, words * sizeof *node->own);
    summand__tape_pass(tape, node->copy, words * sizeof *node->copy);
    summand__tape_pass(tape, node->seal, sizeof node->seal);
    summand__tape_pass(tape, &node->counts, sizeof node->counts);
}

static void pass_event(struct summand__tape *tape, struct summand__event *event)
{
    int32_t kind = (int32_t)event->kind;
    summand__tape_pass(tape, &event->time, sizeof event->time);
    summand__tape_pass(tape, &event->order, sizeof event->order);
    summand__tape_pass(tape, &kind, sizeof kind);
    summand__tape_pass(tape, &event->node, sizeof event->node);
    summand__tape_pass(tape, &event->from, sizeof event->from);
    summand__tape_pass(tape, &event->message, sizeof event->message);
    event->kind = (enum summand__event_kind)kind;
}

/* Makes room when it loads; only used entries are stored. */
static void pass_queue(struct summand__tape *tape, struct summand__queue *queue)
{
    int count = queue->count;
    summand__tape_pass(tape, &count, sizeof count);
    summand__tape_pass(tape, &queue->posted, sizeof queue->posted);
    if (tape->good && tape->loading) {
        bool room = count > 0 && (size_t)count <= tape->left;
        void *heap = room ? calloc((size_t)count, sizeof *queue->heap) : NULL;
        tape->good = heap;
        if (!heap)
            return;
        free(queue->heap);
        queue->heap = heap;
        queue->count = queue->capacity = count;
    }
    for (int k = 0; tape->good && k < count; k++)
        pass_event(tape, &queue->heap[k]);
}

static void pass_messages(struct summand__tape *tape, struct summand__events *r)
{
    summand__tape_pass(tape, &r->slots, sizeof r->slots);
    summand__tape_pass(tape, &r->idle_count, sizeof r->idle_count);
    if (tape->good && tape->loading) {
        tape->good = r->slots >= 0 && (size_t)r->slots <= tape->left && r->idle_count >= 0 &&
                     r->idle_count <= r->slots;
        size_t slots = tape->good ? (size_t)r->slots : 0;
        free(r->messages);
        free(r->idle);
        r->messages = calloc(slots * (size_t)(r->width + 1) + 1, sizeof *r->messages);
        r->idle = calloc(slots + 1, sizeof *r->idle);
        tape->good = tape->good && r->messages && r->idle;
    }
    if (!tape->good)
        return;
    summand__tape_pass(tape, r->messages,
                       (size_t)r->slots * (size_t)(r->width + 1) * sizeof *r->messages);
    summand__tape_pass(tape, r->idle, (size_t)r->idle_count * sizeof *r->idle);
}

static void pass_run(struct summand__tape *tape, struct summand__events *r)
{
    size_t n = (size_t)r->n;
    for (int i = 0; tape->good && i < r->n; i++)
        pass_node(tape, r->nodes[i]);
    pass_queue(tape, &r->queue);
    pass_messages(tape, r);
    summand__tape_pass(tape, r->choice, n * sizeof *r->choice);
    summand__tape_pass(tape, &r->times, sizeof r->times);
    summand__tape_pass(tape, &r->network, sizeof r->network);
    summand__tape_pass(tape, &r->faults, sizeof r->faults);
    summand__tape_pass(tape, r->error, n * sizeof *r->error);
    summand__tape_pass(tape, r->sent, n * sizeof *r->sent);
    summand__tape_pass(tape, r->stopped, n * sizeof *r->stopped);
    summand__tape_pass(tape, r->known, n * sizeof *r->known);
    summand__tape_pass(tape, &r->truth, sizeof r->truth);
    summand__tape_pass(tape, &r->alone, sizeof r->alone);
    summand__tape_pass(tape, &r->next_watch, sizeof r->next_watch);
    summand__tape_pass(tape, &r->total_sent, sizeof r->total_sent);
    summand__tape_pass(tape, r->injected, (size_t)r->setup->scripted * sizeof *r->injected);
    summand__tape_pass(tape, &r->fault_pending, sizeof r->fault_pending);
    summand__tape_pass(tape, &r->fault_next, sizeof r->fault_next);
    summand__tape_pass(tape, &r->outcome->time, sizeof r->outcome->time);
    summand__tape_pass(tape, &r->outcome->most_messages, sizeof r->outcome->most_messages);
    summand__tape_pass(tape, &r->outcome->flips, sizeof r->outcome->flips);
    summand__tape_pass(tape, &r->outcome->first, sizeof r->outcome->first);
    summand__tape_pass(tape, &r->outcome->from, sizeof r->outcome->from);
    summand__tape_pass(tape, &r->outcome->worst, sizeof r->outcome->worst);
}

bool summand__events_save(struct summand__events *run, const char *path)
{
    struct summand__tape tape;
    if (!summand__tape_save(&tape, path, "events", VERSION))
        return summand__tape_close(&tape);
    expect_setup(&tape, run->setup);
    pass_run(&tape, run);
    return summand__tape_close(&tape);
}

const char *summand__events_load(struct summand__events *run, const char *path)
{
    struct summand__tape tape;
    bool same = summand__tape_load(&tape, path, "events", VERSION);
    if (!tape.file)
        return "the checkpoint cannot be read";
    expect_setup(&tape, run->setup);
    same &= tape.good;
    pass_run(&tape, run);
    bool whole = summand__tape_close(&tape);
    for (int k = 0; whole && k < run->setup->scripted; k++)
        run->script_left -= run->injected[k];
    run->excess = 0; /* eps may have changed */
    for (int i = 0; i < run->n; i++)
        run->excess += run->error[i] > run->setup->eps;
    return whole  ? NULL
           : same ? "the checkpoint is damaged"
                  : "the checkpoint is not one of such a run, or of another version";
}
