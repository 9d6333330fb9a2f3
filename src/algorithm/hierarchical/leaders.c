#include "algorithm/hierarchical/leaders.h"

#include "algorithm/displs.h"

int summand__leaders_of(const struct summand__call *call)
{
    struct summand__node_view view = summand__node_of(call, 0);
    size_t leaders = call->parameter[SUMMAND__LEADERS];
    int last = call->ranks - (view.nodes - 1) * view.full;
    return leaders < (size_t)last ? (int)leaders : last;
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
    between.root = summand__has_root(call->collective) ? call->root / view.full : 0;
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

/* The last node may be smaller. In a broadcast the root's node has no phase of its own. */
size_t summand__leaders_add_nodes(struct summand__cost *sum, const struct summand__call *call,
                                  const struct summand__algorithm *algorithm,
                                  enum summand__collective collective, size_t phases, bool depth,
                                  void (*cut)(const struct summand__call *call, int ranks,
                                              size_t *offsets))
{
    size_t deepest = 0;
    int last = summand__node_of(call, 0).nodes - 1;
    int skipped = call->collective == SUMMAND__COLL_BCAST ? summand__node_of(call, call->root).node
                                                          : last + 1;
    const int ranks[2] = {0, call->ranks - 1};
    const size_t times[2] = {(size_t)(last - (skipped < last)), last != skipped};
    for (int i = 0; i < 2; i++) {
        struct summand__displs parts;
        int local = summand__node_of(call, ranks[i]).ranks;
        if (!times[i])
            continue;
        summand__displs_open(&parts, local);
        sum->unknown = sum->unknown || !parts.at;
        if (parts.at) {
            cut(call, local, parts.at);
            struct summand__call inside =
                summand__leaders_inside(call, ranks[i], collective, parts.at);
            struct summand__cost one = summand__part_cost(algorithm, &inside, depth);
            summand__leaders_add(sum, one, phases * times[i]);
            deepest = one.depth > deepest ? one.depth : deepest;
        }
        summand__displs_close(&parts);
    }
    return deepest;
}
