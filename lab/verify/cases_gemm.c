/* SPDX-License-Identifier: BSD-3-Clause */
#include "lab/verify/cases.h"

#include <stdlib.h>

#include "matrix/gemm/shape.h"

enum { SHAPES = 9, UPDATES = 6, MATRICES = 3 };

/* Rows, columns and inner dimension. */
static const int shapes[SHAPES][3] = {{4, 4, 4}, {5, 3, 7}, {1, 6, 2}, {6, 1, 3}, {3, 5, 1},
                                      {7, 6, 5}, {0, 3, 2}, {2, 0, 3}, {3, 4, 0}};
static const double updates[UPDATES][2] = {{1, 0}, {0.5, 0}, {1, 2}, {-2, 0.25}, {0, 3}, {0, 0}};
static const int blocks[] = {1, 2, 3, 100};

/* The next number of a sequence that `turn` begins, below `most`. */
static unsigned below(unsigned *turn, unsigned most)
{
    *turn = *turn * 1664525u + 1013904223u;
    return (*turn >> 16) % most;
}

/* The ranks that hold a matrix: all; the first or the second half; a half (and one) from the first
 * quarter on; all in reverse order; every second one; one. */
static int group_of(unsigned pattern, int ranks, int *group)
{
    int half = ranks / 2, count = 0;
    for (int i = 0; i < ranks; i++) {
        bool taken[] = {
            true, i < half || !half, i >= half, i >= half / 2 && i < half / 2 + half + 1,
            true, i % 2 == 0,        i == half};
        if (taken[pattern])
            group[count++] = i;
    }
    for (int i = 0; pattern == 4 && i < count / 2; i++) {
        int other = group[count - 1 - i];
        group[count - 1 - i] = group[i];
        group[i] = other;
    }
    return count;
}

static const unsigned sets[][MATRICES] = {{1, 2, 1}, {0, 0, 0}, {1, 2, 2}, {1, 2, 0}, {3, 0, 4},
                                          {4, 5, 3}, {6, 0, 1}, {1, 2, 6}, {0, 4, 5}, {2, 1, 3}};
enum { SETS = sizeof sets / sizeof *sets };

struct matrix {
    struct summand__holder *holder;
    int count;
    size_t lead;
};

/* A grid of as many ranks of the group as fit, whose row count is a divisor in turn. */
static bool deal(struct matrix *matrix, const int *group, int count, int rows, int columns,
                 unsigned *turn)
{
    int high = 1 + (int)below(turn, (unsigned)count), wide = count / high;
    struct summand__cyclic of[] = {{rows, blocks[below(turn, 4)], high},
                                   {columns, blocks[below(turn, 4)], wide}};
    matrix->count = high * wide;
    matrix->holder = malloc((size_t)matrix->count * sizeof *matrix->holder);
    matrix->lead = 1;
    for (int i = 0; matrix->holder && i < matrix->count; i++) {
        matrix->holder[i] =
            (struct summand__holder){group[i], summand__cyclic_share(&of[0], i / wide),
                                     summand__cyclic_share(&of[1], i % wide)};
        size_t local = (size_t)summand__share_extent(&matrix->holder[i].rows);
        matrix->lead = local > matrix->lead ? local : matrix->lead;
    }
    matrix->lead += below(turn, 3) / 2;
    return matrix->holder;
}

static bool set_matrices(struct summand__gemm_shape *shape, struct matrix *matrix, int ranks,
                         const unsigned *set, unsigned *turn)
{
    int *group = malloc((size_t)ranks * sizeof *group);
    const int sides[MATRICES][2] = {{(int)(shape->a.turned ? shape->inner : shape->rows),
                                     (int)(shape->a.turned ? shape->rows : shape->inner)},
                                    {(int)(shape->b.turned ? shape->columns : shape->inner),
                                     (int)(shape->b.turned ? shape->inner : shape->columns)},
                                    {(int)shape->rows, (int)shape->columns}};
    bool good = group;
    for (int m = 0; m < MATRICES && good; m++) {
        int count = group_of(set[m], ranks, group);
        good = deal(&matrix[m], group, count, sides[m][0], sides[m][1], turn);
    }
    free(group);
    return good;
}

static bool one_case(const struct summand__algorithm *algorithm, int ranks, unsigned turn,
                     bool (*visit)(const struct summand__algorithm *, const struct summand__call *,
                                   void *),
                     void *context)
{
    unsigned seed = turn * 2654435761u;
    const int *size = shapes[below(&seed, SHAPES)];
    const double *factors = updates[below(&seed, UPDATES)];
    struct matrix matrix[MATRICES] = {{NULL, 0, 0}};
    struct summand__gemm_shape shape = {
        .type = (enum summand__product_type)below(&seed, SUMMAND__PRODUCT_TYPES),
        .blas = below(&seed, 2),
        .rows = size[0],
        .columns = size[1],
        .inner = size[2],
        .alpha = factors[0],
        .beta = factors[1],
        .a = {.turned = below(&seed, 2)},
        .b = {.turned = below(&seed, 2)},
        .helps = below(&seed, 2),
        .panel = below(&seed, 4),
        .slots = below(&seed, 4),
        .chains = below(&seed, 3),
        .ramp = below(&seed, 4),
        .back = below(&seed, 4),
        .block = below(&seed, 4),
        .boxes = {.rows = 1 + (int)below(&seed, 3),
                  .columns = 1 + (int)below(&seed, 3),
                  .inner = 1 + (int)below(&seed, 4),
                  .panel = below(&seed, 4),
                  .slots = below(&seed, 4)},
        .finishes = below(&seed, 2),
        .finish = below(&seed, 3)};
    struct summand__call call = {.collective = SUMMAND__COLL_GEMM, .ranks = ranks, .gemm = &shape};
    bool good = set_matrices(&shape, matrix, ranks, sets[turn % SETS], &seed);
    struct summand__gemm_operand *operands[MATRICES] = {&shape.a, &shape.b, &shape.c};
    for (int m = 0; m < MATRICES; m++) {
        operands[m]->holder = matrix[m].holder;
        operands[m]->count = matrix[m].count;
        operands[m]->lead = matrix[m].lead;
        operands[m]->shared = !below(&seed, 3);
    }
    good = good && summand__gemm_prepare(&shape);
    call.count = (size_t)(size[0] * size[1]);
    if (good && summand__algorithm_does(algorithm, &call))
        good = visit(algorithm, &call, context);
    if (matrix[MATRICES - 1].holder)
        summand__gemm_release(&shape);
    for (int m = 0; m < MATRICES; m++)
        free(matrix[m].holder);
    return good;
}

/* Proofs follow each element of each product. */
enum { THOROUGH = 9, SOME = 16, STRIDE = 16 };

bool summand__cases_gemm(const struct summand__algorithm *algorithm, int ranks,
                         enum summand__effort effort,
                         bool (*visit)(const struct summand__algorithm *algorithm,
                                       const struct summand__call *call, void *context),
                         void *context)
{
    bool all = effort == SUMMAND__ALL_ROOTS, few = effort <= SUMMAND__FEW_ALL_ROOTS;
    unsigned turns = few                ? SETS
                     : ranks > SOME     ? 4
                     : ranks > THOROUGH ? 4 * SETS
                     : all              ? 60 * SETS
                                        : 20 * SETS;
    if (ranks > SOME && (few || ranks % STRIDE > 1))
        return true;
    for (unsigned turn = 0; turn < turns; turn++)
        if (!one_case(algorithm, ranks, turn + 1000 * (unsigned)ranks, visit, context))
            return false;
    return true;
}
