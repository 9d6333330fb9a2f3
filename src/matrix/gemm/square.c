/* SPDX-License-Identifier: BSD-3-Clause */
/* Squares over two groups of ranks. */
#include <stdlib.h>

#include "matrix/gemm/shape.h"

/* The grid nearest to a square. */
static void grid_of(int ranks, int *rows, int *columns)
{
    for (*rows = 1, *columns = ranks; *rows < *columns;) {
        int next = *rows + 1;
        while (next < ranks && ranks % next)
            next++;
        if (next > ranks / next)
            return;
        *rows = next;
        *columns = ranks / next;
    }
}

/* An extent in blocks of `block` over some parts; 0: one block on each. */
static struct summand__cyclic dealt(size_t extent, size_t block, int parts)
{
    size_t each = extent / (size_t)parts + (extent % (size_t)parts > 0);
    return (struct summand__cyclic){(int64_t)extent, (int64_t)(block ? block : each) + !extent,
                                    parts};
}

static struct summand__gemm_operand operand_of(struct summand__holder *holders, size_t high,
                                               size_t wide, size_t block_high, size_t block_wide,
                                               int first, int ranks)
{
    int rows, columns;
    grid_of(ranks, &rows, &columns);
    const struct summand__cyclic of[] = {dealt(high, block_high, rows),
                                         dealt(wide, block_wide, columns)};
    for (int i = 0; i < ranks; i++)
        holders[i] = (struct summand__holder){first + i, summand__cyclic_share(&of[0], i / columns),
                                              summand__cyclic_share(&of[1], i % columns)};
    int64_t lead = summand__cyclic_extent(&of[0], 0); /* the longest */
    return (struct summand__gemm_operand){
        .holder = holders, .count = ranks, .lead = (size_t)lead + !lead};
}

/* A and C on the first half of the ranks, B on the others. */
static bool hold(struct summand__gemm_square *square, size_t block, size_t inner_block, int ranks)
{
    int half = ranks / 2 + !(ranks / 2), other = ranks > 1 ? half : 0;
    size_t size = (size_t)square->shape.rows, inner = (size_t)square->shape.inner;
    struct summand__holder *h = malloc(3 * (size_t)half * sizeof *h);
    square->holders = h;
    if (!h)
        return false;
    square->shape.a = operand_of(h, size, inner, block, inner_block, 0, half);
    square->shape.b = operand_of(h + half, inner, size, inner_block, block, other, half);
    square->shape.c = operand_of(h + 2 * half, size, size, block, block, 0, half);
    return true;
}

/* Boxes as near to cubes as divisors allow. */
static struct summand__gemm_boxes cubes(int ranks)
{
    struct summand__gemm_boxes boxes = {.inner = 1};
    for (int inner = 2; inner * inner * inner <= ranks; inner++)
        boxes.inner = ranks % inner ? boxes.inner : inner;
    grid_of(ranks / boxes.inner, &boxes.rows, &boxes.columns);
    return boxes;
}

bool summand__gemm_square(struct summand__gemm_square *square, size_t size, int ranks,
                          const struct summand__model *model)
{
    enum { BLOCKS = 4 };
    int rows, columns;
    size_t few = size / BLOCKS + (size % BLOCKS > 0);
    grid_of(ranks / 2 + !(ranks / 2), &rows, &columns);
    *square = (struct summand__gemm_square){.shape = {.rows = (int64_t)size,
                                                      .columns = (int64_t)size,
                                                      .inner = (int64_t)size,
                                                      .alpha = 1,
                                                      .helps = true,
                                                      .panel = few,
                                                      .block = few}};
    if (!hold(square, 0, 0, ranks))
        return false;
    square->shape.boxes = cubes(ranks);
    if (!model)
        return summand__gemm_prepare(&square->shape);
    return summand__gemm_lay_out(
        &square->shape, &(struct summand__gemm_terms){
                            .ranks = ranks, .model = model, .parts = columns, .parts_add = true});
}

bool summand__gemm_dealt(struct summand__gemm_square *square, size_t size, size_t inner,
                         size_t block, size_t inner_block, int ranks)
{
    *square = (struct summand__gemm_square){
        .shape = {
            .rows = (int64_t)size, .columns = (int64_t)size, .inner = (int64_t)inner, .alpha = 1}};
    return hold(square, block, inner_block, ranks) && summand__gemm_prepare(&square->shape);
}

void summand__gemm_square_release(struct summand__gemm_square *square)
{
    summand__gemm_release(&square->shape);
    free(square->holders);
    square->holders = NULL;
}
