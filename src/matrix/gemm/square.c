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

static struct summand__gemm_operand one_block_each(struct summand__holder *holders, size_t size,
                                                   int first, int ranks)
{
    int rows, columns;
    grid_of(ranks, &rows, &columns);
    const struct summand__cyclic of[] = {
        {(int64_t)size, (int64_t)(size / (size_t)rows + (size % (size_t)rows > 0)) + !size, rows},
        {(int64_t)size, (int64_t)(size / (size_t)columns + (size % (size_t)columns > 0)) + !size,
         columns}};
    for (int i = 0; i < ranks; i++)
        holders[i] = (struct summand__holder){first + i, summand__cyclic_share(&of[0], i / columns),
                                              summand__cyclic_share(&of[1], i % columns)};
    return (struct summand__gemm_operand){
        .holder = holders, .count = ranks, .lead = (size_t)of[0].block};
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
    int half = ranks / 2 + !(ranks / 2), other = ranks > 1 ? half : 0, rows, columns;
    size_t few = size / BLOCKS + (size % BLOCKS > 0);
    grid_of(half, &rows, &columns);
    *square = (struct summand__gemm_square){.shape = {.rows = (int64_t)size,
                                                      .columns = (int64_t)size,
                                                      .inner = (int64_t)size,
                                                      .alpha = 1,
                                                      .helps = true,
                                                      .panel = few,
                                                      .block = few}};
    square->holders = malloc(2 * (size_t)half * sizeof *square->holders);
    if (!square->holders)
        return false;
    square->shape.a = square->shape.c = one_block_each(square->holders, size, 0, half);
    square->shape.b = one_block_each(square->holders + half, size, other, half);
    square->shape.boxes = cubes(ranks);
    if (!model)
        return summand__gemm_prepare(&square->shape);
    return summand__gemm_lay_out(
        &square->shape, &(struct summand__gemm_terms){
                            .ranks = ranks, .model = model, .parts = columns, .parts_add = true});
}

void summand__gemm_square_release(struct summand__gemm_square *square)
{
    summand__gemm_release(&square->shape);
    free(square->holders);
    square->holders = NULL;
}
