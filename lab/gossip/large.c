/* SPDX-License-Identifier: BSD-3-Clause */
#include "lab/gossip/large.h"

#include "gossip/parts.h"
#include "lab/gossip/parallel.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { VALUE, WEIGHT, PARTS, MASS = 3 };

struct summand__wound {
    struct summand__large_fault at;
    struct summand__random random; /* which word and bit */
    int64_t holder, partner; /* holder: its copy is hit; partner: has the other; -1: no flow */
    double flow[PARTS];      /* the holder's copy without the fault */
    double excess[PARTS];    /* holder's plus partner's copy: 0 without a fault */
    bool open;               /* there is an excess */
};

static struct summand__partners partners_of(const struct summand__large *large, int64_t rank,
                                            int round)
{
    return summand__cycle_partners(large->values.seed, large->values.n, round, rank);
}

/* The partner of flow `slot` of a rank, in the order in which it made its flows. Writes their
 * number to `slots`; call first with slot below 0 to count. */
static int64_t partner_at(const struct summand__large *large, int64_t rank, int rounds, int slot,
                          int *slots)
{
    int64_t *met = malloc((2 * (size_t)rounds + 1) * sizeof *met), found = -1;
    *slots = 0;
    for (int s = 0; met && s < rounds; s++) {
        struct summand__partners p = partners_of(large, rank, s);
        int64_t both[2] = {p.to, p.from};
        for (int b = 0; b < 2; b++) {
            int k = 0;
            while (k < *slots && met[k] != both[b])
                k++;
            if (k == *slots)
                met[(*slots)++] = both[b];
        }
    }
    if (met && slot >= 0 && slot < *slots)
        found = met[slot];
    free(met);
    return found;
}

/* Draws the same as the simulator of state machines. */
static void choose_flow(struct summand__large *large, struct summand__wound *w,
                        struct summand__random *random)
{
    w->holder = w->at.rank;
    w->partner = -1;
    if (w->at.fault.variable == SUMMAND__FAULT_MESSAGE) {
        w->random.state = summand__stream(random->state, (uint64_t)w->at.rank);
        w->partner = w->at.rank;
        w->holder = partners_of(large, w->at.rank, w->at.round).to;
        return;
    }
    uint64_t drawn = summand__random_bits(random);
    int slots;
    if (w->at.fault.variable == SUMMAND__FAULT_FLOW && large->algorithm->flows) {
        partner_at(large, w->holder, w->at.round, -1, &slots);
        if (slots)
            w->partner =
                partner_at(large, w->holder, w->at.round, (int)(drawn % (uint64_t)slots), &slots);
    }
    w->random = *random;
    for (int k = 0; k < 3; k++)
        summand__random_bits(random);
}

static bool same_flow(const struct summand__wound *a, const struct summand__wound *b)
{
    return a->partner >= 0 && b->partner >= 0 &&
           ((a->holder == b->holder && a->partner == b->partner) ||
            (a->holder == b->partner && a->partner == b->holder));
}

static const char *choose_flows(struct summand__large *large,
                                const struct summand__large_setup *setup)
{
    struct summand__random random = {summand__stream(setup->seed, 0x666c6970u)};
    for (int f = 0; f < setup->count; f++) {
        struct summand__wound *w = &large->wounds[f];
        w->at = setup->faults[f];
        if (w->at.rank < 0 || w->at.rank >= setup->n || (f && w[-1].at.round > w->at.round))
            return "faults must name nodes and come in the order of their rounds";
        choose_flow(large, w, &random);
        for (int g = 0; g < f; g++)
            if (same_flow(w, &large->wounds[g]))
                return "two faults hit one flow";
    }
    return NULL;
}

const char *summand__large_open(struct summand__large *large,
                                const struct summand__large_setup *setup)
{
    *large = (struct summand__large){.algorithm = setup->algorithm,
                                     .arith = setup->single ? &summand__arith_single
                                                            : &summand__arith_double,
                                     .tau = setup->tau,
                                     .count = setup->count,
                                     .values = {.watch = setup->watch, .context = setup->context}};
    if (setup->algorithm->partners != summand__cycle_partners || setup->algorithm->extremum ||
        setup->n < 3)
        return "at least 3 nodes, and an algorithm on cycles: hps, hpflc or hpfcc";
    if (setup->tau < 0)
        large->tau = setup->algorithm->tau[setup->single];
    large->wounds = calloc((size_t)setup->count + 1, sizeof *large->wounds);
    const char *wrong = "out of memory";
    if (large->wounds && summand__bulk_open(&large->values, setup->n, setup->single, setup->kind,
                                            setup->data_seed, setup->seed, setup->threads))
        wrong = choose_flows(large, setup);
    large->root = large->values.root;
    large->largest = INFINITY;
    if (wrong)
        summand__large_close(large);
    return wrong;
}

void summand__large_close(struct summand__large *large)
{
    summand__bulk_close(&large->values);
    summand__bulk_close(&large->weights);
    free(large->wounds);
    large->wounds = NULL;
}

static double part_of(const struct summand__large *large, int64_t rank, int part)
{
    if (part == VALUE)
        return summand__bulk_get(&large->values, rank);
    return large->weighted ? summand__bulk_get(&large->weights, rank) : 1;
}

static bool store_weights(struct summand__large *large)
{
    if (!large->weighted)
        large->weighted = summand__bulk_open_ones(&large->weights, &large->values);
    return large->weighted;
}

static bool shift(struct summand__large *large, int64_t rank, const double *by, double sign)
{
    if (by[WEIGHT] != 0 && !store_weights(large))
        return false;
    summand__bulk_put(&large->values, rank, part_of(large, rank, VALUE) + sign * by[VALUE]);
    if (large->weighted)
        summand__bulk_put(&large->weights, rank, part_of(large, rank, WEIGHT) + sign * by[WEIGHT]);
    return true;
}

/* Flips the fault's bit in the given mass; change[] is the difference. Returns true if the checksum
 * detects it. */
static bool flip(const struct summand__large *large, struct summand__wound *w, const double *mass,
                 double *change)
{
    union summand__word word[MASS];
    large->arith->load(word, &mass[VALUE], mass[WEIGHT], MASS);
    double before[PARTS] = {large->arith->value(word[VALUE]), large->arith->value(word[WEIGHT])};
    summand__fault_mass(&w->at.fault, large->arith, word, MASS, &w->random);
    for (int k = 0; k < PARTS; k++)
        change[k] = large->arith->value(word[k]) - before[k];
    return large->algorithm->checked && large->arith->bad(word, large->tau, MASS);
}

/* Hits a flow of the holder before this round. */
static bool inject_flow(struct summand__large *large, struct summand__wound *w)
{
    double change[PARTS];
    bool seen = flip(large, w, w->flow, change);
    large->counts.bad_states += seen;
    if (seen && large->algorithm->cooperative) {
        large->counts.repairs++;
        return true;
    }
    large->counts.resets += seen;
    for (int k = 0; k < PARTS; k++)
        w->excess[k] = seen ? -w->flow[k] : change[k];
    w->open = true;
    return shift(large, w->holder, w->excess, 1);
}

/* Hits the input, or the state if there are no flows. */
static bool inject_node(struct summand__large *large, struct summand__wound *w)
{
    double mass[PARTS] = {part_of(large, w->holder, VALUE), part_of(large, w->holder, WEIGHT)};
    double change[PARTS];
    if (large->algorithm->flows) { /* the second copy of the input */
        large->counts.bad_states++;
        large->counts.repairs++;
        return true;
    }
    flip(large, w, mass, change);
    return shift(large, w->holder, change, 1);
}

/* Hits the message to the holder in this round. It carries the partner's flow after the push of
 * `half`; the holder would have stored the negative. */
static void inject_message(struct summand__large *large, struct summand__wound *w,
                           const double *half)
{
    double mass[PARTS], change[PARTS];
    bool flows = large->algorithm->flows;
    for (int k = 0; k < PARTS; k++)
        mass[k] = flows ? -w->flow[k] - half[k] : half[k];
    bool seen = flip(large, w, mass, change);
    large->counts.bad_messages += seen;
    if (seen && large->algorithm->cooperative) {
        large->counts.repairs++;
        return;
    }
    for (int k = 0; k < PARTS; k++)
        w->excess[k] = seen ? -half[k] : flows ? -change[k] : change[k];
    w->open = true;
}

/* Adds to `more` what the receiver's mass gains in this round. */
static bool meet(struct summand__large *large, struct summand__wound *w, int64_t *receiver,
                 double *more)
{
    int round = large->values.round;
    struct summand__partners p = partners_of(large, w->holder, round);
    bool sends = p.to == w->partner, receives = p.from == w->partner;
    if (w->partner < 0 || (!sends && !receives) || (!w->open && round > w->at.round))
        return false;
    double half[PARTS];
    for (int k = 0; k < PARTS; k++) {
        half[k] = part_of(large, sends ? w->holder : w->partner, k) / 2;
        more[k] = 0;
    }
    *receiver = sends ? w->partner : w->holder;
    if (w->open) { /* the receiver takes the sender's copy: the difference is gone */
        for (int k = 0; k < PARTS; k++)
            more[k] = -w->excess[k];
        w->open = false;
    } else if (round == w->at.round && w->at.fault.variable == SUMMAND__FAULT_MESSAGE && receives) {
        inject_message(large, w, half);
        for (int k = 0; k < PARTS && w->open; k++)
            more[k] = w->excess[k];
        w->open = w->open && large->algorithm->flows;
    } else
        for (int k = 0; k < PARTS; k++)
            w->flow[k] += sends ? -half[k] : half[k];
    return more[VALUE] != 0 || more[WEIGHT] != 0;
}

struct errors {
    const struct summand__large *large;
    double largest[SUMMAND__THREADS_MOST];
};

static double error_of(const struct summand__large *large, int64_t rank)
{
    double truth = large->values.truth;
    double y = part_of(large, rank, VALUE) / part_of(large, rank, WEIGHT);
    double error = fabs(y - truth) / fabs(truth);
    return error >= 0 ? error : INFINITY;
}

static void find_largest(void *context, int t, int threads)
{
    struct errors *e = context;
    int64_t n = e->large->values.n, end = summand__share(n, t + 1, threads);
    double largest = 0;
    for (int64_t i = summand__share(n, t, threads); i < end; i++)
        largest = fmax(largest, error_of(e->large, i));
    e->largest[t] = largest;
}

static void measure(struct summand__large *large, bool shifted)
{
    large->root = error_of(large, 0);
    large->largest = large->values.largest;
    if (!large->weighted && !shifted && large->largest >= 0)
        return;
    struct errors e = {.large = large};
    summand__parallel(large->values.threads, find_largest, &e);
    large->largest = 0;
    for (int t = 0; t < large->values.threads; t++)
        large->largest = fmax(large->largest, e.largest[t]);
}

static bool inject(struct summand__large *large)
{
    for (int f = 0; f < large->count; f++) {
        struct summand__wound *w = &large->wounds[f];
        if (w->at.round != large->values.round || w->at.fault.variable == SUMMAND__FAULT_MESSAGE)
            continue;
        if (!(w->partner < 0 ? inject_node : inject_flow)(large, w))
            return false;
    }
    return true;
}

bool summand__large_step(struct summand__large *large)
{
    struct {
        int64_t receiver;
        double more[PARTS];
    } *late = calloc((size_t)large->count + 1, sizeof *late);
    int shifts = 0;
    bool good = late && inject(large);
    for (int f = 0; good && f < large->count; f++)
        shifts += meet(large, &large->wounds[f], &late[shifts].receiver, late[shifts].more);
    for (int f = 0; good && f < shifts; f++)
        good = late[f].more[WEIGHT] == 0 || store_weights(large);
    if (good) {
        summand__bulk_step(&large->values);
        if (large->weighted)
            summand__bulk_step(&large->weights);
        for (int f = 0; f < shifts; f++)
            shift(large, late[f].receiver, late[f].more, 1);
        measure(large, shifts);
    }
    free(late);
    return good;
}

enum { VERSION = 3 };

static void pass_wound(struct summand__tape *tape, struct summand__wound *w)
{
    summand__tape_expect(tape, (uint64_t)w->at.rank);
    summand__tape_expect(tape, (uint64_t)w->at.round);
    summand__tape_expect(tape, w->at.fault.variable);
    summand__tape_expect(tape, w->at.fault.component);
    summand__tape_expect(tape, (uint64_t)w->at.fault.bit);
    summand__tape_pass(tape, &w->random, sizeof w->random);
    summand__tape_pass(tape, &w->holder, sizeof w->holder);
    summand__tape_pass(tape, &w->partner, sizeof w->partner);
    summand__tape_pass(tape, w->flow, sizeof w->flow);
    summand__tape_pass(tape, w->excess, sizeof w->excess);
    summand__tape_pass(tape, &w->open, sizeof w->open);
}

static void pass_state(struct summand__tape *tape, struct summand__large *large)
{
    uint64_t name = 0, weighted = large->weighted;
    memcpy(&name, large->algorithm->name, strnlen(large->algorithm->name, sizeof name));
    summand__tape_expect(tape, name);
    summand__tape_expect_real(tape, large->tau);
    summand__tape_expect(tape, (uint64_t)large->count);
    for (int f = 0; f < large->count; f++)
        pass_wound(tape, &large->wounds[f]);
    summand__tape_pass(tape, &large->root, sizeof large->root);
    summand__tape_pass(tape, &large->largest, sizeof large->largest);
    summand__tape_pass(tape, &large->counts, sizeof large->counts);
    summand__tape_pass(tape, &weighted, sizeof weighted);
    summand__bulk_pass(&large->values, tape);
    tape->good = tape->good && weighted <= 1 && (!weighted || store_weights(large));
    if (tape->good && weighted)
        summand__bulk_pass(&large->weights, tape);
}

bool summand__large_save(struct summand__large *large, const char *path)
{
    struct summand__tape tape;
    if (summand__tape_save(&tape, path, "rounds", VERSION))
        pass_state(&tape, large);
    return summand__tape_close(&tape);
}

bool summand__large_load(struct summand__large *large, const char *path)
{
    struct summand__tape tape;
    if (summand__tape_load(&tape, path, "rounds", VERSION))
        pass_state(&tape, large);
    return summand__tape_close(&tape);
}
