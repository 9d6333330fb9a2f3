/* SPDX-License-Identifier: BSD-3-Clause */
/* Recursive doubling in rank order, any rank count, without folding.
 *
 * What: the ranks are halved down to single ranks (shape/halving.h); going up, every rank of a
 *   half exchanges its value with its opposite in the other half, and both combine left with
 *   right. If the left half has one rank more, that rank only receives, and the last rank of the
 *   right half sends twice.
 * When: short messages, all-reduce.
 * Cost: ceil(log2 p) (alpha + m beta + m gamma), against floor(log2 p) + 2 rounds of the usual
 *   folding for other rank counts than powers of two.
 * Restrictions: none.
 * Source: folklore for powers of two; Rabenseifner (2004) for the folding that this avoids. */
#include "algorithm/algorithm.h"
#include "algorithm/estimate.h"
#include "algorithm/exchange/accumulator.h"
#include "shape/halving.h"
#include "shape/layers.h"

struct partners {
    int from;   /* the rank whose value this rank receives */
    int to;     /* the rank that needs this rank's value, or -1 */
    int to_too; /* a second one, or -1 */
};

static struct partners partners(int rank, struct summand__split split)
{
    int left = split.middle - split.low, right = split.high - split.middle;
    if (rank < split.middle) {
        int opposite = split.middle + (rank - split.low);
        if (opposite >= split.high)
            return (struct partners){split.high - 1, -1, -1};
        return (struct partners){opposite, opposite, -1};
    }
    int opposite = split.low + (rank - split.middle);
    bool last = rank == split.high - 1 && left > right;
    return (struct partners){opposite, opposite, last ? split.middle - 1 : -1};
}

static void build(const struct summand__algorithm *algorithm, const struct summand__call *call,
                  struct summand__schedule *schedule)
{
    (void)algorithm;
    struct summand__split path[SUMMAND__HALVING_MOST];
    int length = summand__halving_path(call->ranks, call->rank, path), moves = 0;
    for (int i = length - 1; i >= 0; i--)
        if (call->rank < path[i].middle || i == length - 1)
            moves++;
    struct summand__accumulator accumulator = summand__accumulator_start(call, true, moves);
    for (int i = length - 1; i >= 0; i--) {
        struct partners with = partners(call->rank, path[i]);
        bool higher = call->rank < path[i].middle;
        summand__accumulator_recv(&accumulator, schedule, with.from, higher);
        if (with.to >= 0)
            summand__send(schedule, with.to, accumulator.value);
        if (with.to_too >= 0)
            summand__send(schedule, with.to_too, accumulator.value);
        summand__accumulator_fold(&accumulator, schedule, higher);
    }
    summand__accumulator_finish(&accumulator, schedule);
}

/* Each rank receives once on each level of its path. */
static struct summand__cost cost(const struct summand__algorithm *algorithm,
                                 const struct summand__call *call, bool depth)
{
    (void)algorithm;
    size_t messages = call->count ? summand__layers_meetings(call->ranks, 2) : 0;
    (void)depth;
    return (struct summand__cost){.messages = messages,
                                  .elements = messages * call->count,
                                  .depth =
                                      messages ? (size_t)summand__halving_height(call->ranks) : 0};
}

static bool is_ragged(int ranks)
{
    return ranks & (ranks - 1);
}

/* The half that ends last: the larger one, or the other if its ranks wait for one another. The
 * third of five ranks ends with the others if messages are short: it only receives in the last
 * round. */
static int last_half(int span, bool eager)
{
    int small = span / 2, large = span - small;
    if (eager && (span == 5 || small == 5))
        return span == 5 ? small : large;
    return is_ragged(small) && (!is_ragged(large) || large % 2 == 0) ? small : large;
}

/* Nodes of one rank with evenly shared cards. A half with one rank fewer has a rank that sends
 * twice. In a half that is ragged itself, early ranks send to ranks that still receive. */
static double ragged_estimate(const struct summand__call *call, double bytes,
                              const struct summand__model *model)
{
    double time = 0;
    bool eager = bytes <= model->eager;
    for (int span = call->ranks, below; span > 1; span = below) {
        below = last_half(span, eager);
        int twice = span % 2, early = eager && (is_ragged(below) || span == 5);
        struct summand__encounter encounter = {.ranks = call->ranks,
                                               .span = span,
                                               .distance = span - span / 2,
                                               .partners = 1,
                                               .more = twice + early,
                                               .bytes = bytes};
        time += summand__encounter_time(model, &encounter) + bytes * model->reduce_byte;
    }
    return time;
}

static double estimate(const struct summand__algorithm *algorithm, const struct summand__call *call,
                       size_t element, const struct summand__model *model)
{
    (void)algorithm;
    double bytes = (double)(call->count * element), time = 0;
    if (model->per_node <= 1 && model->fair_card > 0 && call->count)
        return ragged_estimate(call, bytes, model);
    for (int span = call->ranks; span > 1 && call->count; span -= span / 2) {
        struct summand__encounter encounter = {.ranks = call->ranks,
                                               .span = span,
                                               .distance = span - span / 2,
                                               .partners = 1,
                                               .bytes = bytes};
        time += summand__encounter_time(model, &encounter) + bytes * model->reduce_byte;
    }
    return time;
}

const struct summand__algorithm summand__recursive_doubling = {
    .name = "recursive-doubling",
    .description =
        "exchange of whole vectors at doubling distance, for any rank count without folding",
    .source = "folklore; halving for any rank count",
    .promises = SUMMAND__RANK_ORDER | SUMMAND__SAME_BITS | SUMMAND__CANONICAL,
    .build = {[SUMMAND__COLL_ALLREDUCE] = build},
    .cost = cost,
    .estimate = estimate,
};
