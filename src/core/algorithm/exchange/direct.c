/* SPDX-License-Identifier: BSD-3-Clause */
/* Direct exchange: every rank sends each other rank its block, all at once, any rank count.
 *
 * What: reduce-scatter in one round: a rank receives its block from all others and combines them
 *   from right to left. All-gather in one round: a rank sends its block to all others. All-reduce
 *   is one after the other on p-ths of the vector; in a reduce the root receives these at the end.
 * When: few ranks that share memory: its messages travel at the same time, whereas those of halving
 *   wait for one another.
 * Cost: reduce-scatter alpha + (p-1) o + m (p-1)/p (beta + gamma) for o of processor time per
 *   message; all-reduce twice that, gamma once.
 * Restrictions: p - 1 messages at a time to and from each rank; scratch of a vector.
 * Source: folklore. */
#include "algorithm/call.h"
#include "algorithm/estimate.h"
#include "algorithm/exchange/accumulator.h"
#include "algorithm/exchange/slices.h"

static struct summand__region slice_of(const struct summand__call *call, struct summand__region at,
                                       int rank)
{
    struct summand__block slice = summand__call_slice(call, rank);
    return summand__part(at, slice.first, slice.count);
}

/* Each rank begins with its next neighbour, so that messages do not all arrive at one rank
 * first. */
static int neighbour(const struct summand__call *call, int distance)
{
    return (call->rank + distance) % call->ranks;
}

/* The region for the operand of `from`: the last rank's is the result's place. */
static struct summand__region arrival(const struct summand__call *call, int from,
                                      struct summand__region result)
{
    size_t slot = (size_t)(from < call->rank ? from : from - 1);
    return from == call->ranks - 1
               ? result
               : summand__region(SUMMAND__SCRATCH, slot * result.count, result.count);
}

/* Each step leaves its result in its right operand, so the last rank's operand is overwritten. No
 * message reads `result`. */
static void reduce_phase(const struct summand__call *call, struct summand__region result,
                         struct summand__schedule *schedule)
{
    struct summand__region input = summand__call_input(call);
    struct summand__region own = slice_of(call, input, call->rank);
    for (int distance = 1; distance < call->ranks; distance++) {
        int to = neighbour(call, distance), from = neighbour(call, call->ranks - distance);
        summand__recv(schedule, from, arrival(call, from, result));
        summand__send(schedule, to, slice_of(call, input, to));
    }
    if (call->rank == call->ranks - 1)
        summand__copy(schedule, own, result);
    summand__round(schedule);
    for (int left = call->ranks - 2; left >= 0; left--)
        summand__reduce(schedule, left == call->rank ? own : arrival(call, left, result), result);
    summand__round(schedule);
}

/* In place the input is read until the round has ended. */
static void scatter(const struct summand__call *call, struct summand__region output,
                    struct summand__schedule *schedule)
{
    size_t spare = (size_t)call->ranks * output.count;
    struct summand__region result =
        call->in_place ? summand__region(SUMMAND__SCRATCH, spare, output.count) : output;
    reduce_phase(call, result, schedule);
    if (call->in_place)
        summand__copy(schedule, result, output);
}

static void gather(const struct summand__call *call, struct summand__region all,
                   struct summand__schedule *schedule)
{
    summand__round(schedule);
    for (int distance = 1; distance < call->ranks; distance++) {
        int from = neighbour(call, call->ranks - distance);
        summand__recv_multicast(schedule, from, slice_of(call, all, from));
    }
    for (int distance = 1; distance < call->ranks; distance++)
        summand__multicast(schedule, neighbour(call, distance), slice_of(call, all, call->rank));
    summand__round(schedule);
}

static void build_scatter(const struct summand__algorithm *algorithm,
                          const struct summand__call *call, struct summand__schedule *schedule)
{
    (void)algorithm;
    scatter(call, summand__call_output(call), schedule);
}

static void build_gather(const struct summand__algorithm *algorithm,
                         const struct summand__call *call, struct summand__schedule *schedule)
{
    (void)algorithm;
    struct summand__region all = summand__call_output(call);
    summand__copy(schedule, summand__call_input(call), slice_of(call, all, call->rank));
    gather(call, all, schedule);
}

static void build_allreduce(const struct summand__algorithm *algorithm,
                            const struct summand__call *call, struct summand__schedule *schedule)
{
    (void)algorithm;
    struct summand__region all = summand__region(SUMMAND__RECVBUF, 0, call->count);
    scatter(call, slice_of(call, all, call->rank), schedule);
    gather(call, all, schedule);
}

/* Without a recvbuf, the own slice comes after all other scratch. */
static void build_reduce(const struct summand__algorithm *algorithm,
                         const struct summand__call *call, struct summand__schedule *schedule)
{
    (void)algorithm;
    size_t count = summand__call_slice(call, call->rank).count;
    struct summand__region all = summand__region(SUMMAND__RECVBUF, 0, call->count);
    struct summand__region own =
        call->rank == call->root
            ? slice_of(call, all, call->rank)
            : summand__region(SUMMAND__SCRATCH, ((size_t)call->ranks + 1) * count, count);
    scatter(call, own, schedule);
    summand__slices_collect(call, own, schedule);
}

static size_t phases_of(const struct summand__call *call)
{
    return call->collective == SUMMAND__COLL_ALLREDUCE ? 2 : 1;
}

static bool gathers(const struct summand__call *call)
{
    return !summand__has_operator(call->collective) || call->collective == SUMMAND__COLL_ALLREDUCE;
}

/* Empty blocks are not sent. */
static struct summand__cost cost(const struct summand__algorithm *algorithm,
                                 const struct summand__call *call, bool depth)
{
    (void)algorithm;
    size_t others = (size_t)call->ranks - 1, blocks = summand__call_slices(call);
    (void)depth;
    struct summand__cost cost = {.messages = phases_of(call) * others * blocks,
                                 .elements = phases_of(call) * others * summand__call_total(call),
                                 .depth = others && blocks ? phases_of(call) : 0};
    if (call->collective == SUMMAND__COLL_REDUCE)
        summand__slices_cost(call, &cost);
    if (others && gathers(call)) {
        cost.repeats = (others - 1) * blocks;
        cost.repeated = (others - 1) * summand__call_total(call);
    }
    return cost;
}

static double estimate(const struct summand__algorithm *algorithm, const struct summand__call *call,
                       size_t element, const struct summand__model *model)
{
    (void)algorithm;
    double bytes = (double)(summand__call_total(call) * element);
    struct summand__there_and_back way =
        summand__direct_time(model, call->ranks, call->ranks, bytes);
    double time = summand__has_operator(call->collective) ? way.scatter : 0;
    if (gathers(call))
        time += way.gather;
    if (call->collective == SUMMAND__COLL_REDUCE)
        time += summand__slices_time(model, call, element);
    return bytes > 0 ? time : 0;
}

const struct summand__algorithm summand__direct = {
    .name = "direct",
    .description = "every rank sends each other rank its block, all at once",
    .source = "folklore",
    .promises = SUMMAND__RANK_ORDER | SUMMAND__SAME_BITS,
    .build = {[SUMMAND__COLL_REDUCE] = build_reduce,
              [SUMMAND__COLL_ALLREDUCE] = build_allreduce,
              [SUMMAND__COLL_REDUCE_SCATTER_BLOCK] = build_scatter,
              [SUMMAND__COLL_REDUCE_SCATTER] = build_scatter,
              [SUMMAND__COLL_ALLGATHER] = build_gather,
              [SUMMAND__COLL_ALLGATHERV] = build_gather},
    .cost = cost,
    .estimate = estimate,
};
