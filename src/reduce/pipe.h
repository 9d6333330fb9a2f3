/* The one engine under all trees: a vector, or a part of it, flows up a tree to its root, down from
 * it, or both, whole or in segments.
 *
 * In segments, time is counted in slots that all ranks share: an edge at depth d carries segment s
 * up in slot s + height - d and down in slot s + height + d - 1 (two roots that exchange take one
 * slot more in between). A rank's round is one slot, so pipes over the same ranks - two trees, up
 * and down - interleave without waiting in a circle. Within a slot a rank receives the next segment
 * of its children while it sends the last one; it combines between slots.
 *
 * Whole vectors are received group by group (shape/tree.h), for trees whose subtrees are done one
 * after another. */
#ifndef SUMMAND_REDUCE_PIPE_H
#define SUMMAND_REDUCE_PIPE_H

#include "reduce/call.h"
#include "shape/tree.h"

struct summand__pipe {
    struct summand__tree tree; /* over ranks base, base + 1, ... of the call */
    int base;
    int partner;         /* the root of another tree with which this tree's root exchanges, or -1 */
    int height;          /* of the tree, or of the higher one of two that exchange; read where
                            both directions or several pipes are in use */
    size_t first, count; /* elements of the vector */
};

/* Appends this rank's part in a reduce, bcast or allreduce through the pipes, by segments of
 * `segment` elements (0: whole). The rank is in each pipe. */
void summand__pipes_build(const struct summand__call *call, const struct summand__pipe *pipes,
                          int count, size_t segment, struct summand__schedule *schedule);

/* How many segments `count` elements make. */
size_t summand__segments(size_t count, size_t segment);

/* The tree of a collective: rooted at call->root; all-reduce at a root of the shape's choice. */
struct summand__tree summand__tree_of(const struct summand__call *call,
                                      enum summand__tree_shape shape);
/* The same on two levels: nodes of the call's size, its radices inside and between them. */
struct summand__tree summand__node_tree_of(const struct summand__call *call,
                                           enum summand__tree_shape between,
                                           enum summand__tree_shape inside);

/* Reduce, bcast or allreduce through one such tree, by the call's segments. */
void summand__tree_build(const struct summand__call *call, const struct summand__tree *tree,
                         struct summand__schedule *schedule);
struct summand__cost summand__tree_cost(const struct summand__call *call,
                                        const struct summand__tree *tree);

#endif
