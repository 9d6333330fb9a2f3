/* Complete binary tree in rank order (post-order numbering), any root.
 *
 * What: the tree of the 2016 report: the children of a rank halve the ranks below it. In its
 *   general form here for any root, in place and in segments, both children's operands arriving
 *   together.
 * When: middle messages, non-commutative operators.
 * Cost: reduce floor(log2 p) (alpha + 2 m (beta + gamma)); in segments floor(log2 p) + k - 1
 *   slots of two segments in and one out (pipe.h).
 * Restrictions: none. A root that is not an end has one child on each side: one level more.
 * Source: folklore; Winklehner, Friedl, Reduction trees for MPI Reductions (2016). */
#include <stdint.h>

#include "algorithm/estimate.h"
#include "algorithm/tree/pipe.h"

static void build(const struct summand__call *call, struct summand__schedule *schedule)
{
    struct summand__tree tree = summand__tree_of(call, SUMMAND__KARY);
    summand__tree_build(call, &tree, schedule);
}

static struct summand__cost cost(const struct summand__call *call, bool depth)
{
    struct summand__tree tree = summand__tree_of(call, SUMMAND__KARY);
    return summand__tree_cost(call, &tree, depth);
}

static double estimate(const struct summand__call *call, size_t element,
                       const struct summand__model *model)
{
    struct summand__tree tree = summand__tree_of(call, SUMMAND__KARY);
    return summand__tree_estimate(call, element, model, &tree);
}

const struct summand__algorithm summand__binary = {
    .name = "binary",
    .description = "complete binary tree in post-order",
    .source = "folklore; Winklehner, Friedl (2016)",
    .promises = SUMMAND__RANK_ORDER | SUMMAND__SAME_BITS,
    .limits = {[SUMMAND__SEGMENT] = {1, SIZE_MAX, 0}, [SUMMAND__RADIX] = {0, 0, 2}},
    .build = {[SUMMAND__COLL_REDUCE] = build,
              [SUMMAND__COLL_ALLREDUCE] = build,
              [SUMMAND__COLL_BCAST] = build},
    .cost = cost,
    .estimate = estimate,
};
