/* SPDX-License-Identifier: BSD-3-Clause */
/* Collectives through one tree: the part that all shapes share. */
#include "algorithm/tree/pipe.h"

#include "algorithm/hierarchical/node.h"

/* The part in which an all-reduce meets: the middle of `parts` for shapes with two sides. */
static int meeting_part(const struct summand__tree_shape *shape, int parts)
{
    return shape->two_sided ? parts / 2 : 0;
}

static bool has_meeting(const struct summand__call *call)
{
    return call->collective == SUMMAND__COLL_ALLREDUCE;
}

struct summand__tree summand__tree_of(const struct summand__call *call,
                                      const struct summand__tree_shape *shape,
                                      const struct summand__tree_shape *inside)
{
    if (!inside)
        return (struct summand__tree){.shape = shape,
                                      .radix = (int)call->parameter[SUMMAND__RADIX],
                                      .ranks = call->ranks,
                                      .root = has_meeting(call) ? meeting_part(shape, call->ranks)
                                                                : call->root};
    struct summand__node_view view = summand__node_of(call, 0);
    int meeting = summand__node_first(call, meeting_part(shape, view.nodes));
    return (struct summand__tree){.shape = shape,
                                  .radix = (int)call->parameter[SUMMAND__INTER_NODE_RADIX],
                                  .ranks = call->ranks,
                                  .root = has_meeting(call) ? meeting : call->root,
                                  .machine = view.full,
                                  .grouping = summand__node_borders(call),
                                  .inside = inside,
                                  .inside_radix = (int)call->parameter[SUMMAND__RADIX]};
}

static struct summand__pipe pipe_of(const struct summand__call *call,
                                    const struct summand__tree *tree)
{
    struct summand__pipe pipe = {.tree = *tree, .partner = -1, .count = call->count};
    if (call->collective == SUMMAND__COLL_ALLREDUCE &&
        summand__segments(call->count, call->parameter[SUMMAND__SEGMENT]) > 1)
        pipe.height = summand__tree_height(tree);
    return pipe;
}

static struct summand__tree own_tree(const struct summand__algorithm *algorithm,
                                     const struct summand__call *call)
{
    return summand__tree_of(call, algorithm->tree.shape, algorithm->tree.inside);
}

void summand__tree_build(const struct summand__algorithm *algorithm,
                         const struct summand__call *call, struct summand__schedule *schedule)
{
    struct summand__tree tree = own_tree(algorithm, call);
    struct summand__pipe pipe = pipe_of(call, &tree);
    summand__pipes_build(call, &pipe, 1, call->parameter[SUMMAND__SEGMENT], schedule);
}

static size_t depth_of(const struct summand__tree *tree, size_t segments, bool up, bool down)
{
    size_t height = (size_t)summand__tree_height(tree);
    if (segments > 1)
        return height * (size_t)(up + down) + (segments - 1) / SUMMAND__UNDER_WAY;
    return (up ? (size_t)summand__tree_rounds(tree) : 0) + (down ? height : 0);
}

struct summand__cost summand__tree_cost(const struct summand__algorithm *algorithm,
                                        const struct summand__call *call, bool depth)
{
    struct summand__tree tree = own_tree(algorithm, call);
    size_t edges = (size_t)call->ranks - 1;
    size_t segments = summand__segments(call->count, call->parameter[SUMMAND__SEGMENT]);
    if (!segments || !edges)
        return (struct summand__cost){0};
    bool up = call->collective != SUMMAND__COLL_BCAST;
    bool down = call->collective != SUMMAND__COLL_REDUCE;
    struct summand__cost cost = {.messages = edges * segments * (size_t)(up + down),
                                 .elements = edges * call->count * (size_t)(up + down)};
    if (segments == 1 && down && summand__tree_is_star(&tree)) {
        cost.repeats = edges - 1;
        cost.repeated = cost.repeats * call->count;
    }
    if (depth)
        cost.depth = depth_of(&tree, segments, up, down);
    return cost;
}
