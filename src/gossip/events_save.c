/* The state of a run on a file, so that an interrupted one goes on to the same bits. What is saved
 * and what is loaded are one list. */
#include "gossip/events_run.h"

#include "base/output.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct tape {
    FILE *file;
    bool loading, good;
    size_t left;  /* bytes to be loaded */
    uint64_t sum; /* of all bytes so far */
};

static void pass(struct tape *tape, void *data, size_t bytes)
{
    const unsigned char *byte = data;
    if (!tape->good || !bytes)
        return;
    if (tape->loading && bytes > tape->left) {
        tape->good = false;
        return;
    }
    tape->left -= tape->loading ? bytes : 0;
    tape->good = tape->loading ? fread(data, 1, bytes, tape->file) == bytes
                               : fwrite(data, 1, bytes, tape->file) == bytes;
    for (size_t i = 0; tape->good && i < bytes; i++) /* FNV-1a */
        tape->sum = (tape->sum ^ byte[i]) * 0x100000001b3u;
}

/* What must be the same when the run goes on. */
static void expect(struct tape *tape, uint64_t value)
{
    uint64_t stored = value;
    pass(tape, &stored, sizeof stored);
    tape->good = tape->good && stored == value;
}

static void expect_real(struct tape *tape, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    expect(tape, bits);
}

static void expect_duration(struct tape *tape, const struct summand__duration *duration)
{
    expect_real(tape, duration->mean);
    expect_real(tape, duration->width);
    expect(tape, duration->exponential);
}

static uint64_t sum_of_topology(const struct summand__topology *t)
{
    uint64_t sum = (uint64_t)t->full;
    for (int64_t i = 0; !t->full && i < t->n; i++)
        for (int64_t k = t->start[i]; k < t->start[i + 1]; k++)
            sum = summand__mix(sum ^ (uint64_t)t->list[k]) + (uint64_t)i;
    return sum;
}

static void expect_setup(struct tape *tape, const struct summand__events_setup *setup)
{
    uint64_t name[2] = {0};
    snprintf((char *)name, sizeof name, "%s", setup->algorithm->name);
    expect(tape, name[0]);
    snprintf((char *)name, sizeof name, "%s", setup->arith->name);
    expect(tape, name[0]);
    expect(tape, (uint64_t)setup->topology->n);
    expect(tape, sum_of_topology(setup->topology));
    for (int64_t i = 0; i < setup->topology->n; i++) {
        expect_real(tape, setup->values[i]);
        expect_real(tape, setup->weights ? setup->weights[i] : 1);
    }
    expect(tape, setup->seed);
    expect(tape, setup->fault_seed);
    expect_real(tape, setup->tau);
    expect_duration(tape, &setup->period);
    expect_duration(tape, &setup->latency);
    expect_real(tape, setup->loss);
    expect_real(tape, setup->duplication);
    expect(tape, setup->fault.variable);
    expect(tape, setup->fault.component);
    expect(tape, (uint64_t)setup->fault.bit);
    expect(tape, (uint64_t)setup->fault_after);
    expect_real(tape, setup->fault_rate);
    expect(tape, (uint64_t)setup->stop_rank);
    expect_real(tape, setup->stop_time);
    expect_real(tape, setup->report_delay);
}

/* The flows of a node are those to its neighbours from the start on. */
static void pass_node(struct tape *tape, struct summand__gossip_node *node)
{
    size_t words = (size_t)node->width;
    expect(tape, (uint64_t)node->slots);
    for (int s = 0; s < node->slots; s++)
        expect(tape, (uint64_t)node->partners[s]);
    pass(tape, node->flows, (size_t)node->slots * words * sizeof *node->flows);
    pass(tape, node->own, words * sizeof *node->own);
    pass(tape, node->copy, words * sizeof *node->copy);
    pass(tape, node->seal, sizeof node->seal);
    pass(tape, &node->counts, sizeof node->counts);
}

static void pass_event(struct tape *tape, struct summand__event *event)
{
    int32_t kind = (int32_t)event->kind;
    pass(tape, &event->time, sizeof event->time);
    pass(tape, &event->order, sizeof event->order);
    pass(tape, &kind, sizeof kind);
    pass(tape, &event->node, sizeof event->node);
    pass(tape, &event->from, sizeof event->from);
    pass(tape, &event->message, sizeof event->message);
    event->kind = (enum summand__event_kind)kind;
}

/* Makes room where it is loaded; what is stored is what is in use. */
static void pass_queue(struct tape *tape, struct summand__queue *queue)
{
    int count = queue->count;
    pass(tape, &count, sizeof count);
    pass(tape, &queue->posted, sizeof queue->posted);
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

static void pass_messages(struct tape *tape, struct summand__events *r)
{
    pass(tape, &r->slots, sizeof r->slots);
    pass(tape, &r->idle_count, sizeof r->idle_count);
    if (tape->good && tape->loading) {
        tape->good = r->slots >= 0 && (size_t)r->slots <= tape->left && r->idle_count >= 0 &&
                     r->idle_count <= r->slots;
        size_t slots = tape->good ? (size_t)r->slots : 0;
        free(r->messages);
        free(r->idle);
        r->messages = calloc(slots * (size_t)r->width + 1, sizeof *r->messages);
        r->idle = calloc(slots + 1, sizeof *r->idle);
        tape->good = tape->good && r->messages && r->idle;
    }
    if (!tape->good)
        return;
    pass(tape, r->messages, (size_t)r->slots * (size_t)r->width * sizeof *r->messages);
    pass(tape, r->idle, (size_t)r->idle_count * sizeof *r->idle);
}

static void pass_run(struct tape *tape, struct summand__events *r)
{
    size_t n = (size_t)r->n;
    for (int i = 0; tape->good && i < r->n; i++)
        pass_node(tape, r->nodes[i]);
    pass_queue(tape, &r->queue);
    pass_messages(tape, r);
    pass(tape, r->choice, n * sizeof *r->choice);
    pass(tape, &r->times, sizeof r->times);
    pass(tape, &r->network, sizeof r->network);
    pass(tape, &r->faults, sizeof r->faults);
    pass(tape, r->error, n * sizeof *r->error);
    pass(tape, r->sent, n * sizeof *r->sent);
    pass(tape, r->stopped, n * sizeof *r->stopped);
    pass(tape, r->known, n * sizeof *r->known);
    pass(tape, &r->truth, sizeof r->truth);
    pass(tape, &r->next_watch, sizeof r->next_watch);
    pass(tape, &r->total_sent, sizeof r->total_sent);
    pass(tape, &r->fault_pending, sizeof r->fault_pending);
    pass(tape, &r->spoil_next, sizeof r->spoil_next);
    pass(tape, &r->outcome->time, sizeof r->outcome->time);
    pass(tape, &r->outcome->most_messages, sizeof r->outcome->most_messages);
    pass(tape, &r->outcome->flips, sizeof r->outcome->flips);
    expect(tape, tape->sum);
}

bool summand__events_save(struct summand__events *run, const char *path)
{
    struct summand__output output;
    if (!summand__output_open(&output, path))
        return false;
    struct tape tape = {.file = output.file, .good = true};
    expect_setup(&tape, run->setup);
    pass_run(&tape, run);
    return summand__output_close(&output, tape.good);
}

const char *summand__events_load(struct summand__events *run, const char *path)
{
    struct tape tape = {.file = fopen(path, "rb"), .loading = true};
    if (!tape.file)
        return "the checkpoint cannot be read";
    fseek(tape.file, 0, SEEK_END);
    long size = ftell(tape.file);
    rewind(tape.file);
    tape.left = size > 0 ? (size_t)size : 0;
    tape.good = true;
    expect_setup(&tape, run->setup);
    bool same = tape.good;
    pass_run(&tape, run);
    bool whole = tape.good && !tape.left;
    fclose(tape.file);
    run->excess = 0; /* eps may be another one */
    for (int i = 0; i < run->n; i++)
        run->excess += run->error[i] > run->setup->eps;
    return whole  ? NULL
           : same ? "the checkpoint is damaged"
                  : "the checkpoint is not one of such a run";
}
