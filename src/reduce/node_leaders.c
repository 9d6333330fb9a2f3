/* All-reduce over several leaders per node: the part that is alike whatever the levels' algorithms.
 */
#include <stdlib.h>

#include "reduce/estimate.h"
#include "reduce/node.h"

/* Leaders of every node: not more than the smallest node has ranks. */
static int leaders_of(const struct summand__call *call)
{
    struct summand__node_view last = summand__node_of(call, call->ranks - 1);
    size_t leaders = call->parameter[SUMMAND__LEADERS];
    return leaders < (size_t)last.ranks ? (int)leaders : last.ranks;
}

/* The leaders' pieces of the vector; ranks that do not lead have none. To be freed. */
static size_t *pieces_of(const struct summand__call *call, int ranks)
{
    size_t leaders = (size_t)leaders_of(call);
    size_t *offsets = calloc((size_t)ranks + 1, sizeof *offsets);
    for (size_t r = 0; offsets && r <= (size_t)ranks; r++)
        offsets[r] = summand__cut(call->count, r < leaders ? r : leaders, leaders);
    return offsets;
}

static struct summand__call inside_of(const struct summand__call *call, int rank,
                                      enum summand__collective collective, const size_t *offsets)
{
    struct summand__node_view view = summand__node_of(call, rank);
    struct summand__call inside = *call;
    inside.collective = collective;
    inside.rank = rank - view.first;
    inside.ranks = view.ranks;
    inside.in_place = false;
    inside.offsets = offsets;
    return inside;
}

static struct summand__call between_of(const struct summand__call *call, size_t count)
{
    struct summand__node_view view = summand__node_of(call, call->rank);
    struct summand__call between = *call;
    between.rank = view.node;
    between.ranks = view.nodes;
    between.count = count;
    between.in_place = true;
    return between;
}

static void build_between(const struct summand__call *call, const struct summand__leading *leading,
                          struct summand__region piece, struct summand__schedule *schedule)
{
    struct summand__node_view view = summand__node_of(call, call->rank);
    struct summand__call between = between_of(call, piece.count);
    if (view.nodes > 1)
        summand__compose(leading->between, &between, call->rank - view.first, view.full, -1, 0,
                         piece, piece, schedule);
}

/* A rank alone in its node leads with its whole vector. */
static void build_alone(const struct summand__call *call, const struct summand__leading *leading,
                        struct summand__schedule *schedule)
{
    struct summand__region all = summand__region(SUMMAND__RECVBUF, 0, call->count);
    summand__copy(schedule, summand__call_input(call), all);
    build_between(call, leading, all, schedule);
}

void summand__leaders_build(const struct summand__call *call,
                            const struct summand__leading *leading,
                            struct summand__schedule *schedule)
{
    struct summand__node_view view = summand__node_of(call, call->rank);
    struct summand__region all = summand__region(SUMMAND__RECVBUF, 0, call->count);
    int local = call->rank - view.first;
    if (view.ranks == 1) {
        build_alone(call, leading, schedule);
        return;
    }
    size_t *offsets = pieces_of(call, view.ranks);
    if (!offsets) {
        schedule->failed = true;
        return;
    }
    struct summand__region piece =
        summand__region(SUMMAND__SCRATCH, schedule->scratch, offsets[local + 1] - offsets[local]);
    schedule->scratch += piece.count;
    struct summand__call inside =
        inside_of(call, call->rank, SUMMAND__COLL_REDUCE_SCATTER, offsets);
    summand__compose(leading->inside, &inside, view.first, 1, -1, 0, summand__call_input(call),
                     piece, schedule);
    if (local < leaders_of(call))
        build_between(call, leading, piece, schedule);
    inside = inside_of(call, call->rank, SUMMAND__COLL_ALLGATHERV, offsets);
    summand__compose(leading->inside, &inside, view.first, 1, -1, 0, piece, all, schedule);
    free(offsets);
}

static void add(struct summand__cost *sum, struct summand__cost more, size_t times)
{
    sum->messages += more.messages * times;
    sum->elements += more.elements * times;
}

/* One phase inside all nodes: the last one may be smaller. */
static size_t add_nodes(struct summand__cost *sum, const struct summand__call *call,
                        const struct summand__leading *leading, enum summand__collective collective)
{
    size_t depth = 0;
    const int ranks[2] = {0, call->ranks - 1};
    int nodes = summand__node_of(call, 0).nodes;
    const size_t times[2] = {(size_t)nodes - 1, 1};
    for (int i = 0; i < 2; i++) {
        size_t *offsets = pieces_of(call, summand__node_of(call, ranks[i]).ranks);
        if (!offsets)
            continue;
        struct summand__call inside = inside_of(call, ranks[i], collective, offsets);
        struct summand__cost one = summand__cost_of(leading->inside, &inside);
        add(sum, one, times[i]);
        depth = one.depth > depth ? one.depth : depth;
        free(offsets);
    }
    return depth;
}

/* Depth: a bound, as a node's leaders begin at various times. */
struct summand__cost summand__leaders_cost(const struct summand__call *call,
                                           const struct summand__leading *leading)
{
    struct summand__cost cost = {.depth_at_most = true};
    struct summand__call view = *call;
    view.rank = 0;
    size_t leaders = (size_t)leaders_of(call), deepest = 0;
    for (size_t i = 0; i < leaders; i++) {
        size_t count =
            summand__cut(call->count, i + 1, leaders) - summand__cut(call->count, i, leaders);
        struct summand__call between = between_of(&view, count);
        struct summand__cost one = summand__cost_of(leading->between, &between);
        add(&cost, one, 1);
        deepest = one.depth > deepest ? one.depth : deepest;
    }
    cost.depth = deepest;
    cost.depth += add_nodes(&cost, call, leading, SUMMAND__COLL_REDUCE_SCATTER);
    cost.depth += add_nodes(&cost, call, leading, SUMMAND__COLL_ALLGATHERV);
    return cost;
}

/* The last leaders' pieces are the longest. */
double summand__leaders_estimate(const struct summand__call *call, size_t element,
                                 const struct summand__model *model,
                                 const struct summand__leading *leading)
{
    struct summand__call view = *call;
    view.rank = 0;
    int leaders = leaders_of(call), local = summand__node_of(&view, 0).ranks;
    struct summand__model network = summand__between_nodes(model, leaders);
    struct summand__call between =
        between_of(&view, (call->count + (size_t)leaders - 1) / (size_t)leaders);
    double bytes = (double)(call->count * element), time = 0;
    if (between.ranks > 1)
        time = summand__estimate_of(leading->between, &between, element, &network);
    if (local == 1 || !call->count)
        return time;
    return time + summand__merge_time(model, local, leaders, bytes, model->reduce_byte) +
           summand__merge_time(model, local, leaders, bytes, 0) + 2 * bytes * model->copy_byte;
}
