/* SPDX-License-Identifier: BSD-3-Clause */
/* Pairs, row by row: the product by pairs (matrix/gemm/thesis.c) with the dissertation's naive loop
 * over the blocks of C.
 *
 * How: as gemm-pairs; but the next block is the one to the right, so ranks wait for each other.
 * When: for comparison; it is never faster.
 * Cost: the puts of gemm-pairs.
 * Restrictions: the bits of gemm-pairs.
 * Source: Schmidtobreick (2017), chapter 5, algorithm 8. */
#include "matrix/gemm/thesis_work.h"

static struct summand__gemm_block by_rows(size_t step, size_t rows, size_t columns)
{
    (void)rows;
    return (struct summand__gemm_block){step / columns, step % columns};
}

const struct summand__algorithm summand__gemm_pairs_rows =
    SUMMAND__GEMM_PAIRS("gemm-pairs-rows", "row by row", by_rows);
