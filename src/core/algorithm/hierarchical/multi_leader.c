/* SPDX-License-Identifier: BSD-3-Clause */
/* Reduce, broadcast and all-reduce over several leaders per node. */
#include "algorithm/hierarchical/multi_leader.h"

#include "algorithm/displs.h"
#include "algorithm/hierarchical/leaders.h"

/* Cuts the vector into the leaders' slices; those of ranks that do not lead are empty. */
static void cut_pieces(const struct summand__call *call, int ranks, size_t *offsets)
{
    int leaders = summand__leaders_of(call);
    for (int r = 0; r <= ranks; r++) {
        int low = r < ranks ? summand__led_of(leaders, ranks, r).low : leaders;
        offsets[r] =
            low < leaders ? summand__cut(call->count, (size_t)low, (size_t)leaders) : call->count;
    }
}

/* One rank's view of the call. */
struct leader {
    const struct summand__call *call;
    const struct summand__composition *levels;
    struct summand__node_view view;
    int local, leaders; /* leaders: how many ranks of this node lead */
    bool near;          /* the root is in this rank's node */
    const size_t *offsets;
    struct summand__part_ranks ranks; /* of the node */
    struct summand__region piece;
    struct summand__schedule *schedule;
};

static size_t piece_count(const struct leader *leader, int part)
{
    return leader->offsets[part + 1] - leader->offsets[part];
}

static struct summand__region piece_of_recvbuf(const struct leader *leader, int part)
{
    return summand__region(SUMMAND__RECVBUF, leader->offsets[part], piece_count(leader, part));
}

static void scatter_inside(struct leader *leader)
{
    const struct summand__call *call = leader->call;
    struct summand__call inside =
        summand__leaders_inside(call, call->rank, SUMMAND__COLL_REDUCE_SCATTER, leader->offsets);
    leader->piece = summand__region(SUMMAND__SCRATCH, leader->schedule->scratch,
                                    piece_count(leader, leader->local));
    leader->schedule->scratch += leader->piece.count;
    if (leader->view.ranks == 1)
        summand__copy(leader->schedule, summand__call_input(call), leader->piece);
    else
        summand__compose(leader->levels->inside, &inside, &leader->ranks, summand__call_input(call),
                         leader->piece, leader->schedule);
}

/* Exchanges one part that the rank leads with its leaders on other nodes. */
static void exchange_part(const struct leader *leader, int part)
{
    const struct summand__call *call = leader->call;
    size_t parts = (size_t)summand__leaders_of(call);
    size_t low = summand__cut(call->count, (size_t)part, parts);
    size_t high = summand__cut(call->count, (size_t)part + 1, parts);
    struct summand__call between = summand__leaders_between(call, high - low);
    struct summand__region piece = leader->piece;
    piece.first += low - leader->offsets[leader->local];
    piece.count = high - low;
    struct summand__part_ranks ranks = summand__ranks_between(call, part, summand__leader_of);
    summand__compose(leader->levels->between[call->collective], &between, &ranks, piece, piece,
                     leader->schedule);
    summand__part_ranks_close(&ranks);
}

static void exchange_between(const struct leader *leader)
{
    struct summand__led led = summand__led_by(leader->call, leader->view.ranks, leader->local);
    for (int part = led.low; part < led.high && leader->view.nodes > 1; part++)
        exchange_part(leader, part);
}

static void gather_inside(const struct leader *leader)
{
    const struct summand__call *call = leader->call;
    struct summand__region all = summand__region(SUMMAND__RECVBUF, 0, call->count);
    struct summand__call inside =
        summand__leaders_inside(call, call->rank, SUMMAND__COLL_ALLGATHERV, leader->offsets);
    inside.in_place = leader->piece.place == SUMMAND__RECVBUF;
    if (leader->view.ranks == 1)
        summand__copy(leader->schedule, leader->piece, all);
    else
        summand__compose(leader->levels->inside, &inside, &leader->ranks, leader->piece, all,
                         leader->schedule);
}

/* The root collects the slices of its node's leaders. */
static void collect(const struct leader *leader)
{
    const struct summand__call *call = leader->call;
    bool root = call->rank == call->root;
    summand__round(leader->schedule);
    if (leader->near && !root && leader->local < leader->leaders)
        summand__send(leader->schedule, call->root, leader->piece);
    for (int part = 0; root && part < leader->leaders; part++) {
        struct summand__region piece = piece_of_recvbuf(leader, part);
        if (part == leader->local)
            summand__copy(leader->schedule, leader->piece, piece);
        else
            summand__recv(leader->schedule, leader->view.first + part, piece);
    }
    summand__round(leader->schedule);
}

/* Broadcasts the whole vector inside the root's node. */
static void spread(const struct leader *leader)
{
    const struct summand__call *call = leader->call;
    struct summand__call inside =
        summand__leaders_inside(call, call->rank, SUMMAND__COLL_BCAST, NULL);
    struct summand__region all = summand__region(SUMMAND__RECVBUF, 0, call->count);
    inside.root = call->root - leader->view.first;
    summand__compose(leader->levels->inside, &inside, &leader->ranks, all, all, leader->schedule);
}

static void build_allreduce(struct leader *leader)
{
    scatter_inside(leader);
    exchange_between(leader);
    gather_inside(leader);
}

static void build_reduce(struct leader *leader)
{
    scatter_inside(leader);
    exchange_between(leader);
    collect(leader);
}

static void build_bcast(struct leader *leader)
{
    leader->piece = piece_of_recvbuf(leader, leader->local);
    if (leader->near)
        spread(leader);
    exchange_between(leader);
    if (!leader->near)
        gather_inside(leader);
}

static void (*const builders[SUMMAND__COLLECTIVES])(struct leader *leader) = {
    [SUMMAND__COLL_ALLREDUCE] = build_allreduce,
    [SUMMAND__COLL_REDUCE] = build_reduce,
    [SUMMAND__COLL_BCAST] = build_bcast,
};

void summand__leaders_build(const struct summand__algorithm *algorithm,
                            const struct summand__call *call, struct summand__schedule *schedule)
{
    struct summand__node_view view = summand__node_of(call, call->rank);
    struct summand__displs pieces;
    summand__displs_open(&pieces, view.ranks);
    int parts = summand__leaders_of(call);
    struct leader leader = {.call = call,
                            .levels = &algorithm->composition,
                            .view = view,
                            .local = call->rank - view.first,
                            .leaders = parts < view.ranks ? parts : view.ranks,
                            .ranks = summand__ranks_inside(&view),
                            .near =
                                call->root >= view.first && call->root < view.first + view.ranks,
                            .offsets = pieces.at,
                            .schedule = schedule};
    if (pieces.at) {
        cut_pieces(call, view.ranks, pieces.at);
        builders[call->collective](&leader);
    } else {
        schedule->failed = true;
    }
    summand__displs_close(&pieces);
}

static void add_collect(struct summand__cost *cost, const struct summand__call *call)
{
    int parts = summand__leaders_of(call);
    struct summand__node_view view = summand__node_of(call, call->root);
    for (int local = 0; local < view.ranks && local < parts; local++) {
        struct summand__led led = summand__led_of(parts, view.ranks, local);
        size_t count = summand__cut(call->count, (size_t)led.high, (size_t)parts) -
                       summand__cut(call->count, (size_t)led.low, (size_t)parts);
        if (local != call->root - view.first && count)
            summand__leaders_add(cost, (struct summand__cost){.messages = 1, .elements = count}, 1);
    }
    cost->depth++;
}

static void add_spread(struct summand__cost *cost, const struct summand__call *call,
                       const struct summand__composition *levels, bool depth)
{
    struct summand__call inside =
        summand__leaders_inside(call, call->root, SUMMAND__COLL_BCAST, NULL);
    inside.root = inside.rank;
    struct summand__cost one = summand__part_cost(levels->inside, &inside, depth);
    summand__leaders_add(cost, one, 1);
    cost->depth += one.depth;
}

/* Parts have one of two lengths; one part stands for all of its length. */
static size_t add_between(struct summand__cost *cost, const struct summand__call *call,
                          const struct summand__composition *levels, bool depth)
{
    struct summand__call view = *call;
    size_t leaders = (size_t)summand__leaders_of(call), longer = call->count % leaders, deepest = 0;
    view.rank = 0;
    if (summand__node_of(call, 0).nodes < 2)
        return 0;
    for (size_t more = 0; more < 2; more++) {
        size_t parts = more ? longer : leaders - longer;
        if (!parts)
            continue;
        struct summand__call between =
            summand__leaders_between(&view, call->count / leaders + more);
        struct summand__cost one =
            summand__part_cost(levels->between[call->collective], &between, depth);
        summand__leaders_add(cost, one, parts);
        deepest = one.depth > deepest ? one.depth : deepest;
    }
    /* The parts that a rank leads depend on each other across ranks. */
    return summand__most_led(call) > 1 ? deepest * leaders : deepest;
}

/* The depth is a bound, because a node's leaders begin at different times. An all-gather reverses
 * the messages of the reduce-scatter. */
struct summand__cost summand__leaders_cost(const struct summand__algorithm *algorithm,
                                           const struct summand__call *call, bool depth)
{
    const struct summand__composition *levels = &algorithm->composition;
    if (summand__has_blocks(call->collective))
        return summand__leader_blocks_cost(levels, call, depth);
    struct summand__cost cost = {.depth_at_most = true};
    size_t phases = call->collective == SUMMAND__COLL_ALLREDUCE ? 2 : 1;
    enum summand__collective inside = call->collective == SUMMAND__COLL_BCAST
                                          ? SUMMAND__COLL_ALLGATHERV
                                          : SUMMAND__COLL_REDUCE_SCATTER;
    cost.depth = add_between(&cost, call, levels, depth);
    cost.depth += phases * summand__leaders_add_nodes(&cost, call, levels->inside, inside, phases,
                                                      depth, cut_pieces);
    if (call->collective == SUMMAND__COLL_BCAST)
        add_spread(&cost, call, levels, depth);
    if (call->collective == SUMMAND__COLL_REDUCE)
        add_collect(&cost, call);
    return cost;
}
