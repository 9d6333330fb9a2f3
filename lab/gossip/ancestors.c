/* SPDX-License-Identifier: BSD-3-Clause */
#include "lab/gossip/ancestors.h"

#include "base/permutation.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

/* The lowest levels of the tree are computed level by level, so that the permutations of many nodes
 * overlap. The few levels above are computed by recursion. */
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

/* Computes the values of all nodes after `rounds` rounds into `values`, with the same bits as the
 * tree. */
static void one_round(const struct tree *tree, int round, const double *before, double *after)
{
    const struct summand__permutation *now = &tree->permutations[round];
    uint64_t first = summand__permutation_at(now, 0), to = first;
    uint64_t from = summand__cycle_previous(now, first);
    for (int64_t k = 0; k < tree->n; k++) {
        after[to] = before[to] / 2 + before[from] / 2;
        from = to;
        to = summand__permutation_at(now, k + 1 == tree->n ? 0 : (uint64_t)k + 1);
    }
}

struct field {
    double *before, *after;
};

/* False if memory for this is missing: then the tree is used. */
static bool open_field(struct field *field, const struct tree *tree, int rounds)
{
    field->before = malloc((size_t)tree->n * sizeof *field->before);
    field->after = malloc((size_t)tree->n * sizeof *field->after);
    if (!field->before || !field->after)
        return false;
    for (int64_t i = 0; i < tree->n; i++)
        field->before[i] = summand__datum(tree->kind, tree->data_seed, tree->n, i);
    for (int round = 0; round < rounds; round++) {
        one_round(tree, round, field->before, field->after);
        double *swap = field->before;
        field->before = field->after;
        field->after = swap;
    }
    return true;
}

/* The value after one more round; `rounds` have been done. */
static double next_root(const struct tree *tree, struct field *field, int rounds, double root)
{
    bool wide = rounds >= 40 || (int64_t)1 << rounds >= tree->n;
    if (wide && !field->before && !open_field(field, tree, rounds)) {
        free(field->before);
        field->before = NULL;
    }
    if (!field->before) {
        int64_t from = (int64_t)summand__cycle_previous(&tree->permutations[rounds], 0);
        return root / 2 + value(tree, from, rounds) / 2;
    }
    one_round(tree, rounds, field->before, field->after);
    double *swap = field->before;
    field->before = field->after;
    field->after = swap;
    return field->before[0];
}

int summand__ancestors_root(int64_t n, uint64_t seed, enum summand__data_kind kind,
                            uint64_t data_seed, double truth, double eps, int most, double *errors)
{
    struct tree tree = {.n = n, .kind = kind, .data_seed = data_seed};
    struct field field = {NULL, NULL};
    double root = value(&tree, 0, 0);
    int rounds = 0;
    if (most > SUMMAND__ANCESTORS_MOST)
        most = SUMMAND__ANCESTORS_MOST;
    while (errors[rounds] = fabs(root - truth) / fabs(truth),
           errors[rounds] > eps && rounds < most) {
        struct summand__permutation *now = &tree.permutations[rounds];
        summand__permutation_make(now, (uint64_t)n, seed, (uint64_t)rounds);
        root = next_root(&tree, &field, rounds, root);
        rounds++;
    }
    free(field.before);
    free(field.after);
    return rounds;
}
