/* SPDX-License-Identifier: BSD-3-Clause */
/* Boxes of a product: rows, columns and the inner dimension are cut into parts, and a rank makes
 * the product of one part of each. So ranks without a part of C, or with small tiles of it,
 * multiply too, each over its own inner elements; the ranks that hold C add the parts. */
#ifndef SUMMAND_MATRIX_GEMM_BOXES_H
#define SUMMAND_MATRIX_GEMM_BOXES_H

#include "matrix/gemm/build.h"

/* Cuts a shape as its `boxes` say, and gives each box that is not empty to a rank that holds much
 * of what it needs, each rank one at most: its jobs are boxes then. The jobs that it had are left
 * to their owner. False when out of memory; to be released all the same. */
bool summand__gemm_deal_boxes(struct summand__gemm_shape *shape, int ranks);

/* What a holder of C has of a box: rows and columns of its local array. False: nothing. */
struct summand__gemm_part {
    int64_t row, column, rows, columns;
};
bool summand__gemm_part_of(const struct summand__gemm_shape *shape,
                           const struct summand__gemm_job *job, int holder,
                           struct summand__gemm_part *part);

/* The box behind another one: the same rows and columns over the inner elements that follow; or
 * NULL. */
const struct summand__gemm_job *summand__gemm_next_box(const struct summand__gemm_shape *shape,
                                                       const struct summand__gemm_job *job);

/* Whether a box is the first one of its rows and columns. */
static inline bool summand__gemm_first_box(const struct summand__gemm_job *job)
{
    return job->k == 0;
}

/* Sets `boxes`, for so much memory and on a model (boxes_choice.c), and both estimates. False when
 * out of memory. The shape is laid out otherwise. */
bool summand__gemm_cut_boxes(struct summand__gemm_shape *shape,
                             const struct summand__gemm_terms *terms);

#endif
