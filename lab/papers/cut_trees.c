/* SPDX-License-Identifier: BSD-3-Clause */
/* Complete trees in pre-order of which the highest ranks are cut off.
 *
 * What: the least complete binary, Fibonacci or binomial tree that has so many ranks. A rank's
 *   first child is the next rank; ranks beyond the last one are missing, with all below them. The
 *   library's trees share out the ranks below each rank instead.
 * Cost: that of the complete tree, unless the whole last subtree of the root is missing.
 * Restrictions: reduce to rank 0, as in the report's programs.
 * Source: Winklehner, Friedl, Reduction trees for MPI Reductions (2016), appendix. */
#include "algorithm/tree/pipe.h"

/* A complete subtree of 1 + near + far ranks. */
struct complete {
    long long near, far;
};

/* The report's `max_nodes`: all subtrees of a level have the same size. */
static struct complete binary_of(int ranks)
{
    long long size = 1;
    while (size < ranks)
        size = 2 * size + 1;
    return (struct complete){size / 2, size / 2};
}

static struct complete binary_below(struct complete above, bool far)
{
    (void)far;
    const long long half = above.near ? (above.near - 1) / 2 : 0;
    return (struct complete){half, half};
}

/* The report's `left` - 1 and `right` - 1: the far subtree, which comes later, is the larger one.
 */
static struct complete fibonacci_of(int ranks)
{
    int rounds = 0;
    while (summand__fibonacci_size(rounds) < ranks)
        rounds++;
    return (struct complete){summand__fibonacci_size(rounds - 2),
                             rounds ? summand__fibonacci_size(rounds - 1) : 0};
}

static struct complete fibonacci_below(struct complete above, bool far)
{
    return fibonacci_of((int)(far ? above.far : above.near));
}

struct kind {
    struct complete (*of)(int ranks);
    struct complete (*below)(struct complete above, bool far);
};

/* Descends to the head as the report's programs do. */
static bool child_of(const struct kind *kind, const struct summand__tree *tree,
                     const struct summand__subtree *node, int index, struct summand__subtree *child)
{
    long long at = 0;
    struct complete here = kind->of(tree->ranks);
    while (at != node->head) {
        const bool far = node->head > at + here.near;
        at += far ? here.near + 1 : 1;
        here = kind->below(here, far);
    }
    const bool far = index || !here.near; /* a far subtree without a near one is the first */
    const long long low = far ? at + here.near + 1 : at + 1;
    const long long size = far ? here.far : here.near, left = tree->ranks - low;
    if (index > (here.near > 0) || size <= 0 || left <= 0)
        return false;
    *child = (struct summand__subtree){(int)low, (int)(low + (size < left ? size : left)), (int)low,
                                       index};
    return true;
}

static bool binary_child(const struct summand__tree *tree, const struct summand__subtree *node,
                         int index, struct summand__subtree *child)
{
    static const struct kind kind = {binary_of, binary_below};
    return child_of(&kind, tree, node, index, child);
}

static bool fibonacci_child(const struct summand__tree *tree, const struct summand__subtree *node,
                            int index, struct summand__subtree *child)
{
    static const struct kind kind = {fibonacci_of, fibonacci_below};
    return child_of(&kind, tree, node, index, child);
}

static bool binomial_child(const struct summand__tree *tree, const struct summand__subtree *node,
                           int index, struct summand__subtree *child)
{
    const long long size = 1LL << index, low = node->head + size, end = low + size;
    if (index > 30 || low >= tree->ranks || node->head % (2 * size))
        return false;
    *child = (struct summand__subtree){(int)low, (int)(end < tree->ranks ? end : tree->ranks),
                                       (int)low, index};
    return true;
}

static const struct summand__tree_shape binary_shape = {.child = binary_child},
                                        fibonacci_shape = {.child = fibonacci_child},
                                        binomial_shape = {.child = binomial_child};

static bool applicable(const struct summand__call *call)
{
    return !call->root;
}

#define CUT(word, what, its_shape)                                                                 \
    {                                                                                              \
        .name = word, .description = what " of which the highest ranks are cut off",               \
        .source = "Winklehner, Friedl (2016)",                                                     \
        .promises = SUMMAND__RANK_ORDER | SUMMAND__SAME_BITS,                                      \
        .limits = {[SUMMAND__SEGMENT] = {1, SIZE_MAX, 0}}, .applicable = applicable,               \
        .build = {[SUMMAND__COLL_REDUCE] = summand__tree_build}, .cost = summand__tree_cost,       \
        .tree = {                                                                                  \
            .shape = &its_shape                                                                    \
        }                                                                                          \
    }

const struct summand__algorithm summand__binary_cut =
    CUT("binary-cut", "complete binary tree", binary_shape);
const struct summand__algorithm summand__fibonacci_cut =
    CUT("fibonacci-cut", "complete Fibonacci tree", fibonacci_shape);
const struct summand__algorithm summand__binomial_cut =
    CUT("binomial-cut", "complete binomial tree", binomial_shape);
