/* SPDX-License-Identifier: BSD-3-Clause */
/* Reduce-scatter by vector halving and distance doubling, in rank order, for any rank count; then
 * gather or all-gather the same way back. All collectives.
 *
 * What: neighbouring ranges of ranks are merged (shape/interleave.h): every rank keeps about half
 *   of its piece of the vector and sends the other half to its one or two partners. After
 *   ceil(log2 p) rounds each rank has one p-th of the result. All-reduce gathers on all by the
 *   same exchanges backwards, reduce on the root by a binomial tree over the positions; broadcast
 *   hands out, then gathers on all. If blocks belong to ranks, the vector is first copied into the
 *   order of positions.
 * When: long vectors; the bandwidth-optimal algorithm with the canonical bracketing.
 * Cost: all-reduce 2 ceil(log2 p) alpha + 2 m (p-1)/p beta + m (p-1)/p gamma for every p; no
 *   folding, which costs others another 2 alpha + 2 m beta for p not a power of two.
 * Restrictions: none. Scratch of up to two vectors; blocks cost one copy of the vector.
 * Source: Rabenseifner, Optimization of collective reduction operations (2004); Traeff, An
 *   improved algorithm for (non-commutative) reduce-scatter (2005); the interleaving for any p is
 *   ours. */
#include "algorithm/displs.h"
#include "algorithm/estimate.h"
#include "algorithm/exchange/merge.h"

static struct summand__merging merging_of(const struct summand__call *call)
{
    return (struct summand__merging){
        .rank = call->rank, .ranks = call->ranks, .units = summand__call_total(call)};
}

/* Blocks in the order of positions; false when out of memory, else to be closed. */
static bool order_blocks(const struct summand__call *call, struct summand__merging *merging,
                         struct summand__displs *displs)
{
    summand__displs_open(displs, call->ranks);
    if (!displs->at)
        return false;
    displs->at[0] = 0;
    for (int position = 0; position < call->ranks; position++) {
        int rank = summand__interleave_rank(0, call->ranks, position);
        displs->at[position + 1] = displs->at[position] + summand__call_block(call, rank).count;
    }
    merging->units = (size_t)call->ranks;
    merging->displs = displs->at;
    return true;
}

/* A rank's moves of its accumulator: see accumulator.h. */
static int moves_of(const struct summand__call *call)
{
    struct summand__split path[SUMMAND__HALVING_MOST];
    int length = summand__halving_path(call->ranks, call->rank, path), moves = 0;
    for (int i = length - 1; i >= 0; i--)
        moves += call->rank < path[i].middle || i == length - 1;
    return moves;
}

static struct summand__block own_piece(const struct summand__merging *merging)
{
    int position = summand__interleave_position(0, merging->ranks, merging->rank);
    return summand__merging_pieces(merging, position, position + 1, merging->ranks);
}

static void build_vector(const struct summand__algorithm *algorithm,
                         const struct summand__call *call, struct summand__schedule *schedule)
{
    (void)algorithm;
    struct summand__merging merging = merging_of(call);
    struct summand__block own = own_piece(&merging);
    bool all = call->collective == SUMMAND__COLL_ALLREDUCE;
    bool keep = all || call->rank == call->root;
    struct summand__accumulator accumulator =
        summand__accumulator_start(call, keep, moves_of(call));
    summand__merge_reduce(&merging, &accumulator, schedule);
    struct summand__region at = accumulator.value;
    if (keep) {
        at = summand__region(SUMMAND__RECVBUF, 0, call->count);
        summand__copy(schedule, summand__part(accumulator.value, own.first, own.count),
                      summand__part(at, own.first, own.count));
    }
    if (all)
        summand__merge_gather(&merging, -1, at, schedule);
    else
        summand__merge_collect(&merging, call->root, at, schedule);
}

static void build_bcast(const struct summand__algorithm *algorithm,
                        const struct summand__call *call, struct summand__schedule *schedule)
{
    (void)algorithm;
    struct summand__merging merging = merging_of(call);
    struct summand__region at = summand__region(SUMMAND__RECVBUF, 0, call->count);
    summand__merge_hand_out(&merging, call->root, at, schedule);
    summand__merge_gather(&merging, call->root, at, schedule);
}

static void build_scatter(const struct summand__algorithm *algorithm,
                          const struct summand__call *call, struct summand__schedule *schedule)
{
    (void)algorithm;
    struct summand__merging merging = merging_of(call);
    struct summand__displs displs;
    size_t total = summand__call_total(call);
    struct summand__region input = summand__call_input(call);
    struct summand__accumulator accumulator = {.value = summand__region(SUMMAND__SCRATCH, 0, total),
                                               .spare =
                                                   summand__region(SUMMAND__SCRATCH, total, total)};
    if (!order_blocks(call, &merging, &displs)) {
        schedule->failed = true;
        return;
    }
    for (int position = 0; position < call->ranks; position++) {
        int rank = summand__interleave_rank(0, call->ranks, position);
        struct summand__block block = summand__call_block(call, rank);
        summand__copy(schedule, summand__part(input, block.first, block.count),
                      summand__part(accumulator.value, displs.at[position], block.count));
    }
    summand__round(schedule);
    summand__merge_reduce(&merging, &accumulator, schedule);
    struct summand__block own = own_piece(&merging);
    summand__copy(schedule, summand__part(accumulator.value, own.first, own.count),
                  summand__call_output(call));
    summand__displs_close(&displs);
}

static void build_gather(const struct summand__algorithm *algorithm,
                         const struct summand__call *call, struct summand__schedule *schedule)
{
    (void)algorithm;
    struct summand__merging merging = merging_of(call);
    struct summand__displs displs;
    size_t total = summand__call_total(call);
    struct summand__region at = summand__region(SUMMAND__SCRATCH, 0, total);
    struct summand__region output = summand__call_output(call);
    if (!order_blocks(call, &merging, &displs)) {
        schedule->failed = true;
        return;
    }
    struct summand__block own = own_piece(&merging);
    summand__copy(schedule, summand__call_input(call), summand__part(at, own.first, own.count));
    summand__merge_gather(&merging, -1, at, schedule);
    for (int position = 0; position < call->ranks; position++) {
        int rank = summand__interleave_rank(0, call->ranks, position);
        struct summand__block block = summand__call_block(call, rank);
        if (!call->in_place || rank != call->rank)
            summand__copy(schedule, summand__part(at, displs.at[position], block.count),
                          summand__part(output, block.first, block.count));
    }
    summand__displs_close(&displs);
}

/* Depth: exact if every rank sends in every round. */
static struct summand__cost vector_cost(const struct summand__call *call, bool depth)
{
    struct summand__merging merging = merging_of(call);
    size_t once = ((size_t)call->ranks - 1) * call->count;
    struct summand__cost root = {0}, cost = {.messages = summand__merge_messages(&merging),
                                             .elements = once,
                                             .depth = (size_t)summand__halving_height(call->ranks)};
    cost.depth_at_most = call->count < (size_t)call->ranks;
    if (call->collective == SUMMAND__COLL_ALLREDUCE) {
        root = cost;
    } else {
        root = summand__collect_cost(&merging, call->root, depth);
        if (call->collective == SUMMAND__COLL_BCAST)
            cost = summand__gather_cost(&merging, call->root);
        cost.depth_at_most = true;
    }
    cost.messages += root.messages;
    cost.elements += root.elements;
    cost.depth += root.depth;
    cost.depth_at_most = cost.depth_at_most || root.depth_at_most;
    return cost;
}

/* Equal blocks are the units, in any order. False when out of memory. */
static bool block_messages(const struct summand__call *call, size_t *messages)
{
    struct summand__merging merging = {.ranks = call->ranks, .units = (size_t)call->ranks};
    struct summand__displs displs;
    bool ordered = true;
    *messages = 0;
    if (!summand__has_offsets(call->collective)) {
        *messages = call->count ? summand__merge_messages(&merging) : 0;
    } else {
        ordered = order_blocks(call, &merging, &displs);
        *messages = ordered ? summand__merge_messages(&merging) : 0;
        summand__displs_close(&displs);
    }
    return ordered;
}

static struct summand__cost block_cost(const struct summand__call *call)
{
    size_t messages;
    bool known = block_messages(call, &messages);
    return (struct summand__cost){
        .messages = messages,
        .unknown = !known,
        .elements = ((size_t)call->ranks - 1) * summand__call_total(call),
        .depth = (size_t)summand__halving_height(call->ranks),
        .depth_at_most = summand__has_offsets(call->collective) || !call->count,
    };
}

static struct summand__cost cost_of(const struct summand__algorithm *algorithm,
                                    const struct summand__call *call, bool depth)
{
    (void)algorithm;
    return summand__has_blocks(call->collective) ? block_cost(call) : vector_cost(call, depth);
}

static double estimate(const struct summand__algorithm *algorithm, const struct summand__call *call,
                       size_t element, const struct summand__model *model)
{
    (void)algorithm;
    double bytes = (double)(summand__call_total(call) * element);
    bool scatters = summand__has_operator(call->collective);
    struct summand__there_and_back time =
        summand__merge_time(model, call->ranks, call->ranks, bytes);
    return (scatters ? time.scatter : time.gather) +
           (summand__has_blocks(call->collective) ? bytes * model->copy_byte : time.gather);
}

const struct summand__algorithm summand__rabenseifner = {
    .name = "rabenseifner",
    .description = "recursive halving of the vector, and back; in rank order, for any rank count",
    .source = "Rabenseifner (2004); Traeff (2005)",
    .promises = SUMMAND__RANK_ORDER | SUMMAND__SAME_BITS | SUMMAND__CANONICAL,
    .build = {[SUMMAND__COLL_REDUCE] = build_vector,
              [SUMMAND__COLL_ALLREDUCE] = build_vector,
              [SUMMAND__COLL_BCAST] = build_bcast,
              [SUMMAND__COLL_REDUCE_SCATTER_BLOCK] = build_scatter,
              [SUMMAND__COLL_REDUCE_SCATTER] = build_scatter,
              [SUMMAND__COLL_ALLGATHER] = build_gather,
              [SUMMAND__COLL_ALLGATHERV] = build_gather},
    .cost = cost_of,
    .estimate = estimate,
};
