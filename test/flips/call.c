/* SPDX-License-Identifier: BSD-3-Clause */
#include "flips/call.h"

#include "gossip/mpi/allreduce.h"
#include "gossip/mpi/runner.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The linker redirects the runner's fault hooks to these functions. */
void __real_summand__runner_upset_received(struct summand__runner *r, int64_t *words, int count);
void __wrap_summand__runner_upset_received(struct summand__runner *r, int64_t *words, int count);
void __wrap_summand__runner_upset_kept(struct summand__runner *r);

static const struct call_case *how;
static const struct call_flip *flip;
static struct call_outcome *outcome;
static struct call_kept *look; /* or NULL */
static int ranks;

static void at_words(const struct call_flip *f, uint64_t *words, size_t count, size_t first)
{
    for (int k = 0; k < f->count; k++) {
        size_t word = (size_t)f->words[k];
        if (word >= first && word - first < count)
            words[word - first] ^= f->bits;
    }
}

/* Flips each bit, opens both guards and checks that the state is as before; ends with the first bit
 * for which it is not. */
static int mended_bits(struct summand__runner *r, uint64_t *word)
{
    struct summand__guard *const guard[2] = {&r->guard, r->layout};
    const struct summand__guard before[2] = {*guard[0], *guard[1]};
    const uint64_t good = *word;
    int mended = 0;
    for (int bit = 0; bit < 64 && mended == bit; bit++) {
        bool back = false, lost = false;
        *word ^= UINT64_C(1) << bit;
        for (int g = 0; g < 2; g++) {
            enum summand__guard_state state = summand__guard_open(guard[g]);
            back |= state == SUMMAND__GUARD_MENDED;
            lost |= state == SUMMAND__GUARD_LOST;
        }
        for (int g = 0; g < 2; g++) {
            back &= !memcmp(guard[g], &before[g], sizeof before[g]);
            *guard[g] = before[g];
        }
        mended += back && !lost && *word == good;
        *word = good;
    }
    return mended;
}

static void look_at(struct summand__runner *r, const struct summand__guarded *part, int parts)
{
    for (int p = 0; p < parts; p++)
        for (size_t w = 0; w < part[p].words; w++) {
            int mended = mended_bits(r, (uint64_t *)part[p].at + w);
            if (mended < 64 && look->rest_count < CALL_WORDS)
                look->rest[look->rest_count++] = look->words;
            look->words++;
        }
}

void __wrap_summand__runner_upset_kept(struct summand__runner *r)
{
    struct summand__guarded part[SUMMAND__KEPT_PARTS];
    const struct call_flip *f = flip;
    int rank = r->state->rank;
    size_t first = 0;
    outcome->steps[rank] = r->step;
    if (f->where != CALL_KEPT || f->rank != rank || f->when != r->step)
        return;
    int parts = summand__runner_kept(r, part);
    if (look)
        look_at(r, part, parts);
    for (int p = 0; p < parts && !look; first += part[p++].words)
        at_words(f, part[p].at, part[p].words, first);
}

void __wrap_summand__runner_upset_received(struct summand__runner *r, int64_t *words, int count)
{
    const struct call_flip *f = flip;
    int rank = r->state->rank;
    __real_summand__runner_upset_received(r, words, count);
    outcome->receipts[rank] = r->receipts;
    if (f->where != CALL_RECEIVED || f->rank != rank || f->when != r->receipts - 1)
        return;
    outcome->words = count;
    at_words(f, (uint64_t *)words, (size_t)count, 0);
}

static void one_rank(int rank)
{
    static struct summand__fabric fabric;
    static double x[WORLD_MOST][CALL_ELEMENTS];
    static float small[WORLD_MOST][CALL_ELEMENTS];
    struct summand__state *state = calloc(1, sizeof *state);
    double *results = calloc(3 * CALL_ELEMENTS, sizeof *results);
    static const struct summand__arith *const forms[] = {
        &summand__arith_fixed, &summand__arith_double, &summand__arith_single};
    if (!state || !results)
        abort();
    fabric.comm = MPI_COMM_WORLD;
    state->rank = rank;
    state->ranks = ranks;
    state->context.fabric = &fabric;
    state->nodes.node_size = state->nodes.most = ranks; /* on one processor */
    state->nodes.processors = 1;
    for (int k = 0; k < CALL_ELEMENTS; k++) {
        x[rank][k] = how->x ? how->x[rank][k] : sin(1 + rank + 10 * k) * (k ? 1e12 : 1);
        small[rank][k] = how->floats ? (float)x[rank][k] : 0;
    }
    bool extremum = how->maximum || how->minimum;
    struct summand__gossip_call call = {
        .state = state,
        .options = summand__gossip_options_of(NULL),
        .algorithm = summand__gossip_named(extremum ? "spread" : how->algorithm),
        .arith = extremum ? &summand__arith_double : forms[how->form],
        .result = extremum    ? SUMMAND__GOSSIP_EXTREMUM
                  : how->mean ? SUMMAND__GOSSIP_MEAN
                              : SUMMAND__GOSSIP_SUM,
        .maximum = how->maximum,
        .single = how->floats,
        .count = how->count,
        .from = how->floats ? (const void *)small[rank] : x[rank],
        .results = results,
        .signature = 77};
    call.options.eps = how->eps;
    call.options.timeout = 1;
    call.options.average = how->mean;
    call.options.promise = how->disagree ? SUMMAND_PROMISE_NONE : SUMMAND_PROMISE_SAME;
    call.options.weight = how->weight ? how->weight[rank] : how->mean ? 1 + rank : 1;
    call.options.norm = how->norm;
    if (how->max_rounds)
        call.options.max_rounds = how->max_rounds;
    if (how->tau)
        call.options.tau = how->tau;
    if (call.algorithm->style == SUMMAND__ASYNCHRONOUS &&
        summand__topology_make(&call.topology, how->topology ? how->topology : "full", ranks, 1))
        abort();
    outcome->code[rank] = summand__gossip_call_run(&call, MPI_SUCCESS, &outcome->report[rank]);
    for (int k = 0; k < how->count && outcome->code[rank] == MPI_SUCCESS; k++)
        outcome->y[rank][k] = summand__gossip_call_result(&call, k);
    summand__topology_free(&call.topology);
    free(results);
    free(state);
}

void call_run(const struct call_case *what, int of_ranks, uint64_t seed,
              const struct call_flip *where, struct call_outcome *result)
{
    memset(result, 0, sizeof *result);
    how = what;
    ranks = of_ranks;
    flip = where;
    outcome = result;
    result->hangs = !world_run(ranks, seed, one_rank);
    result->turns = world_turns();
}

void call_look(const struct call_case *what, int of_ranks, uint64_t seed,
               const struct call_flip *where, struct call_kept *kept)
{
    struct call_outcome result;
    memset(kept, 0, sizeof *kept);
    look = kept;
    call_run(what, of_ranks, seed, where, &result);
    look = NULL;
}

bool call_alike(const struct call_outcome *a, const struct call_outcome *b, int of_ranks)
{
    bool alike = a->hangs == b->hangs && a->turns == b->turns;
    for (int k = 0; k < of_ranks; k++)
        alike &= a->code[k] == b->code[k] && a->steps[k] == b->steps[k] &&
                 a->receipts[k] == b->receipts[k] && !memcmp(a->y[k], b->y[k], sizeof a->y[k]) &&
                 !memcmp(&a->report[k], &b->report[k], sizeof a->report[k]);
    return alike;
}
