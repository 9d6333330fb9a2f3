/* Linear (flat) reduction, any root.
 *
 * What: all ranks send to the root, which receives `radix` operands at a time, from its
 *   neighbours outwards, and combines them in rank order.
 * When: two or three ranks; one node.
 * Cost: reduce (p-1)(alpha + m beta + m gamma), in ceil((p-1) / radix) rounds; in segments all
 *   ranks send together, k rounds.
 * Restrictions: scratch of 2 radix vectors, in segments of p - 1 segments, at the root.
 * Source: folklore. */
#include <stdint.h>

#include "algorithm/estimate.h"
#include "algorithm/tree/pipe.h"

static void build(const struct summand__call *call, struct summand__schedule *schedule)
{
    struct summand__tree tree = summand__tree_of(call, SUMMAND__LINEAR);
    summand__tree_build(call, &tree, schedule);
}

static struct summand__cost cost(const struct summand__call *call, bool depth)
{
    struct summand__tree tree = summand__tree_of(call, SUMMAND__LINEAR);
    return summand__tree_cost(call, &tree, depth);
}

static double estimate(const struct summand__call *call, size_t element,
                       const struct summand__model *model)
{
    struct summand__tree tree = summand__tree_of(call, SUMMAND__LINEAR);
    return summand__tree_estimate(call, element, model, &tree);
}

const struct summand__algorithm summand__linear = {
    .name = "linear",
    .description = "every rank sends to the root, which receives a few at a time",
    .source = "folklore",
    .promises = SUMMAND__RANK_ORDER | SUMMAND__SAME_BITS,
    .limits = {[SUMMAND__SEGMENT] = {1, SIZE_MAX, 0}, [SUMMAND__RADIX] = {1, 1024, 1}},
    .build = {[SUMMAND__COLL_REDUCE] = build,
              [SUMMAND__COLL_ALLREDUCE] = build,
              [SUMMAND__COLL_BCAST] = build},
    .cost = cost,
    .estimate = estimate,
};
