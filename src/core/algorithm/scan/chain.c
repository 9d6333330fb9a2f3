/* SPDX-License-Identifier: BSD-3-Clause */
/* Scan along a chain of all ranks, in segments.
 *
 * What: a rank receives the combination of all ranks below it, combines it with its own operand,
 *   and sends the result to the next rank. Segments follow each other, several under way at a time.
 * When: long vectors. Each rank sends and combines the vector once.
 * Cost: (p - 1) (alpha + s (beta + gamma)) + (k - 1) s max(beta, gamma) for k segments of s.
 * Restrictions: none.
 * Source: folklore. */
#include <stdint.h>

#include "algorithm/scan/prefix.h"
#include "algorithm/tree/pipe.h"

/* As in tree/pipe.c: a slot has a round for messages and one for combining, and a message of a
 * segment lasts so many slots longer. */
enum { LATE_SLOTS = SUMMAND__UNDER_WAY - 1, SLOT_ROUNDS = 2 };

/* The chain as one rank sees it. */
struct link {
    const struct summand__call *call;
    struct summand__schedule *schedule;
    struct summand__region input, arrived, passed; /* the latter two: rings of segments */
    size_t segment, segments, late;
    bool receives, sends;
};

static struct summand__region piece(const struct link *link, struct summand__region whole, size_t s)
{
    const size_t first = s * link->segment, left = link->call->count - first;
    return summand__region(whole.place, whole.first + first,
                           left < link->segment ? left : link->segment);
}

/* Segment s in a ring of whole segments. */
static struct summand__region in_ring(const struct link *link, struct summand__region ring,
                                      size_t s)
{
    struct summand__region own = piece(link, ring, s);
    own.first = ring.first + s % (ring.count / link->segment) * link->segment;
    return own;
}

static struct summand__region result(const struct link *link, size_t s)
{
    return piece(link, summand__region(SUMMAND__RECVBUF, 0, link->call->count), s);
}

/* Where the combination of the ranks below arrives, and what goes to the rank above. */
static struct summand__region from_below(const struct link *link, size_t s)
{
    return summand__is_exclusive(link->call) ? result(link, s) : in_ring(link, link->arrived, s);
}

static struct summand__region to_above(const struct link *link, size_t s)
{
    if (!link->receives)
        return piece(link, link->input, s);
    return summand__is_exclusive(link->call) ? in_ring(link, link->passed, s) : result(link, s);
}

/* An exclusive scan's last rank combines nothing. */
static bool combines(const struct link *link)
{
    return link->receives && (link->sends || !summand__is_exclusive(link->call));
}

/* Slot `now`: segment `now` + late + 1 begins to arrive, `now` + 1 is combined, `now` leaves. The
 * first slots have numbers below 0, so they are counted from late + 1 on. */
static void run_slot(const struct link *link, size_t now)
{
    struct summand__schedule *schedule = link->schedule;
    const size_t stride = link->late + 1, lag = link->late * SLOT_ROUNDS;
    const bool combined = now >= link->late && now - link->late < link->segments;
    const size_t s = now - link->late;
    if (link->receives && now < link->segments)
        summand__recv_late(schedule, link->call->rank - 1, from_below(link, now), (unsigned)lag);
    if (combines(link) && combined)
        summand__copy(schedule, piece(link, link->input, s), to_above(link, s));
    if (link->sends && now >= stride && now - stride < link->segments)
        summand__send_late(schedule, link->call->rank + 1, to_above(link, now - stride),
                           (unsigned)lag);
    summand__round(schedule);
    if (combines(link) && combined)
        summand__reduce(schedule, from_below(link, s), to_above(link, s));
    summand__round(schedule);
}

static void build(const struct summand__algorithm *algorithm, const struct summand__call *call,
                  struct summand__schedule *schedule)
{
    (void)algorithm;
    const size_t segments = summand__segments(call->count, call->parameter[SUMMAND__SEGMENT]);
    struct link link = {.call = call,
                        .schedule = schedule,
                        .input = summand__prefix_input(call, schedule),
                        .segment = segments > 1 ? call->parameter[SUMMAND__SEGMENT] : call->count,
                        .segments = segments,
                        .late = segments > 1 ? LATE_SLOTS : 0,
                        .receives = call->rank > 0,
                        .sends = call->rank < call->ranks - 1};
    const size_t stride = link.late + 1;
    if (!segments)
        return;
    if (combines(&link) && summand__is_exclusive(call))
        link.passed = summand__prefix_room(schedule, 2 * stride * link.segment);
    else if (combines(&link))
        link.arrived = summand__prefix_room(schedule, stride * link.segment);
    else if (!link.receives && !summand__is_exclusive(call))
        summand__copy(schedule, link.input, summand__region(SUMMAND__RECVBUF, 0, call->count));
    for (size_t now = 0; now < segments + stride; now++)
        run_slot(&link, now);
    summand__drain(schedule);
}

/* The reduction through a chain to the last rank, which does the same. */
static struct summand__call reduction(const struct summand__call *call)
{
    struct summand__call up = *call;
    up.collective = SUMMAND__COLL_REDUCE;
    up.root = call->ranks - 1;
    return up;
}

static struct summand__cost cost(const struct summand__algorithm *algorithm,
                                 const struct summand__call *call, bool depth)
{
    const struct summand__call up = reduction(call);
    return summand__tree_cost(algorithm, &up, depth);
}

static double estimate(const struct summand__algorithm *algorithm, const struct summand__call *call,
                       size_t element, const struct summand__model *model)
{
    const struct summand__call up = reduction(call);
    return summand__tree_estimate(algorithm, &up, element, model);
}

const struct summand__algorithm summand__scan_chain = {
    .name = "scan-chain",
    .description = "pipeline along the ranks, each of which adds its operand",
    .source = "folklore",
    .promises = SUMMAND__RANK_ORDER | SUMMAND__SAME_BITS,
    .limits = {[SUMMAND__SEGMENT] = {1, SIZE_MAX, 0}},
    .build = {SUMMAND__SCANS(build)},
    .cost = cost,
    .estimate = estimate,
    .tree = {.shape = &summand__chain_shape},
};
