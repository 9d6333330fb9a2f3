/* SPDX-License-Identifier: BSD-3-Clause */
/* Shapes of trees: heights against closed forms, families that agree with one another, the fewest
 * steps of postal trees, and double_tree, in which no rank is an inner node twice. */
#include "algorithm/call.h"
#include "shape/halving.h"
#include "shape/interleave.h"
#include "shape/tree.h"
#include "unit/unit.h"

/* Closed forms that the recursions over shapes must give, root 0. */
TEST(heights)
{
    for (int ranks = 1; ranks <= 1025; ranks++) {
        struct summand__tree tree = {.ranks = ranks, .radix = 2};
        int log = summand__halving_height(ranks), complete = 0, fibonacci = 0;
        while ((2 << complete) - 1 < ranks)
            complete++;
        while (summand__fibonacci_size(fibonacci) < ranks)
            fibonacci++;
        tree.shape = &summand__binomial_shape;
        assert_int_equal(summand__tree_rounds(&tree), log);
        tree.shape = &summand__kary_shape;
        assert_int_equal(summand__tree_height(&tree), complete);
        tree.shape = &summand__fibonacci_shape;
        assert_int_equal(summand__tree_rounds(&tree), fibonacci);
        tree.shape = &summand__chain_shape;
        assert_int_equal(summand__tree_height(&tree), ranks - 1);
        tree.shape = &summand__linear_shape;
        assert_int_equal(summand__tree_rounds(&tree), ranks / 2);
    }
}

/* Every rank is a child of its own parent, and none is deeper than the height. */
static void check_family(const struct summand__tree *tree)
{
    int deepest = 0, children = 0;
    for (int rank = 0; rank < tree->ranks; rank++) {
        struct summand__tree_node node = summand__tree_find(tree, rank);
        struct summand__subtree child;
        assert_int_equal(node.subtree.head, rank);
        deepest = node.depth > deepest ? node.depth : deepest;
        for (int i = 0; summand__tree_child(tree, &node.subtree, i, &child); i++, children++) {
            struct summand__tree_node found = summand__tree_find(tree, child.head);
            assert_int_equal(found.parent, rank);
            assert_int_equal(found.depth, node.depth + 1);
            assert_int_equal(found.subtree.low, child.low);
            assert_int_equal(found.subtree.high, child.high);
        }
    }
    assert_int_equal(children, tree->ranks - 1);
    assert_int_equal(summand__tree_height(tree), deepest);
}

TEST(families)
{
    static const struct summand__tree_shape *const shapes[] = {
        &summand__linear_shape,     &summand__chain_shape,  &summand__binomial_shape,
        &summand__knomial_shape,    &summand__kary_shape,   &summand__in_order_shape,
        &summand__fibonacci_shape,  &summand__postal_shape, &summand__first_tree_shape,
        &summand__second_tree_shape};
    static const struct summand__tree_shape *const inside[] = {&summand__kary_shape,
                                                               &summand__postal_shape};
    for (size_t shape = 0; shape < sizeof shapes / sizeof *shapes; shape++)
        for (int ranks = 1; ranks <= 150; ranks += 1 + ranks / 20)
            for (int machine = 1; machine <= 16; machine += 5)
                for (int some = 0; some < 6; some++) {
                    struct summand__tree tree = {
                        .shape = shapes[shape],
                        .radix = 1 + some % 4 + (shapes[shape] == &summand__knomial_shape),
                        .ranks = ranks,
                        .root = ranks * some / 6,
                        .machine = machine,
                        .inside = inside[some % 2],
                        .inside_radix = 1 + some / 2};
                    check_family(&tree);
                }
}

/* When a rank has all data of its subtree, if it receives one message per unit of time, at the
 * earliest `lambda` units after it was sent. */
static int postal_time(const struct summand__tree *tree, const struct summand__subtree *node)
{
    struct summand__subtree child;
    int time = 0;
    for (int i = 0; summand__tree_child(tree, node, i, &child); i++) {
        int arrival = postal_time(tree, &child) + tree->radix;
        time = arrival > time ? arrival : time + 1;
    }
    return time;
}

/* No tree finishes earlier than f(t) = f(t - 1) + f(t - lambda) allows. */
TEST(postal)
{
    for (int lambda = 1; lambda <= 12; lambda++) {
        int f[200], time = 0;
        for (int t = 0; t < 200; t++)
            f[t] = t < lambda ? 1 : f[t - 1] > 1000 ? 1000 : f[t - 1] + f[t - lambda];
        for (int ranks = 1; ranks <= 700; ranks++) {
            struct summand__tree tree = {
                .shape = &summand__postal_shape, .radix = lambda, .ranks = ranks};
            struct summand__subtree all = summand__tree_all(&tree);
            while (f[time] < ranks)
                time++;
            assert_int_equal(postal_time(&tree, &all), time);
        }
    }
}

/* Leaves of one tree are inner nodes of the other: no rank is an inner node in both. */
TEST(double_tree)
{
    for (int ranks = 1; ranks <= 257; ranks++)
        for (int rank = 1; rank < ranks; rank++) {
            int inner = 0;
            for (int i = 0; i < 2; i++) {
                struct summand__tree tree = {.shape = i ? &summand__second_tree_shape
                                                        : &summand__first_tree_shape,
                                             .ranks = ranks};
                struct summand__subtree node = summand__tree_find(&tree, rank).subtree;
                inner += node.high - node.low > 1;
            }
            assert_true(inner <= 1);
        }
}

TEST(positions)
{
    for (int ranks = 1; ranks <= 300; ranks++)
        for (int rank = 0; rank < ranks; rank++) {
            int position = summand__interleave_position(0, ranks, rank);
            assert_between(position, 0, ranks - 1);
            assert_int_equal(summand__interleave_rank(0, ranks, position), rank);
        }
}