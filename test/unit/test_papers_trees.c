/* SPDX-License-Identifier: BSD-3-Clause */
/* The cut trees of Winklehner and Friedl (2016) have the parents of the report's programs, and are
 * proved. */
#include "lab/verify/prove.h"
#include "unit/unit.h"

enum { MOST_RANKS = 600, PROVED = 70 };

/* Bin_Reduce of the report's appendix, lines 28 to 53. */
static int binary_parent(int r, int p)
{
    int tree_depth = 1, i = 0, parent = -1;
    for (int x = p; x >>= 1;)
        tree_depth++;
    int max_nodes = ((1 << tree_depth) - 1) / 2;
    while (i != r) {
        parent = i;
        if (r > i + max_nodes)
            i += max_nodes + 1;
        else
            i++;
        max_nodes /= 2;
    }
    return parent;
}

/* Fib_Reduce, lines 21 to 47. */
static int fibonacci_parent(int r, int p)
{
    int temp, right = 1, fib = 1, i = 0, parent = -1;
    while (fib - 1 < p) {
        temp = fib;
        fib += right;
        right = temp;
    }
    int left = fib - right;
    while (i != r) {
        parent = i;
        if (r >= i + left) {
            i += left;
            temp = left;
            left = right - left;
            right = temp;
        } else {
            i++;
            right -= left;
            left -= right;
        }
    }
    return parent;
}

/* Binom_Reduce, lines 35 to 46. */
static int binomial_parent(int r, int p)
{
    int i = 1;
    while ((r + i) % (2 * i) != 0 && i < p)
        i <<= 1;
    return r ? r - i : -1;
}

static const struct {
    const char *name;
    int (*parent)(int r, int p);
} trees[] = {{"binary-cut", binary_parent},
             {"fibonacci-cut", fibonacci_parent},
             {"binomial-cut", binomial_parent}};
enum { TREES = sizeof trees / sizeof *trees };

TEST(parents)
{
    for (int t = 0; t < TREES; t++) {
        const struct summand__algorithm *algorithm = summand__algorithm_named(trees[t].name);
        assert_non_null(algorithm);
        for (int p = 1; p <= MOST_RANKS; p++) {
            const struct summand__tree tree = {
                .shape = algorithm->tree.shape, .ranks = p, .machine = 1};
            for (int r = 0; r < p; r++) {
                const int parent = summand__tree_find(&tree, r).parent;
                if (parent != trees[t].parent(r, p))
                    fail_msg("%s, %d ranks: the parent of %d is %d, not %d", trees[t].name, p, r,
                             parent, trees[t].parent(r, p));
            }
        }
    }
}

TEST(proofs)
{
    struct summand__proof proof;
    for (int t = 0; t < TREES; t++)
        for (int p = 1; p <= PROVED; p++) {
            const struct summand__call call = {
                .collective = SUMMAND__COLL_REDUCE, .ranks = p, .count = 3};
            if (!summand__prove(summand__algorithm_named(trees[t].name), &call, &proof))
                fail_msg("%s, %d ranks: %s", trees[t].name, p, proof.fault);
        }
}
