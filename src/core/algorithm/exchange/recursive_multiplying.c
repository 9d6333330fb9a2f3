/* SPDX-License-Identifier: BSD-3-Clause */
/* Recursive multiplying: exchanges of whole vectors among `radix` ranks at a time, in rank order,
 * any rank count, without folding; on two levels.
 *
 * What: a range of nodes is cut into `between` nearly equal parts, down to single nodes, a node
 *   into `radix` parts, down to single ranks; going up, every rank sends its part's value to its
 *   opposites in all other parts and combines the values of all parts from right to left. If a part
 *   has more ranks than another, the other's ranks send to several in turn.
 * When: short messages if a rank can send and receive several messages at a time. Parts end at node
 *   borders, so the radices can fit the latencies: 4 x 4 inside nodes of 16, 6 x 6 between 36.
 * Cost: all-reduce, for nodes of q ranks: ceil(log_k q) (alpha_node + (k-1) m (beta + gamma)) +
 *   ceil(log_b p/q) (alpha_net + (b-1) m (beta + gamma)); all q ranks of a node share its card.
 * Restrictions: nodes of any sizes and order (regroup.h); where rank order counts, a run of
 *   consecutive ranks of a node counts as a node. Scratch of 2 (k - 1) vectors.
 * Source: folklore; MPICH's recursive multiplying for powers of k, here for any p, in rank order
 *   and with radices of their own for nodes. */
#include <limits.h>

#include "algorithm/call.h"
#include "algorithm/estimate.h"
#include "algorithm/hierarchical/node.h"
#include "shape/layers.h"

enum { MOST_LEVELS = 64 };

/* A range between all ranks and one, cut into parts of whole units (nodes or ranks), and the part
 * of the rank. */
struct level {
    int low, high, unit, parts, part;
    const struct summand__grouping *grouping; /* units are its groups; NULL: of `unit` ranks each */
};

static int units_of(const struct level *level)
{
    if (level->grouping)
        return summand__group_at(level->grouping, level->high - 1) -
               summand__group_at(level->grouping, level->low) + 1;
    return (level->high - level->low - 1) / level->unit + 1;
}

static int cut(const struct level *level, int part)
{
    int units = units_of(level);
    if (level->grouping)
        return summand__group_first(level->grouping,
                                    summand__group_at(level->grouping, level->low) +
                                        (int)((long long)units * part / level->parts));
    long long first = level->low + (long long)units * part / level->parts * level->unit;
    return first < level->high ? (int)first : level->high;
}

static int node_of(const struct summand__call *call)
{
    size_t node = call->parameter[SUMMAND__NODE_SIZE];
    return node < (size_t)call->ranks ? (int)node : call->ranks;
}

/* A range of several nodes, or of ranks of one. */
static struct level level_of(const struct summand__call *call, int low, int high)
{
    int node = node_of(call);
    bool between = summand__node_borders(call) ? summand__group_at(call->grouping, low) !=
                                                     summand__group_at(call->grouping, high - 1)
                                               : high - low > node;
    int radix = (int)call->parameter[between ? SUMMAND__INTER_NODE_RADIX : SUMMAND__RADIX];
    struct level level = {.low = low,
                          .high = high,
                          .unit = between ? node : 1,
                          .grouping =
                              between && summand__node_borders(call) ? call->grouping : NULL};
    int units = units_of(&level);
    level.parts = radix < units ? radix : units;
    return level;
}

static int levels_of(const struct summand__call *call, int rank, struct level path[MOST_LEVELS])
{
    int length = 0;
    for (int low = 0, high = call->ranks; high - low > 1;) {
        struct level *level = &path[length++];
        *level = level_of(call, low, high);
        while (cut(level, level->part + 1) <= rank)
            level->part++;
        low = cut(level, level->part);
        high = cut(level, level->part + 1);
    }
    return length;
}

static int size_of(const struct level *level, int part)
{
    return cut(level, part + 1) - cut(level, part);
}

/* The region for the operand of `part`: in the bank, or in `last` for the last part. */
static struct summand__region arrival(const struct level *level, int part, size_t bank, size_t n,
                                      const struct summand__region *last)
{
    if (part == level->parts - 1 && last)
        return *last;
    size_t slot = (size_t)(part < level->part ? part : part - 1);
    return summand__region(SUMMAND__SCRATCH, (bank + slot) * n, n);
}

/* A round among all ranks at once. */
static void post_multicast(const struct level *level, int rank, struct summand__region value,
                           size_t bank, const struct summand__region *last,
                           struct summand__schedule *schedule)
{
    for (int i = 1; i < level->parts; i++) {
        int from = (rank + level->parts - i) % level->parts;
        summand__recv_multicast(schedule, from, arrival(level, from, bank, value.count, last));
    }
    for (int i = 1; i < level->parts; i++)
        summand__multicast(schedule, (rank + i) % level->parts, value);
}

/* Each rank begins with the next part, so that messages do not all arrive at one part at a time. */
static void post(const struct level *level, int rank, struct summand__region value, size_t bank,
                 const struct summand__region *last, struct summand__schedule *schedule)
{
    int mine = size_of(level, level->part), index = rank - cut(level, level->part);
    for (int i = 1; i < level->parts; i++) {
        int from = (level->part + level->parts - i) % level->parts;
        int to = (level->part + i) % level->parts, theirs = size_of(level, to);
        summand__recv(schedule, cut(level, from) + index % size_of(level, from),
                      arrival(level, from, bank, value.count, last));
        for (int other = index; other < theirs; other += mine)
            summand__send(schedule, cut(level, to) + other, value);
    }
}

/* From right to left: each step leaves its result in its right operand, so only the last part's
 * value is written. */
static struct summand__region combine(const struct level *level, struct summand__region own,
                                      size_t bank, const struct summand__region *last,
                                      struct summand__schedule *schedule)
{
    int part = level->parts - 1;
    struct summand__region value =
        part == level->part ? own : arrival(level, part, bank, own.count, last);
    for (part--; part >= 0; part--)
        summand__reduce(schedule,
                        part == level->part ? own : arrival(level, part, bank, own.count, last),
                        value);
    return value;
}

static size_t most_operands(const struct summand__call *call)
{
    size_t inside = call->parameter[SUMMAND__RADIX],
           between = call->parameter[SUMMAND__INTER_NODE_RADIX];
    return (inside > between ? inside : between) - 1;
}

/* Scratch: two banks of radix - 1 operands, and a place for the own value if the input must not be
 * written. The last round's value ends in recvbuf if that is free. */
static void build(const struct summand__algorithm *algorithm, const struct summand__call *call,
                  struct summand__schedule *schedule)
{
    (void)algorithm;
    struct level path[MOST_LEVELS];
    int length = levels_of(call, call->rank, path);
    size_t n = call->count, operands = most_operands(call), bank = 0;
    struct summand__region recvbuf = summand__region(SUMMAND__RECVBUF, 0, n);
    struct summand__region value = summand__call_input(call);
    for (int i = length - 1; i >= 0; i--) {
        const struct level *level = &path[i];
        bool last_part = level->part == level->parts - 1;
        bool into = i == 0 && value.place != SUMMAND__RECVBUF && !last_part;
        struct summand__region own = value;
        (level->parts == call->ranks ? post_multicast : post)(level, call->rank, value, bank,
                                                              into ? &recvbuf : NULL, schedule);
        if (last_part &&
            (value.place == SUMMAND__SENDBUF || (value.place == SUMMAND__SCRATCH && i == 0))) {
            own = i == 0 ? recvbuf : summand__region(SUMMAND__SCRATCH, 2 * operands * n, n);
            summand__copy(schedule, value, own);
        }
        summand__round(schedule);
        value = combine(level, own, bank, into ? &recvbuf : NULL, schedule);
        summand__round(schedule);
        if (value.place == SUMMAND__SCRATCH && value.first >= bank * n &&
            value.first < (bank + operands) * n)
            bank = bank ? 0 : operands;
    }
    summand__copy(schedule, value, recvbuf);
}

/* Each rank receives from every other part on each level. */
static size_t messages_within(const struct summand__call *call, int low, int high)
{
    if (high - low <= 1)
        return 0;
    struct level level = level_of(call, low, high);
    size_t messages = (size_t)(high - low) * (size_t)(level.parts - 1);
    for (int part = 0; part < level.parts; part++)
        messages += messages_within(call, cut(&level, part), cut(&level, part + 1));
    return messages;
}

/* The same for nodes of one size, of which the last one may lack ranks. */
static size_t messages_of(const struct summand__call *call)
{
    int node = node_of(call), nodes = (call->ranks - 1) / node + 1, last = 0;
    int inside = (int)call->parameter[SUMMAND__RADIX];
    int between = (int)call->parameter[SUMMAND__INTER_NODE_RADIX];
    size_t missing = (size_t)nodes * (size_t)node - (size_t)call->ranks;
    for (int units = nodes, parts; units > 1; units = (units - 1) / parts + 1) {
        parts = between < units ? between : units;
        last += parts - 1;
    }
    return (size_t)node * summand__layers_meetings(nodes, between) - missing * (size_t)last +
           (size_t)(nodes - 1) * summand__layers_meetings(node, inside) +
           summand__layers_meetings(node - (int)missing, inside);
}

static size_t depth_of(const struct summand__call *call)
{
    int depth = 0;
    for (int rank = 0; rank < call->ranks; rank++) {
        struct level path[MOST_LEVELS];
        int length = levels_of(call, rank, path);
        depth = length > depth ? length : depth;
    }
    return (size_t)depth;
}

static struct summand__cost cost(const struct summand__algorithm *algorithm,
                                 const struct summand__call *call, bool depth)
{
    (void)algorithm;
    if (!call->count)
        return (struct summand__cost){0};
    struct summand__cost cost = {.messages = summand__node_borders(call)
                                                 ? messages_within(call, 0, call->ranks)
                                                 : messages_of(call),
                                 .depth_at_most = summand__node_borders(call)};
    size_t ranks = (size_t)call->ranks;
    cost.elements = cost.messages * call->count;
    cost.depth = depth ? depth_of(call) : 0;
    if (ranks > 1 && cost.messages == ranks * (ranks - 1)) { /* all among all, in one round */
        cost.repeats = cost.messages - (size_t)call->ranks;
        cost.repeated = cost.repeats * call->count;
    }
    return cost;
}

/* Groups [first, first + groups) in so many parts: what a rank of the smallest one sends more than
 * one message to each other part. Goes on to the part of most groups. */
static double narrow_down(const struct summand__grouping *grouping, int parts, int *first,
                          int *groups)
{
    int least = INT_MAX, widest = 0, next = *first;
    parts = parts < *groups ? parts : *groups;
    double more = -parts; /* one to each, and it is one of the parts */
    for (int part = 0; part < parts; part++) {
        int low = *first + (int)((long long)*groups * part / parts);
        int high = *first + (int)((long long)*groups * (part + 1) / parts);
        int size = summand__group_first(grouping, high) - summand__group_first(grouping, low);
        least = size < least ? size : least;
        if (high - low > widest)
            widest = high - low, next = low;
    }
    for (int part = 0; part < parts; part++) {
        int low = *first + (int)((long long)*groups * part / parts);
        int high = *first + (int)((long long)*groups * (part + 1) / parts);
        int size = summand__group_first(grouping, high) - summand__group_first(grouping, low);
        more += (size - 1) / least + 1;
    }
    *first = next;
    *groups = widest;
    return more;
}

/* Rounds of those ranks that have the most of them, or the fewest. */
static int rounds_of(int units, int radix, bool most)
{
    int rounds = 0;
    for (; units > 1; rounds++) {
        int parts = radix < units ? radix : units;
        units = most ? (units - 1) / parts + 1 : units / parts;
    }
    return rounds;
}

static bool is_ragged(int units, int radix)
{
    return rounds_of(units, radix, true) != rounds_of(units, radix, false);
}

/* The part that ends last, in units: the largest, or one of the others if its ranks wait for one
 * another. */
static int last_part(int units, int parts, int radix)
{
    int small = units / parts, large = (units - 1) / parts + 1;
    bool even = !is_ragged(large, radix) || large % radix == 0;
    return is_ragged(small, radix) && even ? small : large;
}

/* Messages that delay a round, besides one to each other part. A rank of a smaller part sends twice
 * to each larger one. On even cards some ranks send early, to ranks that still receive: those whose
 * part is one rank, and those of a ragged part with fewer rounds. The simulation of 3 to 15 ranks
 * agrees. */
static int held_up(int units, int parts, int radix)
{
    int twice = units % parts, early = units / parts == 1 && twice ? parts - 1 : 0;
    int ragged = is_ragged(last_part(units, parts, radix), radix) ? twice + 1 : 0;
    int most = twice > early ? twice : early;
    return most > ragged ? most : ragged;
}

/* Follows the longest path: down to the part that ends last, or to the one with the last switch's
 * border.
 */
static double estimate(const struct summand__algorithm *algorithm, const struct summand__call *call,
                       size_t element, const struct summand__model *model)
{
    (void)algorithm;
    double bytes = (double)(call->count * element), time = 0, late = 0, inside = 0;
    int first = 0, groups = call->uneven ? call->uneven->groups : 0;
    int node = node_of(call), low = 0, border = summand__border(model, call->ranks);
    for (int span = call->ranks, below; span > 1 && call->count; span = below) {
        bool between = span > node;
        int radix = (int)call->parameter[between ? SUMMAND__INTER_NODE_RADIX : SUMMAND__RADIX];
        int unit = between ? node : 1, units = (span - 1) / unit + 1;
        int parts = radix < units ? radix : units;
        below = ((units - 1) / parts + 1) * unit;
        bool early = between && model->fair_card > 0 && bytes <= model->eager;
        double more = early                  ? held_up(units, parts, radix)
                      : model->fair_card > 0 ? units % parts
                                             : 0;
        if (between && call->uneven) /* one after another; the card has no more than others */
            late += narrow_down(call->uneven, parts, &first, &groups) *
                    model->level[SUMMAND__NETWORK].send;
        struct summand__encounter encounter = {.ranks = call->ranks,
                                               .low = low,
                                               .span = span,
                                               .distance = below,
                                               .stride = below,
                                               .partners = parts - 1,
                                               .more = more,
                                               .bytes = bytes};
        double round =
            summand__encounter_time(model, &encounter) + (parts - 1) * bytes * model->reduce_byte;
        time += round;
        inside += between ? 0 : round;
        if (between && model->fair_card > 0)
            below = last_part(units, parts, radix) * unit;
        struct level level = {.low = low, .high = low + span, .unit = unit, .parts = parts};
        while (cut(&level, level.part + 1) < border && level.part < parts - 1)
            level.part++;
        if (low < border && border < low + span && cut(&level, level.part + 1) > border) {
            low = cut(&level, level.part);
            below = cut(&level, level.part + 1) - low;
        }
    }
    return time + (late > inside ? late - inside : 0); /* small nodes begin early */
}

const struct summand__algorithm summand__recursive_multiplying = {
    .name = "recursive-multiplying",
    .description =
        "exchange of whole vectors among radix ranks at a time, on two levels, in rank order",
    .source = "folklore",
    .promises = SUMMAND__RANK_ORDER | SUMMAND__SAME_BITS,
    .limits = {[SUMMAND__NODE_SIZE] = {1, INT_MAX, 1},
               [SUMMAND__RADIX] = {2, 64, 4},
               [SUMMAND__INTER_NODE_RADIX] = {2, 64, 6}},
    .build = {[SUMMAND__COLL_ALLREDUCE] = build},
    .cost = cost,
    .estimate = estimate,
};
