/* Several leaders per node, in rank order.
 *
 * What: reduce-scatter inside each node to its leaders, all-reduce of each leader's part with its
 *   opposites on other nodes, all-gather inside each node; all by rabenseifner.c.
 * When: long vectors on clusters; every leader keeps the network busy.
 * Cost: 2 m beta_node + 2 m / L beta_net per leader of L.
 * Restrictions: nodes are consecutive ranks; not more leaders than the smallest node has ranks.
 * Source: composition; several leaders: Bayatpour et al., Scalable reduction collectives with data
 *   partitioning-based multi-leader design (2017). */
#include <limits.h>

#include "reduce/node.h"
#include "reduce/parts.h"

static const struct summand__leading leading = {.inside = &summand__rabenseifner,
                                                .between = &summand__rabenseifner};

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

const struct summand__algorithm summand__node_rabenseifner = {
    .name = "node-rabenseifner",
    .description =
        "several leaders per node, each all-reduces its part between nodes, in rank order",
    .source = "composition",
    .promises = SUMMAND__RANK_ORDER | SUMMAND__SAME_BITS,
    .limits = {[SUMMAND__NODE_SIZE] = {1, INT_MAX, 1}, [SUMMAND__LEADERS] = {1, 1024, 4}},
    .build = {[SUMMAND__COLL_ALLREDUCE] = build},
    .cost = cost,
    .estimate = estimate,
};
