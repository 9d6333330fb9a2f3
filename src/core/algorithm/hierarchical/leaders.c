/* SPDX-License-Identifier: BSD-3-Clause */
#include "algorithm/hierarchical/leaders.h"

#include "algorithm/displs.h"

int summand__leaders_of(const struct summand__call *call)
{
    struct summand__node_view view = summand__node_of(call, 0);
    size_t leaders = call->parameter[SUMMAND__LEADERS];
    int most = call->ranks - (view.nodes - 1) * view.full;
    if (summand__node_borders(call))
        most = summand__has_blocks(call->collective) ? call->grouping->least : view.full;
    return leaders < (size_t)most ? (int)leaders : most;
}

/* Neighbouring parts go to one rank, so that its parts are contiguous. */
struct summand__led summand__led_of(int leaders, int ranks, int local)
{
    if (leaders <= ranks)
        return (struct summand__led){local < leaders ? local : leaders,
                                     local < leaders ? local + 1 : leaders};
    return (struct summand__led){
        (int)summand__cut((size_t)leaders, (size_t)local, (size_t)ranks),
        (int)summand__cut((size_t)leaders, (size_t)local + 1, (size_t)ranks)};
}

struct summand__led summand__led_by(const struct summand__call *call, int ranks, int local)
{
    return summand__led_of(summand__leaders_of(call), ranks, local);
}

int summand__leader_of(const struct summand__call *call, int node, int part)
{
    int ranks = summand__node_first(call, node + 1) - summand__node_first(call, node), local = 0;
    while (summand__led_by(call, ranks, local).high <= part)
        local++;
    return local;
}

int summand__most_led(const struct summand__call *call)
{
    int leaders = summand__leaders_of(call);
    return summand__node_borders(call) ? (leaders - 1) / call->grouping->least + 1 : 1;
}

struct summand__call summand__leaders_inside(const struct summand__call *call, int rank,
                                             enum summand__collective collective,
                                             const size_t *offsets)
{
    struct summand__node_view view = summand__node_of(call, rank);
    struct summand__call inside = *call;
    inside.collective = collective;
    inside.rank = rank - view.first;
    inside.ranks = view.ranks;
    inside.in_place = false;
    inside.offsets = offsets;
    inside.grouping = NULL;
    inside.uneven = NULL;
    inside.parameter[SUMMAND__NODE_SIZE] = 1;
    return inside;
}

struct summand__call summand__leaders_between(const struct summand__call *call, size_t count)
{
    struct summand__node_view view = summand__node_of(call, call->rank);
    struct summand__call between = *call;
    between.rank = view.node;
    between.ranks = view.nodes;
    between.count = count;
    between.root =
        summand__has_root(call->collective) ? summand__node_of(call, call->root).node : 0;
    between.grouping = NULL;
    between.uneven = NULL;
    between.in_place = summand__call_result(&between, view.node);
    size_t group = call->parameter[SUMMAND__RADIX] ? call->parameter[SUMMAND__RADIX] : 1;
    between.parameter[SUMMAND__NODE_SIZE] = between.parameter[SUMMAND__LEADERS] = group;
    between.parameter[SUMMAND__RADIX] = call->parameter[SUMMAND__INTER_NODE_RADIX];
    return between;
}

void summand__leaders_add(struct summand__cost *sum, struct summand__cost more, size_t times)
{
    sum->messages += more.messages * times;
    sum->elements += more.elements * times;
    sum->unknown = sum->unknown || more.unknown;
}

/* Adds the phase in the node of `rank` so many times; returns its depth. */
static size_t add_node(struct summand__cost *sum, const struct summand__call *call,
                       const struct summand__algorithm *algorithm,
                       enum summand__collective collective, int rank, size_t times, bool depth,
                       void (*cut)(const struct summand__call *call, int ranks, size_t *offsets))
{
    struct summand__displs parts;
    struct summand__cost one = {.unknown = true};
    int local = summand__node_of(call, rank).ranks;
    summand__displs_open(&parts, local);
    if (parts.at) {
        cut(call, local, parts.at);
        struct summand__call inside = summand__leaders_inside(call, rank, collective, parts.at);
        one = summand__part_cost(algorithm, &inside, depth);
    }
    summand__leaders_add(sum, one, times);
    summand__displs_close(&parts);
    return one.depth;
}

/* If all nodes but the last have one size, one of them stands for all. In a broadcast the root's
 * node has no phase of its own. */
size_t summand__leaders_add_nodes(struct summand__cost *sum, const struct summand__call *call,
                                  const struct summand__algorithm *algorithm,
                                  enum summand__collective collective, size_t phases, bool depth,
                                  void (*cut)(const struct summand__call *call, int ranks,
                                              size_t *offsets))
{
    size_t deepest = 0;
    int last = summand__node_of(call, 0).nodes - 1,
        step = summand__node_borders(call) || !last ? 1 : last;
    int skipped = call->collective == SUMMAND__COLL_BCAST ? summand__node_of(call, call->root).node
                                                          : last + 1;
    for (int node = 0; node <= last; node += step) {
        int alike = node < last && step > 1 ? last - (skipped < last) : node != skipped;
        if (!alike)
            continue;
        size_t one = add_node(sum, call, algorithm, collective, summand__node_first(call, node),
                              phases * (size_t)alike, depth, cut);
        deepest = one > deepest ? one : deepest;
    }
    return deepest;
}
