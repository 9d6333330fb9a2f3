/* Binomial trees in rank order, any root, any rank count.
 *
 * What: every range of ranks is halved; each half is reduced to one of its ranks (the root where it
 *   contains it, else its lowest), and the other half's rank sends to it. For powers of two and root
 *   0 this is the classic binomial tree; for other roots the tree is re-rooted, not the ranks rotated,
 *   so operands stay in rank order and nothing is forwarded at the end.
 * When: short messages.
 * Cost: ceil(log2 p) (alpha + m beta + m gamma); p - 1 messages of m.
 * Restrictions: none.
 * Source: folklore; the halving that keeps order for any p: shape/halving.h. */
#include "reduce/algorithm.h"
#include "reduce/running.h"
#include "shape/halving.h"

/* The rank that holds the value of [low, high). */
static int leader(int low, int high, int root)
{
    return root >= low && root < high ? root : low;
}

/* The part of a rank's path on which it is the leader: path[top..length). The split above `top`, if
 * any, is the one where the rank talks to the other half's leader, who leads both. */
static int lead_from(const struct summand__call *call, const struct summand__split *path,
                     int length)
{
    int top = length;
    while (top > 0 && leader(path[top - 1].low, path[top - 1].high, call->root) == call->rank)
        top--;
    return top;
}

/* The leader of the half of `split` that the rank is not in. */
static int partner(const struct summand__call *call, struct summand__split split)
{
    return call->rank < split.middle ? leader(split.middle, split.high, call->root)
                                     : leader(split.low, split.middle, call->root);
}

static int count_moves(const struct summand__call *call, const struct summand__split *path, int top,
                       int length)
{
    int moves = 0;
    for (int i = length - 1; i >= top; i--)
        if (call->rank < path[i].middle || i == length - 1)
            moves++;
    return moves;
}

static void build_reduce(const struct summand__call *call, struct summand__schedule *schedule)
{
    struct summand__split path[SUMMAND__HALVING_MOST];
    int length = summand__halving_path(call->ranks, call->rank, path);
    int top = lead_from(call, path, length);
    bool root = call->rank == call->root;
    struct summand__running running =
        summand__running_start(call, root, count_moves(call, path, top, length));
    for (int i = length - 1; i >= top; i--) {
        bool higher = call->rank < path[i].middle;
        summand__running_recv(&running, schedule, partner(call, path[i]), higher);
        summand__running_fold(&running, schedule, higher);
    }
    if (root)
        summand__running_finish(&running, schedule);
    else
        summand__send(schedule, partner(call, path[top - 1]), running.value);
}

static void build_bcast(const struct summand__call *call, struct summand__schedule *schedule)
{
    struct summand__split path[SUMMAND__HALVING_MOST];
    int length = summand__halving_path(call->ranks, call->rank, path);
    int top = lead_from(call, path, length);
    struct summand__region all = summand__region(SUMMAND__RECVBUF, 0, call->count);
    if (call->rank != call->root) {
        summand__recv(schedule, partner(call, path[top - 1]), all);
        summand__round(schedule);
    }
    for (int i = top; i < length; i++)
        summand__send(schedule, partner(call, path[i]), all);
}

/* A broadcast's sends of one rank leave together, so its longest chain is shorter than the height
 * where the root hands the larger half to itself: floor(log2 of each half it hands over) + 1. */
static size_t bcast_depth(const struct summand__call *call)
{
    struct summand__split path[SUMMAND__HALVING_MOST];
    int length = summand__halving_path(call->ranks, call->root, path);
    size_t depth = 0;
    for (int i = 0; i < length; i++) {
        int other = call->root < path[i].middle ? path[i].high - path[i].middle
                                                : path[i].middle - path[i].low;
        size_t chain = 1;
        while (other /= 2)
            chain++;
        if (chain > depth)
            depth = chain;
    }
    return depth;
}

static struct summand__cost cost(const struct summand__call *call)
{
    if (!call->count)
        return (struct summand__cost){0};
    size_t messages = (size_t)call->ranks - 1;
    return (struct summand__cost){
        .messages = messages,
        .elements = messages * call->count,
        .depth = call->collective == SUMMAND__COLL_BCAST
                     ? bcast_depth(call)
                     : (size_t)summand__halving_height(call->ranks),
    };
}

const struct summand__algorithm summand__binomial = {
    .name = "binomial",
    .description = "binomial tree in rank order, re-rooted for any root",
    .source = "folklore; halving for any rank count",
    .promises = SUMMAND__RANK_ORDER | SUMMAND__SAME_BITS | SUMMAND__CANONICAL,
    .build = {[SUMMAND__COLL_REDUCE] = build_reduce, [SUMMAND__COLL_BCAST] = build_bcast},
    .cost = cost,
};
