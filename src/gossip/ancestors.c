#include "gossip/ancestors.h"

#include "gossip/permutation.h"

#include <math.h>

struct tree {
    int64_t n;
    enum summand__data_kind kind;
    uint64_t data_seed;
    struct summand__permutation permutations[SUMMAND__ANCESTORS_MOST];
};

/* The value of `rank` after `rounds` rounds. */
static double value(const struct tree *tree, int64_t rank, int rounds)
{
    if (!rounds)
        return summand__datum(tree->kind, tree->data_seed, tree->n, rank);
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
