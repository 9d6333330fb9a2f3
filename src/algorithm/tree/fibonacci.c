/* Fibonacci trees in rank order, any root.
 *
 * What: a rank has two children; the farther subtree has as many ranks as can be reduced in one
 *   round more than the nearer, so the two operands arrive in turn and no rank waits for its
 *   port. T rounds reach F(T) = 1 + F(T-1) + F(T-2) ranks: 1, 2, 4, 7, 12, 20, ...
 * When: short messages where a rank receives one message at a time and degree is bounded. It is
 *   the optimal tree of the postal model with latency lambda = 2.
 * Cost: reduce T (alpha + m (beta + gamma)), T the least with F(T) >= p, about 1.44 log2 p, for a
 *   root at an end; a root inside has one child on each side.
 * Restrictions: none.
 * Source: Winklehner, Friedl, Reduction trees for MPI Reductions (2016); Bar-Noy, Kipnis,
 *   Designing broadcasting algorithms in the postal model (1994). */
#include <stdint.h>

#include "algorithm/estimate.h"
#include "algorithm/tree/pipe.h"

static void build(const struct summand__call *call, struct summand__schedule *schedule)
{
    struct summand__tree tree = summand__tree_of(call, SUMMAND__FIBONACCI);
    summand__tree_build(call, &tree, schedule);
}

static struct summand__cost cost(const struct summand__call *call, bool depth)
{
    struct summand__tree tree = summand__tree_of(call, SUMMAND__FIBONACCI);
    return summand__tree_cost(call, &tree, depth);
}

static double estimate(const struct summand__call *call, size_t element,
                       const struct summand__model *model)
{
    struct summand__tree tree = summand__tree_of(call, SUMMAND__FIBONACCI);
    return summand__tree_estimate(call, element, model, &tree);
}

const struct summand__algorithm summand__fibonacci = {
    .name = "fibonacci",
    .description = "Fibonacci tree: the second child is one round behind the first",
    .source = "Winklehner, Friedl (2016); Bar-Noy, Kipnis (1994)",
    .promises = SUMMAND__RANK_ORDER | SUMMAND__SAME_BITS,
    .limits = {[SUMMAND__SEGMENT] = {1, SIZE_MAX, 0}},
    .build = {[SUMMAND__COLL_REDUCE] = build,
              [SUMMAND__COLL_ALLREDUCE] = build,
              [SUMMAND__COLL_BCAST] = build},
    .cost = cost,
    .estimate = estimate,
};
