/* SPDX-License-Identifier: BSD-3-Clause */
/* The orders of blocks of products by pairs, played on a machine where a block takes 1 and all else
 * nothing: step by step as in tables 5.2 and 5.3 of Schmidtobreick (2017), and as long as equations
 * 5.6 and 5.7 say. Both orders put the same pieces. */
#include <math.h>

#include "matrix/gemm/shape.h"
#include "matrix/gemm/thesis_plan.h"
#include "play/simulate_call.h"
#include "unit/unit.h"

enum { SIDE = 6, P = 2 };

/* Each rank multiplies one piece of each of its blocks. Pieces are so long that the additions of
 * parts take next to nothing. */
static const size_t piece = (size_t)1 << 28;
static const struct summand__model only_blocks = {
    .per_node = 1, .oversubscription = 1, .eager = 1e18, .flop = 0x1p-29};
static const double near = 1e-3;

static const struct summand__algorithm *named(const char *name)
{
    const struct summand__algorithm *algorithm = summand__algorithm_named(name);
    assert_non_null(algorithm);
    assert_non_null(algorithm->order);
    return algorithm;
}

static double played(const char *name, int p, int side, bool trace,
                     struct summand__predict *predict)
{
    struct summand__gemm_square square;
    assert_true(
        summand__gemm_dealt(&square, (size_t)side, 2 * (size_t)p * piece, 1, piece, 2 * p * p));
    const struct summand__call call = {.collective = SUMMAND__COLL_GEMM,
                                       .ranks = 2 * p * p,
                                       .count = (size_t)side,
                                       .gemm = &square.shape};
    *predict =
        (struct summand__predict){.model = &only_blocks, .element = sizeof(double), .trace = trace};
    assert_true(summand__simulate_call(named(name), &call, predict));
    summand__gemm_square_release(&square);
    return predict->time;
}

/* The end of the block that is number `number` of a rank. */
static double end_of(const struct summand__predict *predict, int rank, int number)
{
    for (size_t s = 0; s < predict->span_count; s++) {
        const struct summand__span *span = &predict->spans[s];
        if (span->kind == SUMMAND__SPAN_COMPUTE && span->rank == rank &&
            span->end - span->begin > near && !number--)
            return span->end;
    }
    return -1;
}

/* When each block ends, which is the same for all ranks that work on it. */
static void steps_of(const char *name, double end[SIDE][SIDE])
{
    struct summand__predict predict;
    int done[2 * P * P] = {0};
    played(name, P, SIDE, true, &predict);
    for (size_t step = 0; step < (size_t)SIDE * SIDE; step++) {
        const struct summand__gemm_block block = named(name)->order(step, SIDE, SIDE);
        const int i = (int)block.row, j = (int)block.column;
        for (int q = 0; q < P; q++) {
            const int ranks[] = {i % P * P + q, P * P + q * P + j % P}; /* of A, of B */
            for (int side = 0; side < 2; side++) {
                double own = end_of(&predict, ranks[side], done[ranks[side]]++);
                assert_true(own > 0);
                assert_true((!q && !side) || fabs(own - end[i][j]) < near);
                end[i][j] = own;
            }
        }
    }
    summand__predict_free(&predict);
}

/* Table 5.3. */
TEST(diagonals)
{
    static const int table[SIDE][SIDE] = {{1, 4, 7, 10, 13, 16}, {16, 1, 4, 7, 10, 13},
                                          {14, 17, 2, 5, 8, 11}, {11, 14, 17, 2, 5, 8},
                                          {9, 12, 15, 18, 3, 6}, {6, 9, 12, 15, 18, 3}};
    double end[SIDE][SIDE];
    steps_of("gemm-pairs", end);
    for (int i = 0; i < SIDE; i++)
        for (int j = 0; j < SIDE; j++)
            assert_true(fabs(end[i][j] - table[i][j]) < near);
}

/* Table 5.2: p: at the same time as another block; s: alone. */
TEST(rows)
{
    static const char *const table[SIDE] = {"sssssp", "pssssp", "pssssp",
                                            "pssssp", "pssssp", "psssss"};
    double end[SIDE][SIDE];
    steps_of("gemm-pairs-rows", end);
    for (int i = 0; i < SIDE * SIDE; i++) {
        int same = 0;
        for (int j = 0; j < SIDE * SIDE; j++)
            same += fabs(end[i / SIDE][i % SIDE] - end[j / SIDE][j % SIDE]) < near;
        assert_int_equal(same, table[i / SIDE][i % SIDE] == 'p' ? 2 : 1);
    }
}

/* (5.6) lets a row begin with the last block of the row before. But the last P - 1 blocks leave the
 * ranks alone with which the next row begins. So the loop is faster for P > 2. */
TEST(lengths)
{
    for (int p = 2; p <= 8; p *= 2)
        for (int local = 1; local <= 4; local++) {
            const int side = p * local;
            struct summand__predict rows_play, play;
            const double by_rows = played("gemm-pairs-rows", p, side, false, &rows_play);
            const double by_diagonals = played("gemm-pairs", p, side, false, &play);
            assert_true(fabs(by_diagonals - p * local * local) < near);
            assert_true(fabs(by_rows - (side + (side - 1) * (side - p + 1))) < near);
            assert_true(p > 2 || fabs(by_rows - (side * side - side + 1)) < near);
            assert_int_equal(rows_play.messages[SUMMAND__NETWORK], play.messages[SUMMAND__NETWORK]);
            assert_int_equal(rows_play.bytes[SUMMAND__NETWORK], play.bytes[SUMMAND__NETWORK]);
        }
}
