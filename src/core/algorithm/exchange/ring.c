/* SPDX-License-Identifier: BSD-3-Clause */
/* Ring, whole blocks or in segments.
 *
 * What: blocks travel round the ring of ranks; on its way a block of the reduce-scatter picks up
 *   each rank's contribution and ends on its own rank, a block of the all-gather is copied by each
 *   rank. All-reduce is one after the other on p-ths of the vector; in a reduce the root receives
 *   these at the end. With at least two segments per block a segment is combined while the next one
 *   is in flight.
 * When: very long vectors on few ranks; neighbours only, so any network carries it.
 * Cost: all-reduce 2 (p-1) alpha + 2 m (p-1)/p beta + m (p-1)/p gamma, of which segments hide
 *   gamma; reduce (p-1) (alpha + o) + the same.
 * Restrictions: commutative operators.
 * Source: folklore; Patarasuk, Yuan, Bandwidth optimal all-reduce algorithms for clusters of
 *   workstations (2009). */
#include <stdint.h>

#include "algorithm/call.h"
#include "algorithm/estimate.h"
#include "algorithm/exchange/accumulator.h"
#include "algorithm/exchange/slices.h"
#include "algorithm/tree/pipe.h"
#include "base/extreme.h"

/* What all ranks agree on. */
struct ring {
    const struct summand__call *call;
    size_t widest;   /* elements of the largest block */
    size_t segment;  /* elements */
    size_t segments; /* of the widest block */
};

static struct ring ring_of(const struct summand__call *call)
{
    struct ring ring = {.call = call};
    size_t ranks = (size_t)call->ranks;
    if (!summand__has_blocks(call->collective))
        ring.widest = call->count / ranks + (call->count % ranks > 0);
    else if (!summand__has_offsets(call->collective))
        ring.widest = call->count;
    for (int rank = 0; summand__has_offsets(call->collective) && rank < call->ranks; rank++) {
        size_t count = summand__call_slice(call, rank).count;
        ring.widest = count > ring.widest ? count : ring.widest;
    }
    ring.segments = summand__segments(ring.widest, call->parameter[SUMMAND__SEGMENT]);
    ring.segment = ring.segments > 1 ? call->parameter[SUMMAND__SEGMENT] : ring.widest;
    return ring;
}

static int around(const struct ring *ring, int rank)
{
    return (rank % ring->call->ranks + ring->call->ranks) % ring->call->ranks;
}

/* Segment `s` of a block; empty if the block has fewer. */
static struct summand__block segment_of(const struct ring *ring, int block, size_t s)
{
    struct summand__block whole = summand__call_slice(ring->call, around(ring, block));
    size_t first = s * ring->segment;
    if (first >= whole.count)
        return (struct summand__block){whole.first, 0};
    size_t left = whole.count - first;
    return (struct summand__block){whole.first + first,
                                   left < ring->segment ? left : ring->segment};
}

static struct summand__region in(struct summand__region at, struct summand__block block)
{
    return summand__part(at, block.first, block.count);
}

/* The region for block r - 2 - step: two buffers in turn; at the end the place of the result. */
static struct summand__region arrival(const struct ring *ring, struct summand__region result,
                                      int step, size_t s)
{
    struct summand__block block = segment_of(ring, ring->call->rank - 2 - step, s);
    if (step == ring->call->ranks - 2)
        return in(result, block);
    return summand__region(SUMMAND__SCRATCH, (size_t)(step % 2) * ring->widest + s * ring->segment,
                           block.count);
}

static void fold(const struct ring *ring, struct summand__region input,
                 struct summand__region result, int step, size_t s,
                 struct summand__schedule *schedule)
{
    struct summand__block block = segment_of(ring, ring->call->rank - 2 - step, s);
    summand__reduce(schedule, in(input, block), arrival(ring, result, step, s));
}

/* `result`: the region of a whole vector that has the own block in the result's place. */
static void reduce_phase(const struct ring *ring, struct summand__region input,
                         struct summand__region result, struct summand__schedule *schedule)
{
    const struct summand__call *call = ring->call;
    for (int step = 0; step < call->ranks - 1; step++)
        for (size_t s = 0; s < ring->segments; s++) {
            struct summand__region from = step ? arrival(ring, result, step - 1, s)
                                               : in(input, segment_of(ring, call->rank - 1, s));
            summand__send(schedule, around(ring, call->rank + 1), from);
            summand__recv(schedule, around(ring, call->rank - 1), arrival(ring, result, step, s));
            if (s > 0)
                fold(ring, input, result, step, s - 1, schedule);
            else if (step > 0 && ring->segments > 1)
                fold(ring, input, result, step - 1, ring->segments - 1, schedule);
            summand__round(schedule);
            if (ring->segments == 1 || (step == call->ranks - 2 && s == ring->segments - 1))
                fold(ring, input, result, step, s, schedule);
            summand__round(schedule);
        }
}

static void gather_phase(const struct ring *ring, struct summand__region at,
                         struct summand__schedule *schedule)
{
    int rank = ring->call->rank;
    summand__round(schedule);
    for (int step = 0; step < ring->call->ranks - 1; step++)
        for (size_t s = 0; s < ring->segments; s++) {
            summand__send(schedule, around(ring, rank + 1),
                          in(at, segment_of(ring, rank - step, s)));
            summand__recv(schedule, around(ring, rank - 1),
                          in(at, segment_of(ring, rank - step - 1, s)));
            summand__round(schedule);
        }
}

/* In place the own block arrives in scratch beyond the two buffers, as its input is still needed.
 */
static void build_reduce_phase(const struct summand__call *call, const struct ring *ring,
                               struct summand__region output, struct summand__schedule *schedule)
{
    struct summand__block own = summand__call_slice(call, call->rank);
    struct summand__region input = summand__call_input(call), result = output;
    if (call->ranks == 1) {
        summand__copy(schedule, in(input, own), output);
        return;
    }
    if (call->in_place)
        result = summand__region(SUMMAND__SCRATCH, 2 * ring->widest, own.count);
    result.first -= own.first; /* wraps; adding the block's first element is back in range */
    reduce_phase(ring, input, result, schedule);
    summand__copy(schedule, in(result, own), output);
    summand__round(schedule);
}

static void build_allreduce(const struct summand__algorithm *algorithm,
                            const struct summand__call *call, struct summand__schedule *schedule)
{
    (void)algorithm;
    struct ring ring = ring_of(call);
    struct summand__region all = summand__region(SUMMAND__RECVBUF, 0, call->count);
    struct summand__block own = summand__call_slice(call, call->rank);
    build_reduce_phase(call, &ring, in(all, own), schedule);
    gather_phase(&ring, all, schedule);
}

static void build_reduce(const struct summand__algorithm *algorithm,
                         const struct summand__call *call, struct summand__schedule *schedule)
{
    (void)algorithm;
    struct ring ring = ring_of(call);
    struct summand__block slice = summand__call_slice(call, call->rank);
    struct summand__region own =
        call->rank == call->root ? summand__region(SUMMAND__RECVBUF, slice.first, slice.count)
                                 : summand__region(SUMMAND__SCRATCH, 2 * ring.widest, slice.count);
    build_reduce_phase(call, &ring, own, schedule);
    summand__slices_collect(call, own, schedule);
}

static void build_scatter(const struct summand__algorithm *algorithm,
                          const struct summand__call *call, struct summand__schedule *schedule)
{
    (void)algorithm;
    struct ring ring = ring_of(call);
    build_reduce_phase(call, &ring, summand__call_output(call), schedule);
}

static void build_gather(const struct summand__algorithm *algorithm,
                         const struct summand__call *call, struct summand__schedule *schedule)
{
    (void)algorithm;
    struct ring ring = ring_of(call);
    struct summand__region output = summand__call_output(call);
    summand__copy(schedule, summand__call_input(call),
                  in(output, summand__call_block(call, call->rank)));
    gather_phase(&ring, output, schedule);
}

/* Segments of all blocks; those of a vector are of two sizes. */
static size_t segments_of(const struct ring *ring)
{
    const struct summand__call *call = ring->call;
    size_t ranks = (size_t)call->ranks, segments = 0;
    if (!summand__has_blocks(call->collective)) {
        size_t least = call->count / ranks, wider = call->count % ranks;
        return wider * ring->segments + (ranks - wider) * summand__segments(least, ring->segment);
    }
    if (!summand__has_offsets(call->collective))
        return ranks * ring->segments;
    for (int rank = 0; rank < call->ranks; rank++)
        segments += summand__segments(summand__call_block(call, rank).count, ring->segment);
    return segments;
}

/* Depth: exact if all blocks have the same number of segments. */
static struct summand__cost cost(const struct summand__algorithm *algorithm,
                                 const struct summand__call *call, bool depth)
{
    (void)algorithm;
    struct ring ring = ring_of(call);
    size_t ranks = (size_t)call->ranks, hops = ranks - 1, segments = segments_of(&ring);
    size_t phases = call->collective == SUMMAND__COLL_ALLREDUCE ? 2 : 1;
    (void)depth;
    struct summand__cost cost = {.messages = phases * hops * segments,
                                 .elements = phases * hops * summand__call_total(call),
                                 .depth = phases * hops * ring.segments,
                                 .depth_at_most = segments < ranks * ring.segments};
    if (call->collective == SUMMAND__COLL_REDUCE)
        summand__slices_cost(call, &cost);
    return cost;
}

/* One slot for each hop of a segment of so many bytes. A rank waits for what its neighbour sends in
 * it, so messages do not overlap and time goes round the ring: over all edges, near and far; over
 * the slowest alone where both sides wait. No slot is shorter than the busiest card needs for its
 * message, and for what acknowledges the one that comes, nor than the busiest rank needs to send,
 * receive and combine (`combined` s). On even cards it waits for about half of the latencies of far
 * edges besides, on the play. */
static double slots_time(const struct summand__call *call, const struct summand__model *model,
                         double bytes, double combined)
{
    enum summand__reach reach = summand__reach_of(model, call->ranks);
    struct summand__burst farthest = {reach, 1, 1, 1, bytes, true, false};
    struct summand__burst near = {SUMMAND__WITHIN_NODE, 1, 1, 1, bytes, false, false}, far = near;
    int hops = call->ranks - 1, node = (int)model->per_node;
    int nodes = call->uneven ? call->uneven->groups : hops / node + 1;
    int bunches = nodes > 1 ? nodes * node - 1 : hops;
    int across = node > 1 && nodes > 1 ? nodes : nodes - 1; /* of a block that starts at a border */
    far.reach = summand__reach_of(model, node + 1);
    const struct summand__level *out = &model->level[reach], *in = node > 1 ? model->level : out;
    const double work =
        hops * (summand__larger(out->send + in->recv, in->send + out->recv) + combined);
    if (bytes > model->eager) {
        const double slot = summand__larger(summand__burst_time(model, &farthest),
                                            node > 1 ? summand__burst_time(model, &near) : 0);
        return summand__larger(hops * slot, work);
    }
    double round = (hops - across) * summand__burst_time(model, &near) +
                   across * summand__burst_time(model, &far);
    double card = bunches * bytes * model->level[reach].byte;
    if (model->fair_card > 0 && reach != SUMMAND__WITHIN_NODE)
        card = card * (1 + model->cross) + nodes * model->level[reach].latency / 2;
    return summand__larger(summand__larger(round, card), work);
}

/* The last segment of a block is shorter, and may be short enough not to wait. */
static double estimate(const struct summand__algorithm *algorithm, const struct summand__call *call,
                       size_t element, const struct summand__model *model)
{
    (void)algorithm;
    struct ring ring = ring_of(call);
    int phases = call->collective == SUMMAND__COLL_ALLREDUCE ? 2 : 1, hops = call->ranks - 1;
    if (!ring.segments || !hops)
        return 0;
    size_t full = ring.segments - 1, last = ring.widest - full * ring.segment;
    double time = 0, byte = summand__has_operator(call->collective) ? model->reduce_byte : 0;
    for (int phase = 0; phase < phases; phase++, byte = 0) {
        const double short_bytes = (double)(last * element),
                     bytes = (double)(ring.segment * element);
        time += slots_time(call, model, short_bytes, full ? short_bytes * byte : 0);
        time += full ? (double)full * slots_time(call, model, bytes, bytes * byte)
                     : hops * short_bytes * byte;
    }
    if (call->collective == SUMMAND__COLL_REDUCE)
        time += summand__slices_time(model, call, element);
    return time;
}

const struct summand__algorithm summand__ring = {
    .name = "ring",
    .description = "blocks travel round the ring of ranks, whole or in segments",
    .source = "folklore; Patarasuk, Yuan (2009)",
    .promises = SUMMAND__SAME_BITS,
    .limits = {[SUMMAND__SEGMENT] = {1, SIZE_MAX, 0}},
    .build = {[SUMMAND__COLL_REDUCE] = build_reduce,
              [SUMMAND__COLL_ALLREDUCE] = build_allreduce,
              [SUMMAND__COLL_REDUCE_SCATTER_BLOCK] = build_scatter,
              [SUMMAND__COLL_REDUCE_SCATTER] = build_scatter,
              [SUMMAND__COLL_ALLGATHER] = build_gather,
              [SUMMAND__COLL_ALLGATHERV] = build_gather},
    .cost = cost,
    .estimate = estimate,
};
