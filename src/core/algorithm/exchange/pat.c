/* SPDX-License-Identifier: BSD-3-Clause */
/* Parallel aversed trees: reduce-scatter, all-gather and all-reduce with one partner a round and
 * the long messages between near ranks, for any rank count.
 *
 * What: in an all-gather each rank sends what it has to the rank `skip` further, for skips from the
 *   largest power of two below p down to 1: its own block first, then all received blocks, so the
 *   farthest messages are the shortest. A block that would arrive a second time, or beyond p ranks,
 *   is left out. Messages are contiguous, because blocks are stored in the order of arrival. A
 *   reduce-scatter is the same backwards.
 * When: short and middle vectors on any number of ranks, where near ranks share more bandwidth.
 * Cost: reduce-scatter ceil(log2 p) alpha + m (p-1)/p (beta + gamma); all-reduce twice that, gamma
 *   once.
 * Restrictions: commutative operators; a copy of the vector before, after, or both (all-reduce).
 * Source: Jeaugey, PAT: a new algorithm for all-gather and reduce-scatter operations at scale
 *   (2025), arXiv 2506.20252. */
#include "algorithm/call.h"
#include "algorithm/displs.h"
#include "algorithm/estimate.h"
#include "algorithm/exchange/accumulator.h"

enum { MOST_ROUNDS = 32 };

/* The blocks of each message, the same on all ranks. Slots hold the blocks of the ranks that are
 * `behind` before the own one. In the round of `skip` the blocks of slots [low, low + sent) go to
 * the rank that many further, where they are slots [into, into + sent). */
struct round {
    int skip, low, sent, into;
};

struct pat {
    const struct summand__call *call;
    int rounds, home; /* home: the slot of the own block */
    struct round round[MOST_ROUNDS];
};

/* The blocks at multiples of 2 skip go on to those between, but for the last of them where that is
 * p or more. It is the last slot: what comes lies behind it, or in front of all where it is left
 * out and stays the last. */
static struct pat pat_of(const struct summand__call *call)
{
    struct pat pat = {.call = call};
    int ranks = call->ranks, skip = 1, low = 0, high = 1, before = 0;
    while (skip < ranks)
        skip *= 2;
    for (skip /= 2; skip >= 1; skip /= 2) {
        int have = high - low, all = (ranks - 1) / skip + 1;
        struct round *round = &pat.round[pat.rounds++];
        *round = (struct round){.skip = skip, .low = low, .sent = all - have};
        if (round->sent == have) {
            round->into = high;
            high += have;
        } else {
            low -= round->sent;
            round->into = low;
        }
    }
    before = -low;
    pat.home = before;
    for (int i = 0; i < pat.rounds; i++) {
        pat.round[i].low += before;
        pat.round[i].into += before;
    }
    return pat;
}

/* The first element of each slot of a rank, and the ranks of the blocks. */
struct slots {
    struct summand__displs at, owner;
};

static bool open_slots(const struct pat *pat, int rank, struct slots *slots)
{
    int ranks = pat->call->ranks;
    summand__displs_open(&slots->at, ranks);
    summand__displs_open(&slots->owner, ranks);
    if (!slots->at.at || !slots->owner.at)
        return false;
    slots->owner.at[pat->home] = (size_t)rank;
    for (int i = 0; i < pat->rounds; i++) {
        const struct round *round = &pat->round[i];
        for (int s = 0; s < round->sent; s++) {
            size_t from = slots->owner.at[round->low + s] + (size_t)(ranks - round->skip);
            slots->owner.at[round->into + s] = from % (size_t)ranks;
        }
    }
    slots->at.at[0] = 0;
    for (int s = 0; s < ranks; s++)
        slots->at.at[s + 1] =
            slots->at.at[s] + summand__call_slice(pat->call, (int)slots->owner.at[s]).count;
    return true;
}

static void close_slots(struct slots *slots)
{
    summand__displs_close(&slots->at);
    summand__displs_close(&slots->owner);
}

static struct summand__region region_of(const struct slots *slots, size_t base, int first,
                                        int count)
{
    size_t low = slots->at.at[first];
    return summand__region(SUMMAND__SCRATCH, base + low, slots->at.at[first + count] - low);
}

static void reorder(const struct pat *pat, const struct slots *slots,
                    struct summand__region straight, bool back, int but,
                    struct summand__schedule *schedule)
{
    for (int s = 0; s < pat->call->ranks; s++) {
        struct summand__block block = summand__call_slice(pat->call, (int)slots->owner.at[s]);
        struct summand__region a = summand__part(straight, block.first, block.count);
        struct summand__region b = region_of(slots, 0, s, 1);
        if (s != but)
            summand__copy(schedule, back ? b : a, back ? a : b);
    }
    summand__round(schedule);
}

static int around(const struct summand__call *call, int distance)
{
    return (call->rank + distance + call->ranks) % call->ranks;
}

static void reduce_phase(const struct pat *pat, const struct slots *slots,
                         struct summand__schedule *schedule)
{
    size_t spare = summand__call_total(pat->call);
    for (int i = pat->rounds - 1; i >= 0; i--) {
        const struct round *round = &pat->round[i];
        summand__send(schedule, around(pat->call, -round->skip),
                      region_of(slots, 0, round->into, round->sent));
        summand__recv(schedule, around(pat->call, round->skip),
                      region_of(slots, spare, round->low, round->sent));
        summand__round(schedule);
        summand__reduce(schedule, region_of(slots, spare, round->low, round->sent),
                        region_of(slots, 0, round->low, round->sent));
        summand__round(schedule);
    }
}

static void gather_phase(const struct pat *pat, const struct slots *slots,
                         struct summand__schedule *schedule)
{
    for (int i = 0; i < pat->rounds; i++) {
        const struct round *round = &pat->round[i];
        summand__send(schedule, around(pat->call, round->skip),
                      region_of(slots, 0, round->low, round->sent));
        summand__recv(schedule, around(pat->call, -round->skip),
                      region_of(slots, 0, round->into, round->sent));
        summand__round(schedule);
    }
}

static void build(const struct summand__algorithm *algorithm, const struct summand__call *call,
                  struct summand__schedule *schedule)
{
    (void)algorithm;
    struct pat pat = pat_of(call);
    struct slots slots;
    bool scatters = summand__has_operator(call->collective);
    bool gathers = !scatters || call->collective == SUMMAND__COLL_ALLREDUCE;
    if (!open_slots(&pat, call->rank, &slots)) {
        schedule->failed = true;
    } else if (scatters) {
        reorder(&pat, &slots, summand__call_input(call), false, -1, schedule);
        reduce_phase(&pat, &slots, schedule);
    } else {
        summand__copy(schedule, summand__call_input(call), region_of(&slots, 0, pat.home, 1));
        summand__round(schedule);
    }
    if (slots.at.at && slots.owner.at && gathers) {
        gather_phase(&pat, &slots, schedule);
        bool there = call->in_place && !scatters;
        reorder(&pat, &slots, summand__call_output(call), true, there ? pat.home : -1, schedule);
    } else if (slots.at.at && slots.owner.at) {
        summand__copy(schedule, region_of(&slots, 0, pat.home, 1), summand__call_output(call));
    }
    close_slots(&slots);
}

/* The number of messages of a round, over all ranks, whose blocks are all empty. A message has the
 * blocks of every second skip behind a rank, so they are found by walking round all ranks by that
 * step. */
static size_t empty_messages(const struct summand__call *call, const struct round *round)
{
    int ranks = call->ranks, step = 2 * round->skip % ranks;
    size_t empty = 0;
    for (int first = 0, seen = 0; seen < ranks; first++) {
        int length = 0, run = 0, rank = first;
        do {
            length++;
            rank = (rank + step) % ranks;
        } while (rank != first);
        for (int i = 0; i < 2 * length; i++, rank = (rank + step) % ranks) {
            run = summand__call_slice(call, rank).count ? 0 : run + 1;
            empty += i >= length && run >= round->sent;
        }
        seen += length;
    }
    return empty;
}

static struct summand__cost cost(const struct summand__algorithm *algorithm,
                                 const struct summand__call *call, bool depth)
{
    (void)algorithm;
    (void)depth;
    struct pat pat = pat_of(call);
    size_t phases = call->collective == SUMMAND__COLL_ALLREDUCE ? 2 : 1;
    size_t ranks = (size_t)call->ranks, messages = (size_t)pat.rounds * ranks;
    bool full = summand__call_slices(call) == ranks;
    for (int i = 0; i < pat.rounds && !full; i++)
        messages -= empty_messages(call, &pat.round[i]);
    return (struct summand__cost){
        .messages = phases * messages,
        .elements = phases * (ranks - 1) * summand__call_total(call),
        .depth = phases * (size_t)pat.rounds,
        .depth_at_most = !full,
    };
}

/* The number of node borders on the busiest path of `length` ranks, if it begins with one; the last
 * rank's neighbour is the first one. */
static int borders_on(const struct summand__call *call, int node, int length)
{
    const struct summand__grouping *grouping = call->uneven;
    int nodes = grouping ? grouping->groups : (call->ranks - 1) / node + 1, most = 0;
    int first = grouping || nodes < 2 ? 0 : nodes - 2; /* the last one may be the smallest */
    for (int n = first; n < nodes; n++) {
        int borders = 1, left = length - 1;
        for (int next = (n + 1) % nodes; left >= 0 && next != n; next = (next + 1) % nodes) {
            int last = call->ranks - (nodes - 1) * node;
            left -= grouping ? summand__group_size(grouping, next) : next < nodes - 1 ? node : last;
            borders += left >= 0;
        }
        most = borders > most ? borders : most;
    }
    return most;
}

/* The near rounds together reach over less than a node or two, or a switch: of the messages that
 * wait for one another few leave it, but those that leave a node share its card in each of them. */
static double estimate(const struct summand__algorithm *algorithm, const struct summand__call *call,
                       size_t element, const struct summand__model *model)
{
    (void)algorithm;
    struct pat pat = pat_of(call);
    const struct summand__level *level = model->level;
    bool scatters = summand__has_operator(call->collective);
    double phases = call->collective == SUMMAND__COLL_ALLREDUCE ? 2 : 1, time = 0;
    double bytes = (double)(summand__call_total(call) * element);
    int node = (int)model->per_node, near = 0, length = 0;
    double farther = level[SUMMAND__NETWORK].latency - level[SUMMAND__WITHIN_NODE].latency;
    for (int i = 0; i < pat.rounds; i++) {
        double sent = bytes * pat.round[i].sent / call->ranks;
        int skip = pat.round[i].skip, reach = skip < node ? node : skip;
        struct summand__encounter encounter = {
            .ranks = call->ranks,
            .span = skip == 1 || reach >= call->ranks ? call->ranks : reach + 1,
            .distance = skip,
            .partners = 1,
            .bytes = sent};
        time += phases * summand__encounter_time(model, &encounter);
        time += scatters * sent * model->reduce_byte;
        if (skip < node && node < call->ranks)
            near++, length += skip;
    }
    int inside = near > 1 ? near - borders_on(call, node, length) : 0;
    if (inside > 0)
        time -= inside * phases * farther;
    return time + phases * bytes * model->copy_byte;
}

const struct summand__algorithm summand__pat = {
    .name = "pat",
    .description = "parallel aversed trees: ceil(log2 p) rounds, long messages between near ranks",
    .source = "Jeaugey (2025)",
    .promises = SUMMAND__SAME_BITS,
    .build = {[SUMMAND__COLL_ALLREDUCE] = build, SUMMAND__BLOCKS(build)},
    .cost = cost,
    .estimate = estimate,
};
