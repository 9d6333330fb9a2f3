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
#include "base/extreme.h"
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

/* When the ranks of a range have its value: its last rank, which only receives where the range is a
 * left half with one rank more than the right one, and the others. */
struct done {
    double others, last;
};

/* Seconds at which a rank has what another one sends, which take `time`. */
static double arrival(double own, double sender, bool eager, double time)
{
    return eager ? summand__larger(own, sender + time) : summand__larger(own, sender) + time;
}

/* Two halves exchange, of `right` ranks each, or with one more on the left. */
static struct done meet(struct done left, struct done right, int ranks, bool more, bool eager,
                        double time)
{
    const double with = more ? left.others : left.last; /* meets the last rank */
    struct done done = {arrival(left.last, right.last, eager, time),
                        arrival(right.last, with, eager, time)};
    if (more)
        done.others = summand__larger(done.others, arrival(with, right.last, eager, time));
    if (ranks > 1) {
        double exchanged = summand__larger(arrival(left.others, right.others, eager, time),
                                           arrival(right.others, left.others, eager, time));
        done.others = summand__larger(done.others, exchanged);
    }
    return done;
}

/* Nodes of one rank with evenly shared cards. On a level of halving, ranges have two sizes: `least`
 * and one more. */
static double ragged_estimate(const struct summand__call *call, double bytes,
                              const struct summand__model *model)
{
    const bool eager = bytes <= model->eager;
    struct done below[2] = {{0, 0}, {0, 0}};
    for (int level = summand__halving_height(call->ranks) - 1; level >= 0; level--) {
        const int least = call->ranks >> level, half = call->ranks >> (level + 1);
        struct done now[2] = {{0, 0}, {0, 0}};
        for (int i = 0; i < 1 + (level > 0); i++) {
            const int span = least + i, right = span / 2, left = span - right;
            if (span < 2)
                continue;
            struct summand__encounter encounter = {.ranks = call->ranks,
                                                   .span = span,
                                                   .distance = left,
                                                   .partners = 1,
                                                   .more = span % 2,
                                                   .bytes = bytes};
            double time = summand__encounter_time(model, &encounter) + bytes * model->reduce_byte;
            now[i] =
                meet(below[left - half], below[right - half], right, left > right, eager, time);
        }
        below[0] = now[0];
        below[1] = now[1];
    }
    return summand__larger(below[0].others, below[0].last);
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
