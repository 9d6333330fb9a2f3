/* SPDX-License-Identifier: BSD-3-Clause */
#include "algorithm/hierarchical/node.h"

#include <stdlib.h>

#include "algorithm/estimate.h"
#include "base/extreme.h"

const struct summand__grouping *summand__node_borders(const struct summand__call *call)
{
    return call->grouping && call->grouping->first ? call->grouping : NULL;
}

struct summand__node_view summand__node_of(const struct summand__call *call, int rank)
{
    const struct summand__grouping *grouping = summand__node_borders(call);
    if (grouping) {
        int node = summand__group_at(grouping, rank);
        return (struct summand__node_view){.first = grouping->first[node],
                                           .ranks = summand__group_size(grouping, node),
                                           .node = node,
                                           .nodes = grouping->groups,
                                           .full = grouping->most};
    }
    int most = call->parameter[SUMMAND__NODE_SIZE] < (size_t)call->ranks
                   ? (int)call->parameter[SUMMAND__NODE_SIZE]
                   : call->ranks;
    struct summand__node_view view = {.node = rank / most, .full = most};
    view.nodes = (call->ranks - 1) / most + 1;
    view.first = view.node * most;
    view.ranks = call->ranks - view.first < most ? call->ranks - view.first : most;
    return view;
}

int summand__node_first(const struct summand__call *call, int node)
{
    const struct summand__grouping *grouping = summand__node_borders(call);
    if (grouping)
        return grouping->first[node];
    struct summand__node_view view = summand__node_of(call, 0);
    return node < view.nodes ? node * view.full : call->ranks;
}

struct summand__part_ranks summand__ranks_inside(const struct summand__node_view *view)
{
    return (struct summand__part_ranks){.embedding = {.base = view->first, .stride = 1, .odd = -1}};
}

struct summand__part_ranks summand__ranks_between(const struct summand__call *call, int local,
                                                  int (*local_of)(const struct summand__call *call,
                                                                  int node, int local))
{
    struct summand__node_view view = summand__node_of(call, 0);
    struct summand__part_ranks ranks = {
        .embedding = {.base = local, .stride = view.full, .odd = -1}};
    if (!summand__node_borders(call))
        return ranks;
    ranks.member = malloc((size_t)view.nodes * sizeof *ranks.member);
    ranks.poor = !ranks.member;
    for (int node = 0; ranks.member && node < view.nodes; node++)
        ranks.member[node] =
            summand__node_first(call, node) + (local_of ? local_of(call, node, local) : local);
    ranks.embedding.member = ranks.member;
    return ranks;
}

void summand__part_ranks_close(struct summand__part_ranks *ranks)
{
    free(ranks->member);
}

void summand__compose(const struct summand__algorithm *algorithm, const struct summand__call *part,
                      const struct summand__part_ranks *ranks, struct summand__region sendbuf,
                      struct summand__region recvbuf, struct summand__schedule *schedule)
{
    struct summand__schedule own;
    struct summand__embedding embedding = ranks->embedding;
    if (ranks->poor || !summand__build(algorithm, part, &own)) {
        schedule->failed = true;
        return;
    }
    embedding.at[SUMMAND__SENDBUF].place = sendbuf.place;
    embedding.at[SUMMAND__SENDBUF].first = sendbuf.first;
    embedding.at[SUMMAND__RECVBUF].place = recvbuf.place;
    embedding.at[SUMMAND__RECVBUF].first = recvbuf.first;
    embedding.at[SUMMAND__SCRATCH].place = SUMMAND__SCRATCH;
    embedding.at[SUMMAND__SCRATCH].first = schedule->scratch;
    summand__embed(schedule, &own, &embedding);
    summand__schedule_free(&own);
}

static bool rooted_here(const struct summand__call *call, const struct summand__node_view *view)
{
    return summand__has_root(call->collective) && call->root >= view->first &&
           call->root < view->first + view->ranks;
}

/* The part of the call inside the node of `rank`. */
static struct summand__call inside_of(const struct summand__call *call, int rank,
                                      enum summand__collective collective)
{
    struct summand__node_view view = summand__node_of(call, rank);
    struct summand__call inside = *call;
    inside.collective = collective;
    inside.rank = rank - view.first;
    inside.ranks = view.ranks;
    inside.root = rooted_here(call, &view) ? call->root - view.first : 0;
    inside.grouping = NULL;
    inside.uneven = NULL;
    return inside;
}

/* The part of the call between the leaders. */
static struct summand__call between_of(const struct summand__call *call)
{
    struct summand__node_view view = summand__node_of(call, call->rank);
    struct summand__call between = *call;
    between.rank = view.node;
    between.ranks = view.nodes;
    between.root =
        summand__has_root(call->collective) ? summand__node_of(call, call->root).node : 0;
    between.grouping = NULL;
    between.uneven = NULL;
    return between;
}

/* The region in which a leader holds its node's value. */
static struct summand__region node_value(const struct summand__call *call,
                                         struct summand__schedule *schedule)
{
    if (summand__call_result(call, call->rank))
        return summand__region(SUMMAND__RECVBUF, 0, call->count);
    schedule->scratch += call->count;
    return summand__region(SUMMAND__SCRATCH, schedule->scratch - call->count, call->count);
}

/* Composes the phase between leaders: the root in its own node, else the first rank. */
static void compose_between(const struct summand__algorithm *algorithm,
                            const struct summand__call *call, const struct summand__call *between,
                            struct summand__region value, struct summand__schedule *schedule)
{
    struct summand__part_ranks ranks = summand__ranks_between(call, 0, NULL);
    if (summand__has_root(call->collective) && ranks.member)
        ranks.member[between->root] = call->root;
    else if (summand__has_root(call->collective))
        ranks.embedding.odd = between->root, ranks.embedding.odd_rank = call->root;
    summand__compose(algorithm, between, &ranks, value, value, schedule);
    summand__part_ranks_close(&ranks);
}

void summand__node_build(const struct summand__algorithm *algorithm,
                         const struct summand__call *call, struct summand__schedule *schedule)
{
    const struct summand__composition *levels = &algorithm->composition;
    struct summand__node_view view = summand__node_of(call, call->rank);
    struct summand__region input = summand__call_input(call);
    struct summand__call inside = inside_of(call, call->rank, SUMMAND__COLL_REDUCE);
    struct summand__call between = between_of(call);
    struct summand__part_ranks ranks = summand__ranks_inside(&view);
    bool leads = inside.rank == inside.root;
    struct summand__region value = input;
    if (call->collective != SUMMAND__COLL_BCAST) {
        inside.in_place = leads && input.place == SUMMAND__RECVBUF;
        if (leads)
            value = node_value(call, schedule);
        summand__compose(levels->inside, &inside, &ranks, input, value, schedule);
    } else {
        value = summand__region(SUMMAND__RECVBUF, 0, call->count);
    }
    if (leads) {
        between.in_place = value.place == SUMMAND__RECVBUF;
        compose_between(levels->between[call->collective], call, &between, value, schedule);
    }
    if (call->collective != SUMMAND__COLL_REDUCE) {
        inside = inside_of(call, call->rank, SUMMAND__COLL_BCAST);
        value = summand__region(SUMMAND__RECVBUF, 0, call->count);
        summand__compose(levels->inside, &inside, &ranks, value, value, schedule);
    }
}

struct summand__cost summand__part_cost(const struct summand__algorithm *algorithm,
                                        const struct summand__call *part, bool depth)
{
    return depth ? summand__cost_of(algorithm, part) : summand__volume_of(algorithm, part);
}

static void add(struct summand__cost *sum, struct summand__cost more, size_t times)
{
    sum->messages += more.messages * times;
    sum->elements += more.elements * times;
    sum->depth_at_most = sum->depth_at_most || more.depth_at_most;
    sum->unknown = sum->unknown || more.unknown;
}

/* Adds nodes of different sizes one by one. */
static void add_any_nodes(struct summand__cost *sum, const struct summand__call *call,
                          const struct summand__composition *levels,
                          enum summand__collective collective, bool depth)
{
    size_t deepest = 0;
    for (int node = 0; node < call->grouping->groups; node++) {
        struct summand__call inside = inside_of(call, summand__node_first(call, node), collective);
        struct summand__cost one = summand__part_cost(levels->inside, &inside, depth);
        add(sum, one, 1);
        deepest = summand__larger(deepest, one.depth);
    }
    sum->depth += deepest;
}

/* Adds a phase of all nodes: the root's node, full nodes with their first rank as root, and the
 * last one. */
static void add_nodes(struct summand__cost *sum, const struct summand__call *call,
                      const struct summand__composition *levels,
                      enum summand__collective collective, bool depth)
{
    struct summand__node_view view = summand__node_of(call, 0);
    int last = call->ranks - 1, last_node = view.nodes - 1, full = view.nodes;
    int root_node =
        summand__has_root(call->collective) ? summand__node_of(call, call->root).node : 0;
    const int special[2] = {root_node * view.full, last};
    size_t deepest = 0;
    if (summand__node_borders(call)) {
        add_any_nodes(sum, call, levels, collective, depth);
        return;
    }
    for (int i = 0; i < 1 + (last_node != root_node); i++, full--) {
        struct summand__call inside = inside_of(call, special[i], collective);
        struct summand__cost one = summand__part_cost(levels->inside, &inside, depth);
        add(sum, one, 1);
        deepest = summand__larger(deepest, one.depth);
    }
    if (full > 0) {
        struct summand__call inside = inside_of(call, root_node ? 0 : view.full, collective);
        struct summand__cost one = summand__part_cost(levels->inside, &inside, depth);
        add(sum, one, (size_t)full);
        deepest = summand__larger(deepest, one.depth);
    }
    sum->depth += deepest;
}

/* The depth is exact if all nodes are alike and the collective has no root. Otherwise leaders begin
 * at different times and it is a bound. */
struct summand__cost summand__node_cost(const struct summand__algorithm *algorithm,
                                        const struct summand__call *call, bool depth)
{
    const struct summand__composition *levels = &algorithm->composition;
    struct summand__call view = *call;
    view.rank = 0;
    struct summand__call between = between_of(&view);
    struct summand__cost cost = {0};
    struct summand__cost one =
        summand__part_cost(levels->between[call->collective], &between, depth);
    add(&cost, one, 1);
    cost.depth = one.depth;
    if (call->collective != SUMMAND__COLL_BCAST)
        add_nodes(&cost, call, levels, SUMMAND__COLL_REDUCE, depth);
    if (call->collective != SUMMAND__COLL_REDUCE)
        add_nodes(&cost, call, levels, SUMMAND__COLL_BCAST, depth);
    if (summand__has_root(call->collective) || summand__node_borders(call) ||
        call->ranks % summand__node_of(call, 0).full)
        cost.depth_at_most = true;
    return cost;
}

/* The sum of the phases of a full node. */
double summand__node_estimate(const struct summand__algorithm *algorithm,
                              const struct summand__call *call, size_t element,
                              const struct summand__model *model)
{
    const struct summand__composition *levels = &algorithm->composition;
    struct summand__call view = *call;
    view.rank = view.root = 0;
    struct summand__model network = summand__between_nodes(model, 1);
    struct summand__call between = between_of(&view);
    double time =
        summand__estimate_of(levels->between[call->collective], &between, element, &network);
    for (int down = 0; down < 2; down++) {
        struct summand__call inside =
            inside_of(&view, 0, down ? SUMMAND__COLL_BCAST : SUMMAND__COLL_REDUCE);
        if (call->collective != (down ? SUMMAND__COLL_REDUCE : SUMMAND__COLL_BCAST))
            time += summand__estimate_of(levels->inside, &inside, element, model);
    }
    return time;
}
