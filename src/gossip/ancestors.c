#include "gossip/ancestors.h"

#include "gossip/permutation.h"

#include <math.h>

/* The lowest levels of the tree are worked out level by level, so that the permutations of many
 * nodes are under way at once; those above, which are few, by recursion. */
enum { BATCH_LEVELS = 8, BATCH = 1 << BATCH_LEVELS };

struct tree {
    int64_t n;
    enum summand__data_kind kind;
    uint64_t data_seed;
    struct summand__permutation permutations[SUMMAND__ANCESTORS_MOST];
};

/* The value of `rank` after up to BATCH_LEVELS rounds. */
static double value_of_batch(const struct tree *tree, int64_t rank, int rounds)
{
    uint64_t ranks[BATCH] = {(uint64_t)rank};
    double values[BATCH];
    int count = 1;
    for (int round = rounds - 1; round >= 0; round--, count *= 2)
        summand__cycle_previous_of(&tree->permutations[round], ranks, (size_t)count, ranks + count);
    for (int k = 0; k < count; k++)
        values[k] = summand__datum(tree->kind, tree->data_seed, tree->n, (int64_t)ranks[k]);
    while (count > 1) {
        count /= 2;
        for (int k = 0; k < count; k++)
            values[k] = values[k] / 2 + values[count + k] / 2;
    }
    return values[0];
}

/* The value of `rank` after `rounds` rounds. */
static double value(const struct tree *tree, int64_t rank, int rounds)
{
    if (rounds <= BATCH_LEVELS)
        return value_of_batch(tree, rank, rounds);
    const struct summand__permutation *last = &tree->permutations[rounds - 1];
    int64_t from = (int64_t)summand__cycle_previous(last, (uint64_t)rank);
    return value(tree, rank, rounds - 1) / 2 + value(tree, from, rounds - 1) / 2;
}

int summand__ancestors_root(int64_t n, uint64_t seed, enum summand__data_kind kind,
                            uint64_t data_seed, double truth, double eps, int most, double *errors)
{
    struct tree tree = {.n = n, .kind = kind, .data_seed = data_seed};
    double root = value(&tree, 0, 0);
    int rounds = 0;
    if (most > SUMMAND__ANCESTORS_MOST)
        most = SUMMAND__ANCESTORS_MOST;
    while (errors[rounds] = fabs(root - truth) / fabs(truth),
           errors[rounds] > eps && rounds < most) {
        struct summand__permutation *now = &tree.permutations[rounds];
        summand__permutation_make(now, (uint64_t)n, seed, (uint64_t)rounds);
        int64_t from = (int64_t)summand__cycle_previous(now, 0);
        root = root / 2 + value(&tree, from, rounds) / 2;
        rounds++;
    }
    return rounds;
}
