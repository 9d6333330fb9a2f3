/* Binary tree numbered in order, any root.
 *
 * What: a rank has one child on each side; its subtree's ranks lie around it. All-reduce meets in
 *   the middle.
 * When: middle messages, non-commutative operators, roots in the middle.
 * Cost: reduce h (alpha + 2 m (beta + gamma)), h <= floor(log2 p) + 1; in segments h + k - 1
 *   slots (pipe.h).
 * Restrictions: none.
 * Source: folklore (in-order binary of Open MPI). */
#include <stdint.h>

#include "algorithm/estimate.h"
#include "algorithm/tree/pipe.h"

static void build(const struct summand__call *call, struct summand__schedule *schedule)
{
    struct summand__tree tree = summand__tree_of(call, SUMMAND__BINARY_IN_ORDER);
    summand__tree_build(call, &tree, schedule);
}

static struct summand__cost cost(const struct summand__call *call, bool depth)
{
    struct summand__tree tree = summand__tree_of(call, SUMMAND__BINARY_IN_ORDER);
    return summand__tree_cost(call, &tree, depth);
}

static double estimate(const struct summand__call *call, size_t element,
                       const struct summand__model *model)
{
    struct summand__tree tree = summand__tree_of(call, SUMMAND__BINARY_IN_ORDER);
    return summand__tree_estimate(call, element, model, &tree);
}

const struct summand__algorithm summand__binary_in_order = {
    .name = "binary-in-order",
    .description = "binary tree whose ranks lie between their subtrees",
    .source = "folklore",
    .promises = SUMMAND__RANK_ORDER | SUMMAND__SAME_BITS,
    .limits = {[SUMMAND__SEGMENT] = {1, SIZE_MAX, 0}},
    .build = {[SUMMAND__COLL_REDUCE] = build,
              [SUMMAND__COLL_ALLREDUCE] = build,
              [SUMMAND__COLL_BCAST] = build},
    .cost = cost,
    .estimate = estimate,
};
