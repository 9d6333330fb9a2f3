/* SPDX-License-Identifier: BSD-3-Clause */
/* Circulant-graph reduce-scatter, all-gather and all-reduce: fewest rounds and least volume for any
 * rank count.
 *
 * What: each rank turns its blocks so that its own comes first. In each round it sends the upper
 *   part of the blocks that it still has to the rank that many further, and combines the received
 *   blocks with the lower part (`skips_of`). All-gather runs the rounds backwards; in a reduce the
 *   root receives all slices at the end.
 * When: middle and long vectors, any rank count.
 * Cost: reduce-scatter ceil(log2 p) alpha + m (p-1)/p (beta + gamma); all-reduce 2 ceil(log2 p)
 *   alpha + 2 m (p-1)/p beta + m (p-1)/p gamma; reduce (p-1) o more than the reduce-scatter, and m
 *   beta.
 * Restrictions: commutative operators; one copy of the vector before and after.
 * Source: Traeff, Optimal, non-pipelined reduce-scatter and allreduce algorithms (2023); for
 *   all-gather: Bruck et al. (1997). */
#include <stdint.h>

#include "algorithm/call.h"
#include "algorithm/estimate.h"
#include "algorithm/exchange/accumulator.h"
#include "algorithm/exchange/slices.h"

/* Skips of the circulant graph on p ranks: p is halved, rounding up, down to 1: ceil(log2 p) skips.
 *
 * In the round of skips[i] every rank sends skips[i] ... wider[i] - 1 of p blocks, counted from its
 * own, to the rank that many further. Its kept and sent blocks add up to those of the round before,
 * so p - 1 blocks are sent in all, for any p. */
enum { MOST_SKIPS = 32 };

struct skips {
    int rounds;
    int skip[MOST_SKIPS];  /* descending, ends with 1 */
    int wider[MOST_SKIPS]; /* the skip before; p for the first */
};

static struct skips skips_of(int ranks)
{
    struct skips skips = {0};
    for (int wide = ranks; wide > 1; wide -= wide / 2) {
        skips.wider[skips.rounds] = wide;
        skips.skip[skips.rounds++] = wide - wide / 2;
    }
    return skips;
}

/* A vector whose blocks begin with that of `rank`. */
struct turned {
    const struct summand__call *call;
    int rank;
    struct summand__region at;
};

/* The first element of turned block `index`, 0 <= index <= ranks. */
static size_t start(const struct turned *turned, int index)
{
    const struct summand__call *call = turned->call;
    size_t total = summand__call_total(call);
    size_t first = summand__call_slice(call, turned->rank).first;
    if (index < call->ranks - turned->rank)
        return summand__call_slice(call, turned->rank + index).first - first;
    if (index == call->ranks)
        return total;
    return total - first + summand__call_slice(call, turned->rank + index - call->ranks).first;
}

static struct summand__region blocks(const struct turned *turned, int first, int last)
{
    size_t low = start(turned, first);
    return summand__part(turned->at, low, start(turned, last) - low);
}

/* Copies between the vector in its order and turned: two stretches, less the first `skip` elements
 * of the turned one. */
static void turn(const struct turned *turned, struct summand__region straight, bool back,
                 size_t skip, struct summand__schedule *schedule)
{
    size_t total = summand__call_total(turned->call);
    size_t first = summand__call_slice(turned->call, turned->rank).first;
    const size_t from[2] = {first + skip, 0}, to[2] = {skip, total - first};
    const size_t count[2] = {total - first - skip, first};
    for (int i = 0; i < 2; i++) {
        struct summand__region a = summand__part(straight, from[i], count[i]);
        struct summand__region b = summand__part(turned->at, to[i], count[i]);
        summand__copy(schedule, back ? b : a, back ? a : b);
    }
}

static void reduce_phase(const struct turned *turned, struct summand__region spare,
                         struct summand__schedule *schedule)
{
    int ranks = turned->call->ranks, rank = turned->rank;
    struct skips skips = skips_of(ranks);
    struct turned arriving = *turned;
    arriving.at = spare;
    for (int i = 0; i < skips.rounds; i++) {
        int skip = skips.skip[i], wider = skips.wider[i];
        summand__round(schedule);
        summand__send(schedule, (rank + skip) % ranks, blocks(turned, skip, wider));
        summand__recv(schedule, (rank + ranks - skip) % ranks, blocks(&arriving, 0, wider - skip));
        summand__round(schedule);
        summand__reduce(schedule, blocks(&arriving, 0, wider - skip),
                        blocks(turned, 0, wider - skip));
    }
    summand__round(schedule);
}

static void gather_phase(const struct turned *turned, struct summand__schedule *schedule)
{
    int ranks = turned->call->ranks, rank = turned->rank;
    struct skips skips = skips_of(ranks);
    for (int i = skips.rounds - 1; i >= 0; i--) {
        int skip = skips.skip[i], wider = skips.wider[i];
        summand__round(schedule);
        summand__send(schedule, (rank + ranks - skip) % ranks, blocks(turned, 0, wider - skip));
        summand__recv(schedule, (rank + skip) % ranks, blocks(turned, skip, wider));
    }
    summand__round(schedule);
}

static void build(const struct summand__algorithm *algorithm, const struct summand__call *call,
                  struct summand__schedule *schedule)
{
    (void)algorithm;
    size_t total = summand__call_total(call);
    struct turned turned = {call, call->rank, summand__region(SUMMAND__SCRATCH, 0, total)};
    struct summand__region output = summand__call_output(call);
    if (summand__has_operator(call->collective)) {
        turn(&turned, summand__call_input(call), false, 0, schedule);
        reduce_phase(&turned, summand__region(SUMMAND__SCRATCH, total, total), schedule);
    } else {
        summand__copy(schedule, summand__call_input(call), blocks(&turned, 0, 1));
    }
    if (summand__has_blocks(call->collective) && summand__has_operator(call->collective)) {
        summand__copy(schedule, blocks(&turned, 0, 1), output);
    } else if (call->collective == SUMMAND__COLL_REDUCE) {
        summand__slices_collect(call, blocks(&turned, 0, 1), schedule);
    } else {
        gather_phase(&turned, schedule);
        bool there = call->in_place && summand__has_blocks(call->collective);
        turn(&turned, output, true, there ? summand__call_input(call).count : 0, schedule);
    }
}

/* Of blocks of any sizes. */
static size_t messages_of_blocks(const struct summand__call *call)
{
    struct skips skips = skips_of(call->ranks);
    size_t messages = 0;
    for (int rank = 0; rank < call->ranks; rank++) {
        struct turned turned = {call, rank, {0}};
        for (int i = 0; i < skips.rounds; i++)
            messages += blocks(&turned, skips.skip[i], skips.wider[i]).count > 0;
    }
    return messages;
}

static size_t common_divisor(size_t a, size_t b)
{
    while (b) {
        size_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

/* If m < p slices have an element, the `width` slices from slice r on have none if r m mod p +
 * width m < p: the remainders are the multiples of gcd(p, m), each as often as that. */
static size_t messages_of(const struct summand__call *call)
{
    struct skips skips = skips_of(call->ranks);
    size_t ranks = (size_t)call->ranks, filled = summand__call_slices(call), messages = 0;
    size_t divisor = common_divisor(ranks, filled);
    for (int i = 0; i < skips.rounds; i++) {
        size_t wide = (size_t)(skips.wider[i] - skips.skip[i]) * filled;
        size_t without = wide < ranks ? (ranks - wide - 1) / divisor + 1 : 0;
        messages += ranks - without * divisor;
    }
    return messages;
}

/* Depth: exact if no block is empty. */
static struct summand__cost cost(const struct summand__algorithm *algorithm,
                                 const struct summand__call *call, bool depth)
{
    (void)algorithm;
    size_t phases = call->collective == SUMMAND__COLL_ALLREDUCE ? 2 : 1;
    bool any = summand__has_offsets(call->collective);
    (void)depth;
    struct summand__cost cost = {
        .messages = phases * (any ? messages_of_blocks(call) : messages_of(call)),
        .elements = phases * ((size_t)call->ranks - 1) * summand__call_total(call),
        .depth = phases * (size_t)skips_of(call->ranks).rounds,
        .depth_at_most = summand__call_slices(call) < (size_t)call->ranks,
    };
    if (call->collective == SUMMAND__COLL_REDUCE)
        summand__slices_cost(call, &cost);
    return cost;
}

/* Data from another switch seldom go on to a further one: a chain has two such messages, besides
 * those that skip whole switches. */
static double estimate(const struct summand__algorithm *algorithm, const struct summand__call *call,
                       size_t element, const struct summand__model *model)
{
    (void)algorithm;
    struct skips skips = skips_of(call->ranks);
    double bytes = (double)(summand__call_total(call) * element), time = 0;
    bool scatters = summand__has_operator(call->collective);
    bool gathers = !scatters || call->collective == SUMMAND__COLL_ALLREDUCE;
    int node = (int)model->per_node, crossings = 2;
    for (int i = 0; i < skips.rounds; i++) {
        double slice = bytes * (skips.wider[i] - skips.skip[i]) / call->ranks;
        int near = skips.skip[i] < node ? node : skips.skip[i];
        bool cross = near >= call->ranks || crossings-- > 0;
        struct summand__encounter encounter = {.ranks = call->ranks,
                                               .span = cross ? call->ranks : near + 1,
                                               .distance = skips.skip[i],
                                               .partners = 1,
                                               .bytes = slice};
        time += (scatters + gathers) * summand__encounter_time(model, &encounter);
        time += scatters * slice * model->reduce_byte;
    }
    if (call->collective == SUMMAND__COLL_REDUCE)
        time += summand__slices_time(model, call, element);
    return time + (scatters + gathers) * bytes * model->copy_byte;
}

const struct summand__algorithm summand__circulant_graph = {
    .name = "circulant",
    .description = "circulant graph: ceil(log2 p) rounds and least volume for any rank count",
    .source = "Traeff (2023)",
    .promises = SUMMAND__SAME_BITS,
    .build = {[SUMMAND__COLL_REDUCE] = build,
              [SUMMAND__COLL_ALLREDUCE] = build,
              [SUMMAND__COLL_REDUCE_SCATTER_BLOCK] = build,
              [SUMMAND__COLL_REDUCE_SCATTER] = build,
              [SUMMAND__COLL_ALLGATHER] = build,
              [SUMMAND__COLL_ALLGATHERV] = build},
    .cost = cost,
    .estimate = estimate,
};
