/* Recursive multiplying: exchanges of whole vectors among `radix` ranks at a time, in rank order,
 * any rank count, without folding.
 *
 * What: a range of ranks is cut into `radix` nearly equal parts; going up, every rank sends its
 * part's value to its opposites in all other parts and combines the values of all parts from right
 * to left. Where a part has a rank more than another, the other's last rank sends twice. When:
 * short messages where a rank can send and receive several messages at a time. Cost: all-reduce
 * ceil(log_k p) (alpha + (k-1) m (beta + gamma)). Restrictions: scratch of 2 (radix - 1) vectors.
 * Source: folklore; MPICH's recursive multiplying for powers of k, here for any p and in rank
 * order. */
#include "reduce/call.h"
#include "reduce/estimate.h"

enum { MOST_LEVELS = 32 };

/* A range on the way from all ranks down to one, and which of its parts the rank is in. */
struct level {
    int low, high, parts, part;
};

static int cut(const struct level *level, int part)
{
    return level->low + (int)((long long)(level->high - level->low) * part / level->parts);
}

static int levels_of(const struct summand__call *call, int rank, struct level path[MOST_LEVELS])
{
    int radix = (int)call->parameter[SUMMAND__RADIX], length = 0;
    for (int low = 0, high = call->ranks; high - low > 1;) {
        struct level *level = &path[length++];
        *level = (struct level){low, high, radix < high - low ? radix : high - low, 0};
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

/* Where the operand of `part` arrives: in the bank, or the last part's in `last`. */
static struct summand__region arrival(const struct level *level, int part, size_t bank, size_t n,
                                      const struct summand__region *last)
{
    if (part == level->parts - 1 && last)
        return *last;
    size_t slot = (size_t)(part < level->part ? part : part - 1);
    return summand__region(SUMMAND__SCRATCH, (bank + slot) * n, n);
}

static void post(const struct level *level, int rank, struct summand__region value, size_t bank,
                 const struct summand__region *last, struct summand__schedule *schedule)
{
    int mine = size_of(level, level->part), index = rank - cut(level, level->part);
    for (int part = 0; part < level->parts; part++) {
        int theirs = size_of(level, part), first = cut(level, part);
        if (part == level->part)
            continue;
        summand__recv(schedule, first + (index < theirs ? index : theirs - 1),
                      arrival(level, part, bank, value.count, last));
        if (index < theirs)
            summand__send(schedule, first + index, value);
        if (index == mine - 1 && theirs > mine)
            summand__send(schedule, first + mine, value);
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

/* Scratch: two banks of radix - 1 operands, and a place for the own value where the input may not
 * be written. The last round's value ends in recvbuf if that is free. */
static void build(const struct summand__call *call, struct summand__schedule *schedule)
{
    struct level path[MOST_LEVELS];
    int length = levels_of(call, call->rank, path);
    size_t n = call->count, operands = call->parameter[SUMMAND__RADIX] - 1, bank = 0;
    struct summand__region recvbuf = summand__region(SUMMAND__RECVBUF, 0, n);
    struct summand__region value = summand__call_input(call);
    for (int i = length - 1; i >= 0; i--) {
        const struct level *level = &path[i];
        bool last_part = level->part == level->parts - 1;
        bool into = i == 0 && value.place != SUMMAND__RECVBUF && !last_part;
        struct summand__region own = value;
        post(level, call->rank, value, bank, into ? &recvbuf : NULL, schedule);
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
static struct summand__cost cost(const struct summand__call *call)
{
    struct summand__cost cost = {0};
    for (int rank = 0; rank < call->ranks && call->count; rank++) {
        struct level path[MOST_LEVELS];
        int length = levels_of(call, rank, path);
        for (int i = 0; i < length; i++)
            cost.messages += (size_t)path[i].parts - 1;
        if ((size_t)length > cost.depth)
            cost.depth = (size_t)length;
    }
    cost.elements = cost.messages * call->count;
    return cost;
}

static double estimate(const struct summand__call *call, size_t element,
                       const struct summand__model *model)
{
    double bytes = (double)(call->count * element), time = 0;
    int radix = (int)call->parameter[SUMMAND__RADIX];
    for (int span = call->ranks, below; span > 1 && call->count; span = below) {
        int parts = radix < span ? radix : span;
        below = (span - 1) / parts + 1;
        struct summand__encounter encounter = {.ranks = call->ranks,
                                               .span = span,
                                               .distance = below,
                                               .stride = below,
                                               .partners = parts - 1,
                                               .bytes = bytes};
        time +=
            summand__encounter_time(model, &encounter) + (parts - 1) * bytes * model->reduce_byte;
    }
    return time;
}

const struct summand__algorithm summand__recursive_multiplying = {
    .name = "recursive-multiplying",
    .description = "exchange of whole vectors among radix ranks at a time, in rank order",
    .source = "folklore",
    .promises = SUMMAND__RANK_ORDER | SUMMAND__SAME_BITS,
    .limits = {[SUMMAND__RADIX] = {2, 64, 4}},
    .build = {[SUMMAND__COLL_ALLREDUCE] = build},
    .cost = cost,
    .estimate = estimate,
};
