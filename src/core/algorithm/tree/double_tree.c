/* SPDX-License-Identifier: BSD-3-Clause */
#include "algorithm/tree/double_tree.h"

#include "algorithm/estimate.h"

struct double_tree {
    struct summand__pipe pipe[2];
    size_t segment;
};

static struct double_tree double_tree_of(const struct summand__algorithm *algorithm,
                                         const struct summand__call *call)
{
    struct double_tree double_tree = {.segment = call->parameter[SUMMAND__SEGMENT]};
    size_t half = call->count - call->count / 2;
    for (int i = 0; i < 2; i++) {
        const struct summand__tree_shape *shape =
            i ? algorithm->tree.second : algorithm->tree.shape;
        struct summand__pipe *pipe = &double_tree.pipe[i];
        *pipe = (struct summand__pipe){
            .partner = -1, .first = i ? half : 0, .count = i ? call->count - half : half};
        pipe->tree = summand__tree_of(call, shape, algorithm->tree.inside);
    }
    return double_tree;
}

/* Finding the heights takes as long as all else. */
static void measure(struct double_tree *double_tree)
{
    for (int i = 0; i < 2; i++)
        double_tree->pipe[i].height = summand__tree_height(&double_tree->pipe[i].tree);
}

void summand__double_tree_build(const struct summand__algorithm *algorithm,
                                const struct summand__call *call,
                                struct summand__schedule *schedule)
{
    struct double_tree double_tree = double_tree_of(algorithm, call);
    measure(&double_tree);
    summand__pipes_build(call, double_tree.pipe, 2, double_tree.segment, schedule);
}

/* The second tree may be one higher than the first, but never has more segments. */
struct summand__cost summand__double_tree_cost(const struct summand__algorithm *algorithm,
                                               const struct summand__call *call, bool depth)
{
    struct double_tree double_tree = double_tree_of(algorithm, call);
    if (depth)
        measure(&double_tree);
    size_t edges = (size_t)call->ranks - 1, segments = 0, deepest = 0;
    size_t ways = call->collective == SUMMAND__COLL_ALLREDUCE ? 2 : 1;
    for (int i = 0; i < 2; i++) {
        size_t own = summand__segments(double_tree.pipe[i].count, double_tree.segment);
        size_t chain =
            own ? ways * (size_t)double_tree.pipe[i].height + (own - 1) / SUMMAND__UNDER_WAY : 0;
        deepest = chain > deepest ? chain : deepest;
        segments += own;
    }
    if (!edges || !segments)
        return (struct summand__cost){0};
    return (struct summand__cost){.messages = edges * segments * ways,
                                  .elements = edges * call->count * ways,
                                  .depth = depth ? deepest : 0};
}

/* Subtrees have 2^k - 1 ranks. Where nodes have another size than a power of two, and trees do not
 * see them, borders cut subtrees on all levels: 4 to 12 nodes of 3, 6, 9 and 12 ranks take 1.2 to
 * 1.9 times as long on the play. */
static double torn(const struct summand__algorithm *algorithm, const struct summand__call *call,
                   const struct summand__model *model)
{
    int node = (int)model->per_node;
    bool cut = !algorithm->tree.inside && node < call->ranks && node & (node - 1);
    return cut && model->shared_card > 0 ? 1.6 : 1;
}

double summand__double_tree_estimate(const struct summand__algorithm *algorithm,
                                     const struct summand__call *call, size_t element,
                                     const struct summand__model *model)
{
    struct double_tree double_tree = double_tree_of(algorithm, call);
    double_tree.pipe[1].tree.grouping = call->uneven;
    struct summand__stream stream = {.tree = &double_tree.pipe[1].tree, .trees = 2};
    double time =
        summand__stream_estimate(call, double_tree.pipe[0].count, element, model, &stream);
    return time * torn(algorithm, call, model);
}
