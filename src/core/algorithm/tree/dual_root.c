/* SPDX-License-Identifier: BSD-3-Clause */
/* Doubly pipelined dual-root all-reduce.
 *
 * What: the lower and the upper half of the ranks each reduce through a binary tree in post-order;
 * the two roots, which are neighbours, exchange each segment as it arrives and both send the result
 *   down their tree, while later segments still come up. No rank is idle between reduction and
 *   broadcast.
 * When: middle to long vectors, non-commutative operators.
 * Cost: 2 h + 1 + k - 1 slots (pipe.h), h = floor(log2 ceil(p / 2)): with optimal segments about
 *   4 log2 p alpha + 3 m beta.
 * Restrictions: none.
 * Source: Traeff, A doubly-pipelined, dual-root reduction-to-all algorithm and implementation
 *   (2021). */
#include <stdint.h>

#include "algorithm/estimate.h"
#include "algorithm/hierarchical/parts.h"
#include "algorithm/tree/pipe.h"

static struct summand__pipe half_of(const struct summand__algorithm *algorithm,
                                    const struct summand__call *call, bool upper)
{
    int half = call->ranks - call->ranks / 2;
    struct summand__pipe pipe = {
        .tree = {.shape = algorithm->tree.shape,
                 .radix = 2,
                 .ranks = upper ? call->ranks - half : half,
                 .root = upper ? 0 : half - 1},
        .base = upper ? half : 0,
        .partner = upper ? half - 1 : half,
        .count = call->count,
    };
    if (call->ranks == 1)
        pipe.partner = -1;
    return pipe;
}

/* Both halves keep time with the lower one, which is the larger. */
static int height_of(const struct summand__algorithm *algorithm, const struct summand__call *call)
{
    struct summand__pipe lower = half_of(algorithm, call, false);
    return summand__tree_height(&lower.tree);
}

static void build(const struct summand__algorithm *algorithm, const struct summand__call *call,
                  struct summand__schedule *schedule)
{
    int half = call->ranks - call->ranks / 2;
    struct summand__pipe pipe = half_of(algorithm, call, call->rank >= half);
    pipe.height = height_of(algorithm, call);
    summand__pipes_build(call, &pipe, 1, call->parameter[SUMMAND__SEGMENT], schedule);
}

static struct summand__cost cost(const struct summand__algorithm *algorithm,
                                 const struct summand__call *call, bool depth)
{
    size_t segments = summand__segments(call->count, call->parameter[SUMMAND__SEGMENT]);
    size_t crossings = 2 * ((size_t)call->ranks - 1);
    if (!segments || !crossings)
        return (struct summand__cost){0};
    return (struct summand__cost){.messages = crossings * segments,
                                  .elements = crossings * call->count,
                                  .depth = depth ? 2 * (size_t)height_of(algorithm, call) + 1 +
                                                       (segments - 1) / SUMMAND__UNDER_WAY
                                                 : 0};
}

static double estimate(const struct summand__algorithm *algorithm, const struct summand__call *call,
                       size_t element, const struct summand__model *model)
{
    struct summand__pipe pipe = half_of(algorithm, call, false);
    struct summand__stream stream = {.tree = &pipe.tree, .trees = 1, .exchange = call->ranks};
    return summand__stream_estimate(call, call->count, element, model, &stream);
}

const struct summand__algorithm summand__dual_root = {
    .name = "dual-root",
    .description = "two binary trees whose roots exchange segments, up and down at the same time",
    .source = "Traeff (2021)",
    .promises = SUMMAND__RANK_ORDER | SUMMAND__SAME_BITS,
    .limits = {[SUMMAND__SEGMENT] = {1, SIZE_MAX, 0}},
    .build = {[SUMMAND__COLL_ALLREDUCE] = build},
    .cost = cost,
    .estimate = estimate,
    .sees_nodes = &summand__node_two_tree,
    .tree = {.shape = &summand__kary_shape},
};
