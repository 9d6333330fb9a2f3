/* SPDX-License-Identifier: BSD-3-Clause */
/* Neighbor exchange: an all-gather along a ring whose ranks exchange with both neighbours in turn.
 *
 * What: an even number of ranks forms pairs. First the ranks of a pair exchange their blocks. Then
 *   each rank exchanges with its neighbour in the next pair, then in its own, and so on; it sends
 *   the two blocks that it received last. So p / 2 rounds do what the p - 1 rounds of a ring do. An
 *   odd number of ranks has no pairs: there each rank exchanges single blocks with both neighbours
 *   at once, in (p - 1) / 2 rounds.
 * When: long blocks on networks where neighbours are near; Open MPI takes it for an even number of
 *   ranks and 80 KiB or more.
 * Cost: p / 2 alpha + m (p - 1) / p beta.
 * Restrictions: none; the odd number is ours.
 * Source: Chen, Zhang, Zhang, Yuan, Performance evaluation of allgather algorithms on terascale
 *   Linux cluster with fast Ethernet (2005). */
#include "algorithm/call.h"
#include "algorithm/estimate.h"
#include "algorithm/exchange/accumulator.h"

static int around(const struct summand__call *call, int rank)
{
    return (rank % call->ranks + call->ranks) % call->ranks;
}

static struct summand__region blocks(const struct summand__call *call, int first, int count)
{
    struct summand__block from = summand__call_block(call, first);
    struct summand__block to = summand__call_block(call, first + count - 1);
    return summand__part(summand__call_output(call), from.first, to.first + to.count - from.first);
}

static struct summand__region block(const struct summand__call *call, int rank)
{
    return blocks(call, around(call, rank), 1);
}

/* Pair `number` of blocks, counted round the ring. */
static struct summand__region pair(const struct summand__call *call, int number)
{
    return blocks(call, around(call, 2 * number), 2);
}

/* The pair that a rank receives in a round: from its neighbour in the next pair in rounds 1, 3, ...
 * and from that in its own pair in rounds 2, 4, ...; in round 0 it has its own. */
static int received(const struct summand__call *call, int round)
{
    const bool left = (round % 2 == 1) == (call->rank % 2 == 0);
    const int distance = (round + 1) / 2;
    return call->rank / 2 + (left ? -distance : distance);
}

static void exchange_pairs(const struct summand__call *call, struct summand__schedule *schedule)
{
    const int beside = call->rank % 2 ? -1 : 1; /* the other rank of the own pair */
    for (int round = 0; round < call->ranks / 2; round++) {
        const int peer = around(call, call->rank + (round % 2 ? -beside : beside));
        summand__send(schedule, peer,
                      round ? pair(call, received(call, round - 1)) : block(call, call->rank));
        summand__recv(schedule, peer,
                      round ? pair(call, received(call, round)) : block(call, peer));
        summand__round(schedule);
    }
}

static void exchange_both_ways(const struct summand__call *call, struct summand__schedule *schedule)
{
    const int rank = call->rank, left = around(call, rank - 1), right = around(call, rank + 1);
    for (int distance = 1; distance <= call->ranks / 2; distance++) {
        summand__send(schedule, right, block(call, rank - distance + 1));
        summand__send(schedule, left, block(call, rank + distance - 1));
        summand__recv(schedule, left, block(call, rank - distance));
        summand__recv(schedule, right, block(call, rank + distance));
        summand__round(schedule);
    }
}

static void build(const struct summand__algorithm *algorithm, const struct summand__call *call,
                  struct summand__schedule *schedule)
{
    (void)algorithm;
    summand__copy(schedule, summand__call_input(call), block(call, call->rank));
    summand__round(schedule);
    if (call->ranks % 2)
        exchange_both_ways(call, schedule);
    else
        exchange_pairs(call, schedule);
}

/* Pairs that have elements. */
static size_t filled_pairs(const struct summand__call *call)
{
    const int pairs = call->ranks / 2;
    size_t filled = 0;
    if (!summand__has_offsets(call->collective))
        return summand__call_slices(call) ? (size_t)pairs : 0;
    for (int number = 0; number < pairs; number++)
        filled += pair(call, number).count > 0;
    return filled;
}

/* In each round but the first every pair of blocks, or every block, is sent twice. */
static struct summand__cost cost(const struct summand__algorithm *algorithm,
                                 const struct summand__call *call, bool depth)
{
    (void)algorithm;
    (void)depth;
    const size_t ranks = (size_t)call->ranks, filled = summand__call_slices(call);
    const size_t later = ranks > 1 ? ranks / 2 - 1 : 0;
    return (struct summand__cost){.messages = ranks % 2 ? (ranks - 1) * filled
                                                        : filled + 2 * later * filled_pairs(call),
                                  .elements = (ranks - 1) * summand__call_total(call),
                                  .depth = ranks / 2,
                                  .depth_at_most = filled < ranks};
}

/* If nodes have an even number of ranks, pairs lie in them, and every other round stays there. In
 * the rounds between, both ends of a node send through the card that they share. */
static double estimate(const struct summand__algorithm *algorithm, const struct summand__call *call,
                       size_t element, const struct summand__model *model)
{
    (void)algorithm;
    const bool odd = call->ranks % 2, apart = odd || (long long)model->per_node % 2;
    const bool shared = model->shared_card > 0 && model->per_node < call->ranks;
    const bool ends = odd || (!apart && shared);
    const double bytes = (double)(summand__call_total(call) * element) / call->ranks;
    const int rounds = call->ranks / 2, far = apart ? rounds : rounds / 2;
    struct summand__encounter encounter = {.ranks = call->ranks,
                                           .span = call->ranks,
                                           .distance = 1,
                                           .partners = ends ? 2 : 1,
                                           .bytes = odd ? bytes : 2 * bytes};
    if (call->ranks == 1)
        return 0;
    double time = far * summand__encounter_time(model, &encounter);
    encounter.span = apart ? call->ranks : 2;
    encounter.partners = odd ? 2 : 1;
    time += (rounds - far) * summand__encounter_time(model, &encounter);
    if (odd)
        return time;
    time -= summand__encounter_time(model, &encounter); /* the first round has single blocks */
    encounter.bytes = bytes;
    return time + summand__encounter_time(model, &encounter);
}

const struct summand__algorithm summand__neighbor_exchange = {
    .name = "neighbor-exchange",
    .description = "ranks exchange two blocks with both neighbours of a ring in turn",
    .source = "Chen, Zhang, Zhang, Yuan (2005)",
    .promises = SUMMAND__RANK_ORDER | SUMMAND__SAME_BITS,
    .build = {[SUMMAND__COLL_ALLGATHER] = build, [SUMMAND__COLL_ALLGATHERV] = build},
    .cost = cost,
    .estimate = estimate,
};
