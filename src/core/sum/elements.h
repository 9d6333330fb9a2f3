/* SPDX-License-Identifier: BSD-3-Clause */
/* The elements of a term if they are not real numbers one after another: with a stride, or
 * complex. They are gathered block by block. */
#ifndef SUMMAND_SUM_ELEMENTS_H
#define SUMMAND_SUM_ELEMENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <summand/sum.h>

#include "exact/batch.h"
#include "kernel/tree.h"

enum { SUMMAND__BLOCK_REALS = 1024 };

/* Real numbers of a block. */
union summand__block {
    double f64[SUMMAND__BLOCK_REALS];
    float f32[SUMMAND__BLOCK_REALS];
};

static inline enum summand__pass_kind summand__pass_kind_of(enum summand_kind kind)
{
    static const enum summand__pass_kind kinds[] = {
        [SUMMAND_KIND_SUM] = SUMMAND__PASS_SUM,
        [SUMMAND_KIND_ASUM] = SUMMAND__PASS_ASUM,
        [SUMMAND_KIND_DOT] = SUMMAND__PASS_DOT,
        [SUMMAND_KIND_NRM2] = SUMMAND__PASS_SQUARES,
        [SUMMAND_KIND_DOT_CONJUGATED] = SUMMAND__PASS_DOT,
    };
    return kinds[kind];
}

/* Whether y is read. */
static inline bool summand__sums_two(const summand_term *term)
{
    return term->kind == SUMMAND_KIND_DOT || term->kind == SUMMAND_KIND_DOT_CONJUGATED;
}

/* Where kernels may read the elements from themselves. */
static inline bool summand__sums_plain(const summand_term *term, bool complex)
{
    return !complex && term->stride_x == 1 && (term->stride_y == 1 || !summand__sums_two(term));
}

/* One of the term's vectors. */
struct summand__line {
    const char *first; /* element 0 */
    ptrdiff_t step;    /* bytes to the next one */
    size_t width;      /* bytes of one */
};

/* Of a good term with elements. A negative stride begins at the far end. */
struct summand__line summand__line_of(const void *origin, MPI_Count stride, MPI_Count count,
                                      size_t width);

/* Copies n elements from element `from` on. */
void summand__gather(const struct summand__line *line, size_t from, size_t n, void *to);

/* Adds a term that is not plain to its sum i of the batch; complex: to 2 i, and to 2 i + 1 its
 * imaginary part. */
void summand__sums_deposit(const struct summand__batch *batch, size_t i, const summand_term *term,
                           bool single, bool complex);

/* Values of the subtrees of a term that is not plain, as of summand__forest_f64 and _f32; complex:
 * pairs. The caller has set the default floating-point environment. Room for
 * SUMMAND__DYADIC_MAX values or pairs. */
size_t summand__sums_forest_f64(const summand_term *term, bool complex, uint64_t start,
                                double *values);
size_t summand__sums_forest_f32(const summand_term *term, bool complex, uint64_t start,
                                float *values);

#endif
