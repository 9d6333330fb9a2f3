/* SPDX-License-Identifier: BSD-3-Clause */
#include "lab/gossip/rounds.h"

#include "base/permutation.h"
#include "gossip/parts.h"
#include "lab/gossip/parallel.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK = 256 };

bool summand__rounds_open(struct summand__rounds *sim, const struct summand__rounds_setup *setup)
{
    *sim = (struct summand__rounds){.setup = *setup, .width = 3};
    sim->setup.threads = summand__threads(setup->threads);
    sim->random.state = summand__stream(setup->seed, 0x666c6970u);
    sim->nodes = calloc((size_t)setup->n, sizeof *sim->nodes);
    struct summand__gossip_setup one = {.algorithm = setup->algorithm,
                                        .arith = setup->arith,
                                        .ranks = setup->n,
                                        .count = 1,
                                        .tau = setup->tau,
                                        .ordered = setup->ordered,
                                        .maximum = setup->maximum};
    bool good = sim->nodes;
    for (int64_t i = 0; good && i < setup->n; i++) {
        double value = setup->value(setup->context, i);
        one.rank = i;
        sim->nodes[i] = summand__gossip_start(&one, &value, 1);
        good = sim->nodes[i];
        const struct summand__topology *t = setup->topology;
        for (int64_t k = 0; good && setup->ordered && t && setup->algorithm->flows &&
                            k < summand__topology_degree(t, i);
             k++)
            good = summand__gossip_flow(sim->nodes[i], summand__topology_neighbour(t, i, k));
    }
    if (!good)
        summand__rounds_close(sim);
    return good;
}

void summand__rounds_close(struct summand__rounds *sim)
{
    for (int64_t i = 0; sim->nodes && i < sim->setup.n; i++)
        summand__gossip_free(sim->nodes[i]);
    free(sim->nodes);
    free(sim->room);
    free(sim->to);
    free(sim->version);
    *sim = (struct summand__rounds){0};
}

/* Delivers the messages of `from`, and the answers to them, at once. */
static void settle(struct summand__rounds *sim, int64_t from, struct summand__gossip_outbox *outbox,
                   uint64_t *messages)
{
    struct summand__gossip_outbox answers = {0};
    for (int m = 0; m < outbox->count; m++) {
        struct summand__gossip_message *message = &outbox->messages[m];
        struct summand__gossip_node *peer = sim->nodes[message->peer];
        ++*messages;
        peer->algorithm->receive(peer, from, message, &answers);
        if (answers.count)
            settle(sim, message->peer, &answers, messages);
    }
    summand__gossip_outbox_free(&answers);
    outbox->count = 0;
}

static void mend(struct summand__rounds *sim, int64_t rank)
{
    struct summand__gossip_node *node = sim->nodes[rank];
    struct summand__gossip_outbox outbox = {0};
    /* Only the algorithms in rounds ask; the others repair themselves when they tick. */
    if (node->algorithm->check && node->algorithm->partners &&
        node->algorithm->check(node, &outbox))
        settle(sim, rank, &outbox, &sim->messages);
    summand__gossip_outbox_free(&outbox);
}

static void inject(struct summand__rounds *sim, const struct summand__rounds_fault *faults,
                   int count)
{
    for (int f = 0; f < count; f++)
        if (faults[f].fault.variable != SUMMAND__FAULT_MESSAGE)
            summand__fault_node(&faults[f].fault, sim->nodes[faults[f].rank], &sim->random);
    for (int f = 0; f < count; f++)
        mend(sim, faults[f].rank);
}

static void inject_message(struct summand__rounds *sim, const struct summand__rounds_fault *faults,
                           int count, int64_t rank, struct summand__gossip_message *message)
{
    for (int f = 0; f < count; f++)
        if (faults[f].fault.variable == SUMMAND__FAULT_MESSAGE && faults[f].rank == rank) {
            struct summand__random random = {summand__stream(sim->random.state, (uint64_t)rank)};
            summand__fault_mass(&faults[f].fault, sim->setup.arith, message->body, sim->width,
                                &random);
        }
}

/* Drawn from data that all threads share. */
static bool lost(const struct summand__rounds *sim, int64_t rank)
{
    uint64_t when = (uint64_t)sim->round * (uint64_t)sim->setup.n + (uint64_t)rank;
    struct summand__random random = {
        summand__stream(summand__stream(sim->setup.seed, 0x6c6f7373u), when)};
    return sim->setup.loss > 0 && summand__random_unit(&random) < sim->setup.loss;
}

struct cycle {
    struct summand__rounds *sim;
    const struct summand__rounds_fault *faults;
    int count;
    struct summand__permutation permutation;
    struct seam {
        int64_t first, last; /* ranks */
        bool sent;           /* by the last */
        struct summand__gossip_message message;
        uint64_t messages, missed;
    } seams[SUMMAND__THREADS_MOST];
};

/* A share of the cycle: each node ticks, then receives the new message of its predecessor. The
 * first node of the share receives later, when the previous share is done. */
static void walk(void *context, int t, int threads)
{
    struct cycle *c = context;
    struct summand__rounds *sim = c->sim;
    struct seam *seam = &c->seams[t];
    struct summand__gossip_outbox mine = {0}, answers = {0};
    uint64_t order[BLOCK];
    int64_t k = summand__share(sim->setup.n, t, threads);
    int64_t end = summand__share(sim->setup.n, t + 1, threads), previous = -1;
    *seam = (struct seam){.first = -1, .last = -1};
    for (; k < end; k += BLOCK) {
        int64_t block = end - k < BLOCK ? end - k : BLOCK;
        summand__permutation_run(&c->permutation, (uint64_t)k, (size_t)block, order);
        for (int64_t b = 0; b < block; b++) {
            int64_t rank = (int64_t)order[b];
            int64_t to = b + 1 < block ? (int64_t)order[b + 1]
                                       : (int64_t)summand__permutation_at(
                                             &c->permutation,
                                             (uint64_t)(k + b + 1 == sim->setup.n ? 0 : k + b + 1));
            struct summand__gossip_node *node = sim->nodes[rank];
            mine.count = 0;
            node->algorithm->tick(node, to, &mine);
            bool sent = mine.count && mine.messages[0].kind == SUMMAND__MASS;
            if (sent)
                inject_message(sim, c->faults, c->count, rank, &mine.messages[0]);
            seam->missed += !sent;
            seam->messages += sent;
            sent = sent && !lost(sim, rank);
            if (previous >= 0 && seam->sent)
                node->algorithm->receive(node, previous, &seam->message, &answers);
            if (answers.count)
                settle(sim, rank, &answers, &seam->messages);
            if (previous < 0)
                seam->first = rank;
            if (sent)
                memcpy(seam->message.body, mine.messages[0].body,
                       (size_t)sim->width * sizeof *seam->message.body);
            seam->sent = sent;
            previous = seam->last = rank;
        }
    }
    summand__gossip_outbox_free(&mine);
    summand__gossip_outbox_free(&answers);
}

static void step_cycle(struct summand__rounds *sim, const struct summand__rounds_fault *faults,
                       int count)
{
    struct cycle *c = malloc(sizeof *c);
    if (!c)
        return;
    int threads = sim->setup.n < 4096 ? 1 : sim->setup.threads;
    c->sim = sim;
    c->faults = faults;
    c->count = count;
    summand__permutation_make(&c->permutation, (uint64_t)sim->setup.n, sim->setup.seed,
                              (uint64_t)sim->round);
    summand__parallel(threads, walk, c);
    struct summand__gossip_outbox outbox = {0};
    for (int t = 0; t < threads; t++) {
        struct seam *before = &c->seams[(t + threads - 1) % threads], *seam = &c->seams[t];
        struct summand__gossip_node *node = sim->nodes[seam->first];
        if (before->sent)
            node->algorithm->receive(node, before->last, &before->message, &outbox);
        settle(sim, seam->first, &outbox, &sim->messages);
        sim->messages += seam->messages;
        sim->missed += seam->missed;
    }
    summand__gossip_outbox_free(&outbox);
    free(c);
}

static int64_t partner(struct summand__rounds *sim, int64_t rank)
{
    const struct summand__topology *t = sim->setup.topology;
    if (sim->setup.algorithm->partners)
        return sim->setup.algorithm->partners(sim->setup.seed, sim->setup.n, sim->round, rank).to;
    int64_t degree = summand__topology_degree(t, rank);
    if (!degree)
        return -1;
    return summand__topology_neighbour(
        t, rank, (int64_t)summand__random_below(&sim->random, (uint64_t)degree));
}

/* What a node sends beside its push, such as its bad flows, arrives at once. */
static struct summand__gossip_message *push_of(struct summand__rounds *sim, int64_t rank,
                                               struct summand__gossip_outbox *outbox)
{
    if (!outbox->count)
        return NULL;
    struct summand__gossip_outbox rest = {outbox->count - 1, outbox->capacity, outbox->messages};
    settle(sim, rank, &rest, &sim->messages);
    return &outbox->messages[outbox->count - 1];
}

/* Any schedule: all nodes tick, then all messages arrive. */
static void step_general(struct summand__rounds *sim, const struct summand__rounds_fault *faults,
                         int count)
{
    size_t n = (size_t)sim->setup.n, width = (size_t)sim->width;
    if (!sim->room) {
        sim->room = malloc(n * width * sizeof *sim->room);
        sim->to = malloc(n * sizeof *sim->to);
        sim->version = malloc(n * sizeof *sim->version);
    }
    if (!sim->room || !sim->to || !sim->version)
        return;
    struct summand__gossip_outbox outbox = {0};
    struct summand__gossip_message message = {.kind = SUMMAND__MASS};
    for (size_t i = 0; i < n; i++) {
        int64_t to = partner(sim, (int64_t)i);
        outbox.count = 0;
        if (sim->setup.look && to >= 0)
            sim->setup.look(sim->nodes[i], sim->nodes[to]);
        sim->nodes[i]->algorithm->tick(sim->nodes[i], to, &outbox);
        struct summand__gossip_message *push = push_of(sim, (int64_t)i, &outbox);
        sim->to[i] = push ? push->peer : -1;
        if (!push)
            continue;
        sim->messages++;
        sim->version[i] = push->version;
        if (lost(sim, (int64_t)i))
            sim->to[i] = -1;
        inject_message(sim, faults, count, (int64_t)i, push);
        memcpy(sim->room + i * width, push->body, width * sizeof *sim->room);
    }
    outbox.count = 0;
    for (size_t i = 0; i < n; i++) {
        if (sim->to[i] < 0)
            continue;
        struct summand__gossip_node *node = sim->nodes[sim->to[i]];
        memcpy(message.body, sim->room + i * width, width * sizeof *sim->room);
        message.version = sim->version[i];
        node->algorithm->receive(node, (int64_t)i, &message, &outbox);
        settle(sim, sim->to[i], &outbox, &sim->messages);
    }
    summand__gossip_outbox_free(&outbox);
}

void summand__rounds_step(struct summand__rounds *sim, const struct summand__rounds_fault *faults,
                          int count)
{
    const struct summand__gossip_algorithm *algorithm = sim->setup.algorithm;
    inject(sim, faults, count);
    bool cycle = algorithm->partners == summand__cycle_partners && sim->setup.n > 2;
    if (cycle)
        step_cycle(sim, faults, count);
    else if (!algorithm->rounds || sim->round < algorithm->rounds(sim->setup.n))
        step_general(sim, faults, count);
    sim->round++;
}

struct errors {
    struct summand__rounds *sim;
    double largest[SUMMAND__THREADS_MOST];
};

static double error_of(const struct summand__rounds *sim, int64_t rank)
{
    double y;
    const struct summand__gossip_node *node = sim->nodes[rank];
    node->algorithm->estimate(node, &y);
    double error = fabs(y - sim->setup.truth) / fabs(sim->setup.truth);
    return error >= 0 ? error : INFINITY;
}

static void find_largest(void *context, int t, int threads)
{
    struct errors *e = context;
    int64_t n = e->sim->setup.n;
    double largest = 0;
    for (int64_t i = summand__share(n, t, threads); i < summand__share(n, t + 1, threads); i++)
        largest = fmax(largest, error_of(e->sim, i));
    e->largest[t] = largest;
}

void summand__rounds_error(struct summand__rounds *sim, double *root, double *largest)
{
    struct errors e = {.sim = sim};
    int threads = sim->setup.n < 4096 ? 1 : sim->setup.threads;
    *root = error_of(sim, 0);
    summand__parallel(threads, find_largest, &e);
    *largest = 0;
    for (int t = 0; t < threads; t++)
        *largest = fmax(*largest, e.largest[t]);
}

struct summand__gossip_counts summand__rounds_counts(const struct summand__rounds *sim)
{
    struct summand__gossip_counts sum = {0};
    for (int64_t i = 0; i < sim->setup.n; i++) {
        const struct summand__gossip_counts *one = &sim->nodes[i]->counts;
        sum.bad_messages += one->bad_messages;
        sum.bad_states += one->bad_states;
        sum.repairs += one->repairs;
        sum.resets += one->resets;
    }
    return sum;
}
