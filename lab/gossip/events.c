/* SPDX-License-Identifier: BSD-3-Clause */
#include "lab/gossip/events.h"

#include "lab/gossip/events_run.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { CHOICE = 1, TIMES, NETWORK, FAULTS }; /* independent streams of one seed */
enum { ASK_EVERY = 1024 /* events between calls of `due` */ };

static double draw(struct summand__random *random, const struct summand__duration *duration)
{
    if (duration->exponential)
        return duration->mean * summand__random_exponential(random);
    return duration->mean * (1 + duration->width * (summand__random_unit(random) - 0.5));
}

/* Scales values by a power of two so that the largest magnitude lies in [1/2, 1); scales the truth
 * too. */
static bool start_nodes(struct summand__events *r)
{
    const struct summand__events_setup *setup = r->setup;
    double largest = 0, heaviest = 0;
    for (int i = 0; i < r->n; i++) {
        largest = fmax(largest, fabs(setup->values[i]));
        heaviest = fmax(heaviest, setup->weights ? setup->weights[i] : 1);
    }
    int exponent, weight_exponent;
    frexp(largest, &exponent);
    frexp(heaviest, &weight_exponent);
    weight_exponent -= setup->weights == NULL; /* weights of 1 stay 1 */
    long double sum = 0, weights = 0, squares = 0;
    for (int i = 0; i < r->n; i++) {
        double value = ldexp(setup->values[i], -exponent);
        double weight = ldexp(setup->weights ? setup->weights[i] : 1, -weight_exponent);
        struct summand__gossip_setup one = {.algorithm = setup->algorithm,
                                            .arith = setup->arith,
                                            .rank = i,
                                            .ranks = r->n,
                                            .count = 1,
                                            .ordered = !setup->crossing,
                                            .tau = setup->tau};
        r->nodes[i] = summand__gossip_start(&one, &value, weight);
        if (!r->nodes[i])
            return false;
        for (int64_t k = 0;
             setup->algorithm->flows && k < summand__topology_degree(setup->topology, i); k++)
            if (!summand__gossip_flow(r->nodes[i],
                                      summand__topology_neighbour(setup->topology, i, k)))
                return false;
        sum += (long double)value * weight;
        squares += (long double)value * value * weight;
        weights += weight;
    }
    r->truth = (double)(sum / weights);
    r->rms = (double)sqrtl(squares / weights);
    r->exponent = exponent;
    return true;
}

static bool open_run(struct summand__events *r)
{
    size_t n = (size_t)r->n;
    r->nodes = calloc(n, sizeof *r->nodes);
    r->choice = calloc(n, sizeof *r->choice);
    r->error = calloc(n, sizeof *r->error);
    r->sent = calloc(n, sizeof *r->sent);
    r->stopped = calloc(n, sizeof *r->stopped);
    r->known = calloc(n, sizeof *r->known);
    if (!r->nodes || !r->choice || !r->error || !r->sent || !r->stopped || !r->known ||
        !start_nodes(r))
        return false;
    for (int i = 0; i < r->n; i++)
        r->choice[i].state = summand__stream(summand__stream(r->setup->seed, CHOICE), (uint64_t)i);
    r->times.state = summand__stream(r->setup->seed, TIMES);
    r->network.state = summand__stream(r->setup->seed, NETWORK);
    r->faults.state = summand__stream(r->setup->seed ^ r->setup->fault_seed, FAULTS);
    r->fault_pending = r->setup->fault_after >= 0;
    for (int k = 0; k < r->setup->scripted; k++)
        r->script_left += r->setup->script[k].burst;
    r->injected = calloc((size_t)r->setup->scripted + 1, sizeof *r->injected);
    return r->injected;
}

static void close_run(struct summand__events *r)
{
    for (int i = 0; r->nodes && i < r->n; i++)
        summand__gossip_free(r->nodes[i]);
    summand__gossip_outbox_free(&r->outbox);
    free(r->nodes);
    free(r->choice);
    free(r->error);
    free(r->sent);
    free(r->stopped);
    free(r->known);
    free(r->injected);
    free(r->queue.heap);
    free(r->messages);
    free(r->idle);
}

static int take_slot(struct summand__events *r)
{
    if (!r->idle_count) {
        int slots = r->slots ? 2 * r->slots : 256;
        size_t words = (size_t)r->width + 1, old = r->slots * words, all = slots * words;
        void *messages = realloc(r->messages, all * sizeof *r->messages);
        if (messages) {
            r->messages = messages;
            /* A checkpoint also stores idle slots; zeros make the same run write the same file. */
            memset(r->messages + old, 0, (all - old) * sizeof *r->messages);
        }
        int *idle = realloc(r->idle, slots * sizeof *idle);
        if (idle)
            r->idle = idle;
        if (!messages || !idle)
            return -1;
        for (int s = slots - 1; s >= r->slots; s--)
            r->idle[r->idle_count++] = s;
        r->slots = slots;
    }
    return r->idle[--r->idle_count];
}

static void measure(struct summand__events *r, int node)
{
    double y, old = r->error[node];
    r->setup->algorithm->estimate(r->nodes[node], &y);
    double off = fabs(y - r->truth), error = off / fabs(r->truth);
    if (r->setup->norm != SUMMAND__OF_MEAN)
        error = r->setup->norm == SUMMAND__OF_RMS ? off / r->rms : ldexp(off, r->exponent);
    r->error[node] = error >= 0 ? error : INFINITY;
    if (r->outcome->first >= 0)
        r->outcome->worst = fmax(r->outcome->worst, r->error[node]);
    r->excess += (r->error[node] > r->setup->eps) - (old > r->setup->eps);
}

static void launch(struct summand__events *r, int from,
                   const struct summand__gossip_message *message, double time)
{
    int slot = take_slot(r);
    if (slot < 0) {
        r->failed = true;
        return;
    }
    union summand__word *words = r->messages + (size_t)slot * (r->width + 1);
    memcpy(words, message->body, r->width * sizeof *words);
    words[r->width].fixed = message->version;
    struct summand__event arrival = {.time = time + draw(&r->network, &r->setup->latency),
                                     .kind = SUMMAND__ARRIVE,
                                     .node = (int32_t)message->peer,
                                     .from = from,
                                     .message = slot};
    r->failed |= !summand__queue_post(&r->queue, arrival);
}

static void send_all(struct summand__events *r, int from, double time)
{
    const struct summand__events_setup *setup = r->setup;
    for (int m = 0; m < r->outbox.count; m++) {
        struct summand__gossip_message *message = &r->outbox.messages[m];
        summand__script_send(r, from, message);
        r->sent[from]++;
        r->total_sent++;
        if (r->fault_next) {
            r->fault_next = false;
            r->outcome->flips++;
            summand__fault_mass(&setup->fault, setup->arith, message->body, r->width, &r->faults);
        }
        if (setup->loss > 0 && summand__random_unit(&r->network) < setup->loss)
            continue;
        launch(r, from, message, time);
        if (setup->duplication > 0 && summand__random_unit(&r->network) < setup->duplication)
            launch(r, from, message, time);
    }
    if (r->sent[from] > r->outcome->most_messages)
        r->outcome->most_messages = r->sent[from];
    r->outbox.count = 0;
}

static void inject(struct summand__events *r, int node)
{
    if (r->setup->fault.variable == SUMMAND__FAULT_MESSAGE) {
        r->fault_next = true;
        return;
    }
    r->outcome->flips++;
    summand__fault_node(&r->setup->fault, r->nodes[node], &r->faults);
    measure(r, node);
}

static void maybe_inject(struct summand__events *r, int sender)
{
    const struct summand__events_setup *setup = r->setup;
    if (r->fault_pending && r->outcome->most_messages >= setup->fault_after) {
        r->fault_pending = false;
        inject(r, (int)summand__random_below(&r->faults, (uint64_t)r->n));
    }
    if (setup->fault_rate > 0 && summand__random_unit(&r->faults) < setup->fault_rate)
        inject(r, sender);
}

/* Draws until the neighbour is not known to be gone; the draws do not depend on the algorithm. */
static int64_t draw_neighbour(struct summand__events *r, int node)
{
    int64_t degree = summand__topology_degree(r->setup->topology, node);
    for (int attempt = 0; degree && attempt < 1000; attempt++) {
        int64_t k = (int64_t)summand__random_below(&r->choice[node], (uint64_t)degree);
        int64_t to = summand__topology_neighbour(r->setup->topology, node, k);
        if (!r->known[to])
            return to;
    }
    return -1;
}

static void tick(struct summand__events *r, const struct summand__event *event)
{
    int node = event->node;
    int64_t other;
    if (r->stopped[node])
        return;
    maybe_inject(r, node);
    if (summand__script_tick(r, node, &other)) {
        measure(r, node);
        if (other >= 0)
            measure(r, (int)other);
    }
    int64_t to = draw_neighbour(r, node);
    r->alone = to >= 0 ? 0 : r->alone + 1;
    if (to >= 0) {
        r->setup->algorithm->tick(r->nodes[node], to, &r->outbox);
        send_all(r, node, event->time);
    }
    measure(r, node);
    struct summand__event next = *event;
    next.time += draw(&r->times, &r->setup->period);
    r->failed |= !summand__queue_post(&r->queue, next);
}

static void arrive(struct summand__events *r, const struct summand__event *event)
{
    struct summand__gossip_message message = {.kind = SUMMAND__MASS};
    const union summand__word *words = r->messages + (size_t)event->message * (r->width + 1);
    memcpy(message.body, words, r->width * sizeof *words);
    message.version = words[r->width].fixed;
    r->idle[r->idle_count++] = event->message;
    if (r->stopped[event->node] || r->known[event->from])
        return;
    r->setup->algorithm->receive(r->nodes[event->node], event->from, &message, &r->outbox);
    send_all(r, event->node, event->time);
    measure(r, event->node);
}

/* The truth becomes the weighted average of the remaining processes. */
static void report_stop(struct summand__events *r, int gone)
{
    long double sum = 0, weights = 0;
    r->known[gone] = true;
    for (int i = 0; i < r->n; i++) {
        struct summand__gossip_node *node = r->nodes[i];
        if (i == gone)
            continue;
        sum += node->arith->value(node->copy[0]);
        weights += node->arith->value(node->copy[1]);
        if (node->algorithm->exclude)
            node->algorithm->exclude(node, gone);
    }
    r->truth = (double)(sum / weights);
    for (int i = 0; i < r->n; i++)
        if (i != gone)
            measure(r, i);
    r->excess -= r->error[gone] > r->setup->eps;
    r->error[gone] = 0;
}

static double largest_error(const struct summand__events *r)
{
    double largest = 0;
    for (int i = 0; i < r->n; i++)
        largest = fmax(largest, r->error[i]);
    return largest;
}

static void handle(struct summand__events *r, const struct summand__event *event)
{
    const struct summand__events_setup *setup = r->setup;
    struct summand__event report = *event;
    switch (event->kind) {
    case SUMMAND__TICK:
        tick(r, event);
        break;
    case SUMMAND__ARRIVE:
        arrive(r, event);
        break;
    case SUMMAND__STOP:
        r->stopped[event->node] = true;
        report.kind = SUMMAND__REPORT;
        report.time += setup->report_delay;
        r->failed |= !summand__queue_post(&r->queue, report);
        break;
    case SUMMAND__REPORT:
        report_stop(r, event->node);
        break;
    }
    if (setup->watch && event->time >= r->next_watch) {
        setup->watch(setup->context, event->time, (double)r->total_sent / r->n, largest_error(r));
        r->next_watch += setup->period.mean;
    }
}

static void post_first(struct summand__events *r)
{
    for (int i = 0; i < r->n; i++) {
        double phase = summand__random_unit(&r->times) * r->setup->period.mean;
        struct summand__event first = {.time = phase, .kind = SUMMAND__TICK, .node = i};
        r->failed |= !summand__queue_post(&r->queue, first);
        r->error[i] = 0;
        measure(r, i);
    }
    struct summand__event stop = {
        .time = r->setup->stop_time, .kind = SUMMAND__STOP, .node = (int32_t)r->setup->stop_rank};
    if (r->setup->stop_rank >= 0)
        r->failed |= !summand__queue_post(&r->queue, stop);
}

static void sum_up(struct summand__events *r)
{
    struct summand__events_outcome *outcome = r->outcome;
    outcome->error = largest_error(r);
    outcome->converged = outcome->error <= r->setup->eps;
    outcome->messages = (double)r->total_sent / r->n;
    for (int i = 0; i < r->n; i++) {
        outcome->counts.bad_messages += r->nodes[i]->counts.bad_messages;
        outcome->counts.bad_states += r->nodes[i]->counts.bad_states;
        outcome->counts.repairs += r->nodes[i]->counts.repairs;
        outcome->counts.resets += r->nodes[i]->counts.resets;
        r->failed |= r->nodes[i]->failed;
    }
}

static void note_passage(struct summand__events *r)
{
    struct summand__events_outcome *outcome = r->outcome;
    double messages = (double)r->total_sent / r->n;
    if (r->excess)
        outcome->from = -1;
    else if (outcome->from < 0)
        outcome->from = messages;
    if (!r->excess && outcome->first < 0)
        outcome->first = messages;
}

/* A pending fault or stop continues a run that is already accurate. */
static bool finished(const struct summand__events *r, double now)
{
    bool waiting = r->fault_pending || r->fault_next || r->script_left ||
                   (r->setup->stop_rank >= 0 && now < r->setup->stop_time + r->setup->report_delay);
    bool nobody =
        r->alone > 1000 + 4 * r->n; /* remains to send to; with one process: from the start */
    return r->failed || nobody || r->outcome->most_messages >= r->setup->most_messages ||
           (!r->excess && !waiting && !r->setup->stay);
}

static void go_on(struct summand__events *r)
{
    const struct summand__events_setup *setup = r->setup;
    for (uint64_t events = 1; r->queue.count && !finished(r, r->outcome->time); events++) {
        struct summand__event event = summand__queue_take(&r->queue);
        r->outcome->time = event.time;
        handle(r, &event);
        note_passage(r);
        if (setup->checkpoint && !(events % ASK_EVERY) && setup->due(setup->context) &&
            !summand__events_save(r, setup->checkpoint))
            r->outcome->wrong = "the checkpoint cannot be written";
        if (r->outcome->wrong)
            return;
    }
    if (setup->checkpoint && !summand__events_save(r, setup->checkpoint))
        r->outcome->wrong = "the checkpoint cannot be written";
}

bool summand__events_run(const struct summand__events_setup *setup,
                         struct summand__events_outcome *outcome)
{
    struct summand__events r = {
        .setup = setup, .outcome = outcome, .n = (int)setup->topology->n, .width = 3};
    *outcome = (struct summand__events_outcome){.wrong = "not an asynchronous algorithm"};
    if (setup->algorithm->style != SUMMAND__ASYNCHRONOUS)
        return false;
    outcome->wrong = NULL;
    outcome->first = outcome->from = -1;
    r.failed = !open_run(&r);
    if (!r.failed)
        outcome->wrong = summand__script_check(&r);
    if (!r.failed && setup->norm == SUMMAND__OF_MEAN && r.truth == 0)
        outcome->wrong = "the true mean is 0, so no error is relative to it: absolute, perhaps";
    if (!r.failed && setup->norm == SUMMAND__OF_RMS && r.rms == 0)
        outcome->wrong = "all values are 0, so no error is relative to them: absolute, perhaps";
    if (!r.failed && !outcome->wrong)
        post_first(&r);
    if (!r.failed && !outcome->wrong && setup->checkpoint && !access(setup->checkpoint, F_OK))
        outcome->wrong = summand__events_load(&r, setup->checkpoint);
    if (!r.failed && !outcome->wrong) {
        go_on(&r);
        sum_up(&r);
    }
    if (r.failed && !outcome->wrong)
        outcome->wrong = "out of memory";
    close_run(&r);
    return !outcome->wrong;
}
