/* SPDX-License-Identifier: BSD-3-Clause */
/* The one engine under all trees: a vector, or a part of it, flows up a tree to its root, down from
 * it, or both, whole or in segments.
 *
 * In segments, time is counted in slots that all ranks share: segment s begins to cross an edge at
 * depth d upwards in slot s + 3 (height - d), downwards in slot s + 3 (height + d - 1) (two roots
 * that exchange do so in between), and has crossed it at the end of the slot after the next. Three
 * segments are under way on each edge, so that a slot takes the latency only if a third of it is
 * more than what the busiest processor or card does for a segment. Pipes over the same ranks (two
 * trees, up and down) interleave without deadlock, because a slot waits only for events of the same
 * slot or before. A rank combines between slots.
 *
 * Whole vectors are received group by group (shape/tree.h), for trees whose subtrees are done one
 * after another. */
#pragma once

#include "algorithm/call.h"
#include "shape/tree.h"

/* Segments in flight between two ranks. */
enum { SUMMAND__UNDER_WAY = 3 };

struct summand__pipe {
    struct summand__tree tree; /* over ranks base, base + 1, ... of the call */
    int base;
    int partner; /* the root of another tree with which this tree's root exchanges, or -1 */
    int height;  /* of the tree, or of the higher one of two that exchange; read only with both
                    directions or several pipes */
    size_t first, count; /* elements of the vector */
};

/* Appends this rank's part in a reduce, bcast or allreduce through the pipes, by segments of
 * `segment` elements (0: whole). The rank is in each pipe. */
void summand__pipes_build(const struct summand__call *call, const struct summand__pipe *pipes,
                          int count, size_t segment, struct summand__schedule *schedule);

/* The number of segments of `count` elements. */
size_t summand__segments(size_t count, size_t segment);

/* The tree of a collective: rooted at call->root; all-reduce at a root of the shape's choice. With
 * `inside` on two levels: nodes of the call's size, its radices inside and between them. */
struct summand__tree summand__tree_of(const struct summand__call *call,
                                      const struct summand__tree_shape *shape,
                                      const struct summand__tree_shape *inside);

/* Functions of a row: reduce, bcast or allreduce through the one tree of its shapes, by the call's
 * segments. The estimate needs shapes with steps (shape/tree.h). */
void summand__tree_build(const struct summand__algorithm *algorithm,
                         const struct summand__call *call, struct summand__schedule *schedule);
struct summand__cost summand__tree_cost(const struct summand__algorithm *algorithm,
                                        const struct summand__call *call, bool depth);
double summand__tree_estimate(const struct summand__algorithm *algorithm,
                              const struct summand__call *call, size_t element,
                              const struct summand__model *model);
