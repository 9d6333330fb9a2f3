#include "reduce/twins.h"

#include "reduce/estimate.h"

struct twins {
    struct summand__pipe pipe[2];
    size_t segment;
};

static struct twins twins_of(const struct summand__call *call, bool nodes)
{
    struct twins twins = {.segment = call->parameter[SUMMAND__SEGMENT]};
    size_t half = call->count - call->count / 2;
    for (int i = 0; i < 2; i++) {
        enum summand__tree_shape shape = i ? SUMMAND__TWIN_SECOND : SUMMAND__TWIN_FIRST;
        struct summand__pipe *pipe = &twins.pipe[i];
        *pipe = (struct summand__pipe){
            .partner = -1, .first = i ? half : 0, .count = i ? call->count - half : half};
        pipe->tree = nodes ? summand__node_tree_of(call, shape, SUMMAND__KARY)
                           : summand__tree_of(call, shape);
    }
    return twins;
}

/* The heights take as long to find as all else. */
static void measure(struct twins *twins)
{
    for (int i = 0; i < 2; i++)
        twins->pipe[i].height = summand__tree_height(&twins->pipe[i].tree);
}

void summand__twins_build(const struct summand__call *call, bool nodes,
                          struct summand__schedule *schedule)
{
    struct twins twins = twins_of(call, nodes);
    measure(&twins);
    summand__pipes_build(call, twins.pipe, 2, twins.segment, schedule);
}

/* The second tree may be one higher than the first, but never has more segments. */
struct summand__cost summand__twins_cost(const struct summand__call *call, bool nodes, bool depth)
{
    struct twins twins = twins_of(call, nodes);
    if (depth)
        measure(&twins);
    size_t edges = (size_t)call->ranks - 1, segments = 0, deepest = 0;
    size_t ways = call->collective == SUMMAND__COLL_ALLREDUCE ? 2 : 1;
    for (int i = 0; i < 2; i++) {
        size_t own = summand__segments(twins.pipe[i].count, twins.segment);
        size_t chain =
            own ? ways * (size_t)twins.pipe[i].height + (own - 1) / SUMMAND__UNDER_WAY : 0;
        deepest = chain > deepest ? chain : deepest;
        segments += own;
    }
    if (!edges || !segments)
        return (struct summand__cost){0};
    return (struct summand__cost){.messages = edges * segments * ways,
                                  .elements = edges * call->count * ways,
                                  .depth = depth ? deepest : 0};
}

double summand__twins_estimate(const struct summand__call *call, bool nodes, size_t element,
                               const struct summand__model *model)
{
    struct twins twins = twins_of(call, nodes);
    struct summand__stream stream = {.tree = &twins.pipe[1].tree, .trees = 2};
    return summand__stream_estimate(call, twins.pipe[0].count, element, model, &stream);
}
