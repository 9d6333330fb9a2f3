/* SPDX-License-Identifier: BSD-3-Clause */
/* The elements of a term that are not contiguous real numbers, but strided or complex. They are
 * gathered block by block. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <summand/sum.h>

#include "exact/batch.h"
#include "kernel/tree.h"

enum { SUMMAND__BLOCK_REALS = 1024 };

/* The real numbers of a block. */
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

/* True if y is read. */
static inline bool summand__sums_two(const summand_term *term)
{
    return term->kind == SUMMAND_KIND_DOT || term->kind == SUMMAND_KIND_DOT_CONJUGATED;
}

/* True if kernels may read the elements in place. */
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

/* The line of a valid term with elements. A negative stride puts element 0 last in memory. */
struct summand__line summand__line_of(const void *origin, MPI_Count stride, MPI_Count count,
                                      size_t width);

/* Copies n elements from element `from` on. */
void summand__gather(const struct summand__line *line, size_t from, size_t n, void *to);

/* Adds a term that is not plain to sum i of the batch; a complex one to sum 2 i, and its imaginary
 * part to 2 i + 1. */
void summand__sums_deposit(const struct summand__batch *batch, size_t i, const summand_term *term,
                           bool single, bool complex);

/* Values of the subtrees of a term that is not plain, as from summand__forest_f64 and _f32; of a
 * complex term, pairs. The caller has set the default floating-point environment. `values` has room
 * for SUMMAND__DYADIC_MAX values or pairs. */
size_t summand__sums_forest_f64(const summand_term *term, bool complex, uint64_t start,
                                double *values);
size_t summand__sums_forest_f32(const summand_term *term, bool complex, uint64_t start,
                                float *values);
