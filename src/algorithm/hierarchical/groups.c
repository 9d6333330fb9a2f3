/* Between nodes: neighbours share their vector before they talk to others. Not in the table; it is
 * a part of compositions (node_leaders.c, node_direct.c).
 *
 * What: `node` neighbouring ranks reduce-scatter their vector among them, each exchanges its part
 *   whole with its opposites by recursive multiplying of radix `between` or sends it up a k-ary
 *   tree, and they gather. In groups of one nothing is shared.
 * When: a vector that is too long to be sent whole to every partner, and too short to be cut into
 *   as many parts as there are ranks.
 * Cost: all-reduce for groups of g: 2 log2 g alpha + 2 m (g-1)/g beta, and for the exchange
 *   ceil(log_b p/g) (alpha + (b-1) m/g beta).
 * Source: composition. */
#include <limits.h>

#include "algorithm/estimate.h"
#include "algorithm/hierarchical/multi_leader.h"
#include "algorithm/hierarchical/parts.h"

static const struct summand__multi_leader multi_leader = {
    .inside = &summand__rabenseifner,
    .inside_time = summand__merge_time,
    .between = {[SUMMAND__COLL_REDUCE] = &summand__kary,
                [SUMMAND__COLL_ALLREDUCE] = &summand__recursive_multiplying,
                [SUMMAND__COLL_BCAST] = &summand__kary}};

/* The algorithm of groups of one, or NULL. */
static const struct summand__algorithm *alone(const struct summand__call *call)
{
    return call->parameter[SUMMAND__NODE_SIZE] <= 1 ? multi_leader.between[call->collective] : NULL;
}

static struct summand__call alone_call(const struct summand__call *call)
{
    struct summand__call one = *call;
    one.parameter[SUMMAND__RADIX] = call->parameter[SUMMAND__INTER_NODE_RADIX];
    return summand__call_complete(alone(call), &one);
}

static void build(const struct summand__call *call, struct summand__schedule *schedule)
{
    if (alone(call)) {
        struct summand__call one = alone_call(call);
        alone(call)->build[call->collective](&one, schedule);
    } else {
        summand__leaders_build(call, &multi_leader, schedule);
    }
}

static struct summand__cost cost(const struct summand__call *call, bool depth)
{
    if (!alone(call))
        return summand__leaders_cost(call, &multi_leader, depth);
    struct summand__call one = alone_call(call);
    return alone(call)->cost(&one, depth);
}

static double estimate(const struct summand__call *call, size_t element,
                       const struct summand__model *model)
{
    if (!alone(call))
        return summand__leaders_estimate(call, element, model, &multi_leader);
    struct summand__call one = alone_call(call);
    return alone(call)->estimate(&one, element, model);
}

const struct summand__algorithm summand__groups = {
    .name = "groups",
    .description = "neighbours share their vector, parts are exchanged or reduced whole",
    .source = "composition",
    .promises = SUMMAND__RANK_ORDER | SUMMAND__SAME_BITS,
    .limits = {[SUMMAND__NODE_SIZE] = {1, INT_MAX, 1},
               [SUMMAND__LEADERS] = {1, 1024, 1},
               [SUMMAND__INTER_NODE_RADIX] = {2, 64, 3}},
    .build = {[SUMMAND__COLL_REDUCE] = build,
              [SUMMAND__COLL_BCAST] = build,
              [SUMMAND__COLL_ALLREDUCE] = build},
    .cost = cost,
    .estimate = estimate,
};
