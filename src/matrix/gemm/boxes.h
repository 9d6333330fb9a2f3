/* SPDX-License-Identifier: BSD-3-Clause */
/* Boxes of a product: rows, columns and the inner dimension are cut into parts, and a rank computes
 * the product of one part of each. So ranks without a part of C, or with small tiles of it,
 * multiply too, each over its own inner elements; the ranks that hold C add the parts. */
#pragma once

#include "matrix/gemm/build.h"

/* Cuts a shape as its `boxes` say, and gives each box that is not empty to a rank that holds many
 * of its elements; each rank gets at most one. The shape's jobs are boxes then; the caller still
 * owns the jobs before. False when out of memory; release the shape even then. */
bool summand__gemm_deal_boxes(struct summand__gemm_shape *shape, int ranks);

/* The part of a box that a holder of C has: rows and columns of its local array. False: nothing. */
struct summand__gemm_part {
    int64_t row, column, rows, columns;
};
bool summand__gemm_part_of(const struct summand__gemm_shape *shape,
                           const struct summand__gemm_job *job, int holder,
                           struct summand__gemm_part *part);

/* The next box after another one: the same rows and columns over the following inner elements; or
 * NULL. */
const struct summand__gemm_job *summand__gemm_next_box(const struct summand__gemm_shape *shape,
                                                       const struct summand__gemm_job *job);

/* True if a box is the first one of its rows and columns. */
static inline bool summand__gemm_first_box(const struct summand__gemm_job *job)
{
    return job->k == 0;
}

/* Sets `boxes`, for so much memory and on a model (boxes_choice.c), and both estimates. False when
 * out of memory. All else in the shape must be set before. */
bool summand__gemm_cut_boxes(struct summand__gemm_shape *shape,
                             const struct summand__gemm_terms *terms);
