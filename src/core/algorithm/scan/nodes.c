/* SPDX-License-Identifier: BSD-3-Clause */
/* Scan by doubling in two levels: inside nodes, and between them.
 *
 * What: in round i of a scan by doubling, a rank sends what it has to the rank 2^i above, and
 *   combines what arrives from 2^i below with its own. The ranks of a node scan; its last rank then
 *   has the node's combination, which goes to the last rank of the next node. These ranks scan, and
 *   broadcast in their nodes what lies below these. An exclusive scan begins with a shift by one
 *   rank. One node has one level.
 * When: short vectors on clusters, whose network each node enters once per round; many ranks of one
 *   node.
 * Cost: (ceil(log2 k) (alpha + s (beta + gamma))) inside nodes of k, 1 + ceil(log2 n/k) of these
 *   between nodes, and a broadcast inside.
 * Restrictions: nodes of any sizes; a run of consecutive ranks of a node counts as a node.
 * Source: Hillis and Steele (1986); composition. */
#include <limits.h>

#include "algorithm/estimate.h"
#include "algorithm/hierarchical/node.h"
#include "algorithm/hierarchical/parts.h"
#include "algorithm/scan/prefix.h"
#include "base/extreme.h"
#include "shape/halving.h"

/* Positions of a scan by doubling, this rank's among them; and the rank at a position. */
struct line {
    int position, positions;
    int (*rank_at)(const struct summand__call *call, int of, int position);
    const struct summand__call *call;
    int of; /* the node, or 0 */
};

static int rank_inside(const struct summand__call *call, int node, int position)
{
    return summand__node_first(call, node) + position;
}

static int rank_between(const struct summand__call *call, int of, int position)
{
    (void)of;
    return summand__node_first(call, position + 1) - 1;
}

static int rank_at(const struct line *line, int position)
{
    return line->rank_at(line->call, line->of, position);
}

/* Positions from `from` on combine `value` with that of all those below, down to `from`. */
static void scan(const struct line *line, int from, struct summand__region value,
                 struct summand__region spare, struct summand__schedule *schedule)
{
    const int position = line->position;
    for (int distance = 1; position >= from && distance < line->positions - from; distance *= 2) {
        bool receives = position - distance >= from;
        if (receives)
            summand__recv(schedule, rank_at(line, position - distance), spare);
        if (position + distance < line->positions)
            summand__send(schedule, rank_at(line, position + distance), value);
        summand__round(schedule);
        if (receives)
            summand__reduce(schedule, spare, value);
        summand__round(schedule);
    }
}

/* Each position gives its operand to the next one. */
static void shift(const struct line *line, struct summand__region operand,
                  struct summand__region value, struct summand__schedule *schedule)
{
    if (line->position > 0)
        summand__recv(schedule, rank_at(line, line->position - 1), value);
    if (line->position < line->positions - 1)
        summand__send(schedule, rank_at(line, line->position + 1), operand);
    summand__round(schedule);
}

static struct summand__call broadcast(const struct summand__call *call,
                                      const struct summand__node_view *view)
{
    struct summand__call part = *call;
    part.collective = SUMMAND__COLL_BCAST;
    part.rank = call->rank - view->first;
    part.ranks = view->ranks;
    part.root = view->ranks - 1;
    part.grouping = part.uneven = NULL;
    part.in_place = false;
    return part;
}

/* The combination of the rank's node; on its last rank, if another node follows. */
static struct summand__region total(const struct summand__call *call,
                                    const struct summand__node_view *view,
                                    struct summand__region input,
                                    struct summand__schedule *schedule)
{
    struct summand__region value = summand__region(SUMMAND__RECVBUF, 0, call->count);
    if (!summand__is_exclusive(call))
        return value;
    if (view->ranks == 1 || view->node == view->nodes - 1)
        return input;
    struct summand__region whole = summand__prefix_room(schedule, call->count);
    summand__copy(schedule, input, whole);
    summand__reduce(schedule, value, whole);
    summand__round(schedule);
    return whole;
}

/* Combines the node's values with that of all nodes below. */
static void join(const struct summand__algorithm *algorithm, const struct summand__call *call,
                 const struct summand__node_view *view, struct summand__region input,
                 struct summand__region spare, struct summand__schedule *schedule)
{
    const struct line between = {view->node, view->nodes, rank_between, call, 0};
    struct summand__region value = summand__region(SUMMAND__RECVBUF, 0, call->count);
    struct summand__region below = summand__prefix_room(schedule, call->count);
    const struct summand__call part = broadcast(call, view);
    const bool first = summand__is_exclusive(call) && call->rank == view->first;
    if (part.rank == part.root) {
        shift(&between, total(call, view, input, schedule), below, schedule);
        scan(&between, 1, below, spare, schedule);
    }
    if (!view->node)
        return;
    struct summand__part_ranks ranks = summand__ranks_inside(view);
    summand__compose(algorithm->composition.inside, &part, &ranks, below, below, schedule);
    summand__round(schedule);
    if (first)
        summand__copy(schedule, below, value);
    else
        summand__reduce(schedule, below, value);
    summand__round(schedule);
}

static void build(const struct summand__algorithm *algorithm, const struct summand__call *call,
                  struct summand__schedule *schedule)
{
    struct summand__node_view view = summand__node_of(call, call->rank);
    const struct line inside = {call->rank - view.first, view.ranks, rank_inside, call, view.node};
    struct summand__region value = summand__region(SUMMAND__RECVBUF, 0, call->count);
    struct summand__region input = summand__prefix_input(call, schedule);
    struct summand__region spare = summand__prefix_room(schedule, call->count);
    if (summand__is_exclusive(call)) {
        shift(&inside, input, value, schedule);
        scan(&inside, 1, value, spare, schedule);
    } else {
        summand__copy(schedule, input, value);
        summand__round(schedule);
        scan(&inside, 0, value, spare, schedule);
    }
    if (view.nodes > 1)
        join(algorithm, call, &view, input, spare, schedule);
}

/* A scan by doubling of so many positions. */
static struct summand__cost doubling(int positions)
{
    struct summand__cost cost = {0};
    for (int distance = 1; distance < positions; distance *= 2)
        cost.messages += (size_t)(positions - distance);
    cost.depth = (size_t)summand__halving_height(positions);
    return cost;
}

/* The same after a shift. */
static struct summand__cost shifted(int positions)
{
    if (positions < 2)
        return (struct summand__cost){0};
    struct summand__cost cost = doubling(positions - 1);
    cost.messages += (size_t)(positions - 1);
    cost.depth++;
    return cost;
}

static struct summand__cost cost(const struct summand__algorithm *algorithm,
                                 const struct summand__call *call, bool depth)
{
    struct summand__call view = *call;
    struct summand__cost cost = {0};
    int nodes = 1, deepest = 0, down = 0;
    for (int first = 0; first < call->ranks && call->count;
         first += summand__node_of(call, first).ranks) {
        const struct summand__node_view node = summand__node_of(call, first);
        struct summand__cost inside =
            summand__is_exclusive(call) ? shifted(node.ranks) : doubling(node.ranks);
        view.rank = first;
        const struct summand__call part = broadcast(&view, &node);
        struct summand__cost cast =
            node.node ? summand__part_cost(algorithm->composition.inside, &part, depth)
                      : (struct summand__cost){0};
        cost.messages += inside.messages + cast.messages;
        cost.repeats += cast.repeats;
        cost.unknown |= cast.unknown;
        deepest = summand__larger(deepest, (int)inside.depth);
        down = summand__larger(down, (int)cast.depth);
        nodes = node.nodes;
    }
    const struct summand__cost between = shifted(call->count ? nodes : 1);
    cost.messages += between.messages;
    cost.elements = cost.messages * call->count;
    cost.repeated = cost.repeats * call->count;
    cost.depth = depth ? (size_t)deepest + between.depth + (size_t)down : 0;
    cost.depth_at_most = nodes > 1;
    return cost;
}

/* Rounds of messages at doubling distance between `positions`, each rank one. */
static double rounds_time(const struct summand__model *model, int positions, double bytes)
{
    double time = 0;
    for (int distance = 1; distance < positions && bytes > 0; distance *= 2) {
        struct summand__encounter encounter = {.ranks = positions,
                                               .span = positions,
                                               .distance = distance,
                                               .partners = 1,
                                               .bytes = bytes};
        time += summand__encounter_time(model, &encounter) + bytes * model->reduce_byte;
    }
    return time;
}

static double estimate(const struct summand__algorithm *algorithm, const struct summand__call *call,
                       size_t element, const struct summand__model *model)
{
    const struct summand__node_view view = summand__node_of(call, 0);
    const struct summand__model network = summand__between_nodes(model, 1);
    const struct summand__call part = broadcast(call, &view);
    const double bytes = (double)(call->count * element);
    const int exclusive = summand__is_exclusive(call);
    double time = rounds_time(model, view.ranks, bytes);
    if (exclusive && view.ranks > 1)
        time += rounds_time(model, 2, bytes);
    if (view.nodes > 1)
        time += rounds_time(&network, 2, bytes) + rounds_time(&network, view.nodes - 1, bytes) +
                summand__estimate_of(algorithm->composition.inside, &part, element, model) +
                bytes * model->reduce_byte;
    return time;
}

const struct summand__algorithm summand__scan_nodes = {
    .name = "scan-nodes",
    .description = "doubling inside nodes, then between them, and a broadcast inside",
    .source = "Hillis and Steele (1986); composition",
    .promises = SUMMAND__RANK_ORDER | SUMMAND__SAME_BITS,
    .limits = {[SUMMAND__NODE_SIZE] = {1, INT_MAX, 1}},
    .build = {SUMMAND__SCANS(build)},
    .cost = cost,
    .estimate = estimate,
    .composition = {.inside = &summand__binomial},
};
