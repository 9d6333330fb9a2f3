/* Two binary trees at once, each for half of the vector, any root.
 *
 * What: in an in-order binary tree every other rank is a leaf. A second tree, numbered one further,
 *   makes those ranks its inner nodes. Half of the vector flows through each, in segments, so every
 *   rank sends and receives all the time; one tree alone leaves half of the ranks' ports idle.
 * When: long vectors.
 * Cost: reduce (h + k - 1) rounds of two segments in and two out, h about log2 p, k segments in
 * half of the vector: m beta + 2 h s beta + (h + k) alpha for a root at an end. All-reduce goes up
 * and down at once. Restrictions: none. Operands stay in rank order; a root that is not an end has
 * two trees on each side and receives 2 m. Source: Sanders, Speck, Traeff, Two-tree algorithms for
 * full bandwidth broadcast, reduction and scan (2009); the numbering with a leaf left out is ours.
 */
#include <stdint.h>

#include "reduce/estimate.h"
#include "reduce/pipe.h"

struct twins {
    struct summand__pipe pipe[2];
    size_t segment;
};

static struct twins twins_of(const struct summand__call *call)
{
    struct twins twins = {.segment = call->parameter[SUMMAND__SEGMENT]};
    size_t half = call->count - call->count / 2;
    int root = call->collective == SUMMAND__COLL_ALLREDUCE ? 0 : call->root;
    for (int i = 0; i < 2; i++) {
        struct summand__pipe *pipe = &twins.pipe[i];
        *pipe = (struct summand__pipe){
            .partner = -1, .first = i ? half : 0, .count = i ? call->count - half : half};
        pipe->tree.shape = i ? SUMMAND__TWIN_SECOND : SUMMAND__TWIN_FIRST;
        pipe->tree.ranks = call->ranks;
        pipe->tree.root = root;
        pipe->height = summand__tree_height(&pipe->tree);
    }
    return twins;
}

static void build(const struct summand__call *call, struct summand__schedule *schedule)
{
    struct twins twins = twins_of(call);
    summand__pipes_build(call, twins.pipe, 2, twins.segment, schedule);
}

/* The second tree may be one higher than the first, but never has more segments. */
static struct summand__cost cost(const struct summand__call *call)
{
    struct twins twins = twins_of(call);
    size_t edges = (size_t)call->ranks - 1, segments = 0, depth = 0;
    size_t ways = call->collective == SUMMAND__COLL_ALLREDUCE ? 2 : 1;
    for (int i = 0; i < 2; i++) {
        size_t own = summand__segments(twins.pipe[i].count, twins.segment);
        size_t chain = own ? ways * (size_t)twins.pipe[i].height + own - 1 : 0;
        depth = chain > depth ? chain : depth;
        segments += own;
    }
    if (!edges || !segments)
        return (struct summand__cost){0};
    return (struct summand__cost){.messages = edges * segments * ways,
                                  .elements = edges * call->count * ways,
                                  .depth = depth};
}

static double estimate(const struct summand__call *call, size_t element,
                       const struct summand__model *model)
{
    size_t half = call->count - call->count / 2;
    size_t segment = call->parameter[SUMMAND__SEGMENT], segments = summand__segments(half, segment);
    struct summand__stream stream = {.shape = SUMMAND__TWIN_SECOND,
                                     .ranks = call->ranks,
                                     .trees = 2,
                                     .up = call->collective != SUMMAND__COLL_BCAST,
                                     .down = call->collective != SUMMAND__COLL_REDUCE,
                                     .segments = segments > 1 ? (double)half / (double)segment : 1,
                                     .segment =
                                         (double)((segments > 1 ? segment : half) * element)};
    return segments && call->ranks > 1 ? summand__stream_time(model, &stream) : 0;
}

const struct summand__algorithm summand__two_tree = {
    .name = "two-tree",
    .description =
        "two binary trees with each half of the vector, leaves of one inner in the other",
    .source = "Sanders, Speck, Traeff (2009)",
    .promises = SUMMAND__RANK_ORDER | SUMMAND__SAME_BITS,
    .limits = {[SUMMAND__SEGMENT] = {1, SIZE_MAX, 0}},
    .build = {[SUMMAND__COLL_REDUCE] = build,
              [SUMMAND__COLL_ALLREDUCE] = build,
              [SUMMAND__COLL_BCAST] = build},
    .cost = cost,
    .estimate = estimate,
};
