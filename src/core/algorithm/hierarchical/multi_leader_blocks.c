/* SPDX-License-Identifier: BSD-3-Clause */
/* Reduce-scatter and all-gather over several leaders per node. A node's ranks form nearly equal
 * groups of neighbours, one per leader, so a group's blocks are contiguous in the vector. */
#include "algorithm/hierarchical/multi_leader.h"

#include "algorithm/displs.h"
#include "algorithm/exchange/accumulator.h"
#include "algorithm/hierarchical/leaders.h"

/* Local ranks [low, high) behind one leader of a node. */
struct group {
    int low, high;
};

static struct group group_of(const struct summand__call *call, int ranks, int part)
{
    size_t leaders = (size_t)summand__leaders_of(call), n = (size_t)ranks;
    return (struct group){(int)summand__cut(n, (size_t)part, leaders),
                          (int)summand__cut(n, (size_t)part + 1, leaders)};
}

/* The leader of a local rank's group. */
static int leader_of(const struct summand__call *call, int ranks, int local)
{
    int part = 0;
    while (group_of(call, ranks, part).high <= local)
        part++;
    return part;
}

/* The blocks of a group, which are contiguous. */
static struct summand__block group_block(const struct summand__call *call, int node, int part)
{
    int first = summand__node_first(call, node);
    struct group group = group_of(call, summand__node_of(call, first).ranks, part);
    struct summand__block low = summand__call_block(call, first + group.low);
    struct summand__block high = summand__call_block(call, first + group.high - 1);
    return (struct summand__block){low.first, high.first + high.count - low.first};
}

/* Cuts a part into the groups of all nodes. */
static void cut_groups(const struct summand__call *call, int part, size_t *offsets)
{
    int nodes = summand__node_of(call, 0).nodes;
    offsets[0] = 0;
    for (int node = 0; node < nodes; node++)
        offsets[node + 1] = offsets[node] + group_block(call, node, part).count;
}

/* Cuts the vector into parts; those of ranks that do not lead are empty. */
static void cut_parts(const struct summand__call *call, int ranks, size_t *offsets)
{
    int nodes = summand__node_of(call, 0).nodes, leaders = summand__leaders_of(call);
    offsets[0] = 0;
    for (int part = 0; part < ranks; part++) {
        offsets[part + 1] = offsets[part];
        for (int node = 0; part < leaders && node < nodes; node++)
            offsets[part + 1] += group_block(call, node, part).count;
    }
}

/* One rank's view of the call. */
struct member {
    const struct summand__call *call;
    const struct summand__composition *levels;
    struct summand__schedule *schedule;
    struct summand__node_view view;
    int local, leader; /* in its node: the rank, and its leader */
    bool leads;
    struct summand__displs parts, groups; /* groups: those of the part that it leads */
    struct summand__region all, part,
        behind; /* the vector by parts, the own part, the blocks of ranks behind */
};

static struct summand__region take(struct summand__schedule *schedule, size_t count)
{
    schedule->scratch += count;
    return summand__region(SUMMAND__SCRATCH, schedule->scratch - count, count);
}

/* `own` is the place of the own block. A leader without other ranks needs no other place. */
static bool open_member(struct member *member, struct summand__region own)
{
    const struct summand__call *call = member->call;
    member->view = summand__node_of(call, call->rank);
    member->local = call->rank - member->view.first;
    member->leader = leader_of(call, member->view.ranks, member->local);
    member->leads = member->local < summand__leaders_of(call);
    summand__displs_open(&member->parts, member->view.ranks);
    summand__displs_open(&member->groups, member->view.nodes);
    if (!member->parts.at || !member->groups.at)
        return false;
    cut_parts(call, member->view.ranks, member->parts.at);
    if (member->leads)
        cut_groups(call, member->local, member->groups.at);
    const size_t *parts = member->parts.at;
    member->all = take(member->schedule, summand__call_total(call));
    member->part = take(member->schedule, parts[member->local + 1] - parts[member->local]);
    if (!member->leads)
        return true;
    struct group group = group_of(call, member->view.ranks, member->local);
    size_t count = group_block(call, member->view.node, member->local).count;
    bool alone = group.low == member->local && group.high == group.low + 1;
    member->behind = alone ? own : take(member->schedule, count);
    return true;
}

/* Copies between rank order and the order of parts. */
static void reorder(const struct member *member, struct summand__region straight, bool back)
{
    const struct summand__call *call = member->call;
    int leaders = summand__leaders_of(call);
    size_t first = 0;
    for (int part = 0; part < leaders; part++)
        for (int node = 0; node < member->view.nodes; node++) {
            struct summand__block block = group_block(call, node, part);
            struct summand__region a = summand__part(straight, block.first, block.count);
            struct summand__region b = summand__part(member->all, first, block.count);
            summand__copy(member->schedule, back ? b : a, back ? a : b);
            first += block.count;
        }
    summand__round(member->schedule);
}

/* Moves blocks between a leader and the ranks behind it; `own` is the own block. */
static void hand(const struct member *member, struct summand__region own, bool out)
{
    const struct summand__call *call = member->call;
    struct summand__schedule *schedule = member->schedule;
    int first = member->view.first, leader = first + member->leader;
    struct group group = {0, 0};
    size_t at = 0;
    if (member->leads)
        group = group_of(call, member->view.ranks, member->local);
    summand__round(schedule);
    for (int local = group.low; local < group.high; local++) {
        struct summand__region region =
            summand__part(member->behind, at, summand__call_block(call, first + local).count);
        at += region.count;
        if (local == member->local)
            summand__copy(schedule, out ? region : own, out ? own : region);
        else if (out)
            summand__send(schedule, first + local, region);
        else
            summand__recv(schedule, first + local, region);
    }
    if (leader != call->rank && out)
        summand__recv(schedule, leader, own);
    else if (leader != call->rank)
        summand__send(schedule, leader, own);
    summand__round(schedule);
}

static void inside(const struct member *member, enum summand__collective collective,
                   struct summand__region from, struct summand__region to)
{
    struct summand__call part =
        summand__leaders_inside(member->call, member->call->rank, collective, member->parts.at);
    struct summand__part_ranks ranks = summand__ranks_inside(&member->view);
    summand__compose(member->levels->inside, &part, &ranks, from, to, member->schedule);
}

static struct summand__call between_of(const struct summand__call *call,
                                       enum summand__collective collective, const size_t *groups)
{
    struct summand__call between = summand__leaders_between(call, 0);
    between.collective = collective;
    between.in_place = false;
    between.offsets = groups;
    return between;
}

static void between(const struct member *member, enum summand__collective collective,
                    struct summand__region from, struct summand__region to)
{
    struct summand__call part = between_of(member->call, collective, member->groups.at);
    if (!member->leads)
        return;
    struct summand__part_ranks ranks = summand__ranks_between(member->call, member->local, NULL);
    summand__compose(member->levels->between[collective], &part, &ranks, from, to,
                     member->schedule);
    summand__part_ranks_close(&ranks);
}

static void build_scatter(struct member *member)
{
    struct summand__region own = summand__call_output(member->call);
    if (!open_member(member, own)) {
        member->schedule->failed = true;
        return;
    }
    reorder(member, summand__call_input(member->call), false);
    inside(member, SUMMAND__COLL_REDUCE_SCATTER, member->all, member->part);
    between(member, SUMMAND__COLL_REDUCE_SCATTER, member->part, member->behind);
    hand(member, own, true);
}

static void build_gather(struct member *member)
{
    struct summand__region own = summand__call_input(member->call);
    if (!open_member(member, own)) {
        member->schedule->failed = true;
        return;
    }
    hand(member, own, false);
    between(member, SUMMAND__COLL_ALLGATHERV, member->behind, member->part);
    inside(member, SUMMAND__COLL_ALLGATHERV, member->part, member->all);
    reorder(member, summand__call_output(member->call), true);
}

void summand__leader_blocks_build(const struct summand__algorithm *algorithm,
                                  const struct summand__call *call,
                                  struct summand__schedule *schedule)
{
    struct member member = {.call = call, .levels = &algorithm->composition, .schedule = schedule};
    if (summand__has_operator(call->collective))
        build_scatter(&member);
    else
        build_gather(&member);
    summand__displs_close(&member.parts);
    summand__displs_close(&member.groups);
}

/* Adds the messages from the leader of part `part` of a node to the ranks behind it. */
static void add_hand(struct summand__cost *cost, const struct summand__call *call, int node,
                     int part)
{
    struct summand__node_view view = summand__node_of(call, summand__node_first(call, node));
    struct group group = group_of(call, view.ranks, part);
    for (int local = group.low; local < group.high; local++) {
        size_t count = summand__call_block(call, view.first + local).count;
        if (!count || local == part)
            continue;
        cost->messages++;
        cost->elements += count;
    }
}

static size_t add_between(struct summand__cost *cost, const struct summand__call *call,
                          const struct summand__composition *levels,
                          enum summand__collective collective, int part, bool depth)
{
    struct summand__call view = *call;
    struct summand__displs groups;
    struct summand__cost one = {.unknown = true};
    view.rank = 0;
    summand__displs_open(&groups, summand__node_of(call, 0).nodes);
    if (groups.at) {
        cut_groups(call, part, groups.at);
        struct summand__call between = between_of(&view, collective, groups.at);
        one = summand__part_cost(levels->between[collective], &between, depth);
    }
    cost->messages += one.messages;
    cost->elements += one.elements;
    cost->unknown = cost->unknown || one.unknown;
    summand__displs_close(&groups);
    return one.depth;
}

/* The depth is a bound, because a node's leaders begin at different times. */
struct summand__cost summand__leader_blocks_cost(const struct summand__composition *levels,
                                                 const struct summand__call *call, bool depth)
{
    enum summand__collective collective = summand__has_operator(call->collective)
                                              ? SUMMAND__COLL_REDUCE_SCATTER
                                              : SUMMAND__COLL_ALLGATHERV;
    struct summand__cost cost = {.depth_at_most = true};
    int nodes = summand__node_of(call, 0).nodes;
    size_t deepest = 0;
    for (int part = 0; part < summand__leaders_of(call); part++) {
        size_t own = nodes > 1 ? add_between(&cost, call, levels, collective, part, depth) : 0;
        deepest = own > deepest ? own : deepest;
        for (int node = 0; node < nodes; node++)
            add_hand(&cost, call, node, part);
    }
    cost.depth =
        deepest + 1 +
        summand__leaders_add_nodes(&cost, call, levels->inside, collective, 1, depth, cut_parts);
    return cost;
}
