/* Several leaders per node over the circulant graph.
 *
 * What: reduce-scatter inside each node to its leaders, all-reduce of each leader's part with its
 *   opposites on other nodes over the circulant graph, all-gather inside each node.
 * When: middle and long vectors on clusters of any number of nodes.
 * Cost: 2 m beta_node + 2 m / L beta_net per leader of L, 2 ceil(log2 N) alpha_net for N nodes.
 * Restrictions: commutative operators; nodes are consecutive ranks; not more leaders than the
 * smallest node has ranks. Source: composition of rabenseifner.c and circulant.c. */
#include <limits.h>

#include "reduce/node.h"
#include "reduce/parts.h"

static const struct summand__leading leading = {.inside = &summand__rabenseifner,
                                                .between = &summand__circulant_graph};

static void build(const struct summand__call *call, struct summand__schedule *schedule)
{
    summand__leaders_build(call, &leading, schedule);
}

static struct summand__cost cost(const struct summand__call *call)
{
    return summand__leaders_cost(call, &leading);
}

static double estimate(const struct summand__call *call, size_t element,
                       const struct summand__model *model)
{
    return summand__leaders_estimate(call, element, model, &leading);
}

const struct summand__algorithm summand__node_circulant = {
    .name = "node-circulant",
    .description = "several leaders per node, each all-reduces its part by the circulant graph",
    .source = "composition",
    .promises = SUMMAND__SAME_BITS,
    .limits = {[SUMMAND__NODE_SIZE] = {1, INT_MAX, 1}, [SUMMAND__LEADERS] = {1, 1024, 4}},
    .build = {[SUMMAND__COLL_ALLREDUCE] = build},
    .cost = cost,
    .estimate = estimate,
};
