/* Chain, a pipeline along the ranks, any root.
 *
 * What: values flow from rank 0 up and from rank p - 1 down to the root, each rank combining its
 *   neighbour's operand with its own; all-reduce meets in the middle rank and flows back at once.
 * When: long vectors on few ranks.
 * Cost: reduce h (alpha + s (beta + gamma)) + (k - 1) s max(beta, gamma) with h = max(root, p - 1
 *   - root) and k segments of s, three of them under way (pipe.h); all-reduce with h = 2 floor(p
 *   / 2).
 * Restrictions: none. At a root in the middle two operands arrive at a time.
 * Source: folklore. */
#include <stdint.h>

#include "algorithm/estimate.h"
#include "algorithm/tree/pipe.h"

static void build(const struct summand__call *call, struct summand__schedule *schedule)
{
    struct summand__tree tree = summand__tree_of(call, SUMMAND__CHAIN);
    summand__tree_build(call, &tree, schedule);
}

static struct summand__cost cost(const struct summand__call *call, bool depth)
{
    struct summand__tree tree = summand__tree_of(call, SUMMAND__CHAIN);
    return summand__tree_cost(call, &tree, depth);
}

static double estimate(const struct summand__call *call, size_t element,
                       const struct summand__model *model)
{
    struct summand__tree tree = summand__tree_of(call, SUMMAND__CHAIN);
    return summand__tree_estimate(call, element, model, &tree);
}

const struct summand__algorithm summand__chain = {
    .name = "chain",
    .description = "pipeline along the ranks from both ends to the root",
    .source = "folklore",
    .promises = SUMMAND__RANK_ORDER | SUMMAND__SAME_BITS,
    .limits = {[SUMMAND__SEGMENT] = {1, SIZE_MAX, 0}},
    .build = {[SUMMAND__COLL_REDUCE] = build,
              [SUMMAND__COLL_ALLREDUCE] = build,
              [SUMMAND__COLL_BCAST] = build},
    .cost = cost,
    .estimate = estimate,
};
