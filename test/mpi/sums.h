/* SPDX-License-Identifier: BSD-3-Clause */
/* Oracles of sums: MPFR for the exact ones; for the tree, eq. 2.1 of the thesis, literally. */
#pragma once

#include <math.h>
#include <mpfr.h>
#include <summand.h>

#include "mpi/harness.h"

enum { EXACT_BITS = 5000 }; /* more than any sum of doubles or of products of two doubles needs */

/* The terms of a kind: x, |x|, x y, x x. */
static inline double oracle_exact(enum summand_kind kind, size_t n, const double *x,
                                  const double *y)
{
    mpfr_t sum, term;
    mpfr_init2(sum, EXACT_BITS);
    mpfr_init2(term, EXACT_BITS);
    mpfr_set_zero(sum, 1);
    for (size_t i = 0; i < n; i++) {
        mpfr_set_d(term, x[i], MPFR_RNDN);
        if (kind == SUMMAND_KIND_ASUM)
            mpfr_abs(term, term, MPFR_RNDN);
        if (kind == SUMMAND_KIND_DOT)
            mpfr_mul_d(term, term, y[i], MPFR_RNDN);
        if (kind == SUMMAND_KIND_NRM2)
            mpfr_sqr(term, term, MPFR_RNDN);
        mpfr_add(sum, sum, term, MPFR_RNDN);
    }
    double rounded = 0;
    if (kind == SUMMAND_KIND_NRM2) { /* to 53 bits in one step: a second rounding could differ */
        mpfr_t root;
        mpfr_init2(root, 53);
        mpfr_sqrt(root, sum, MPFR_RNDN);
        rounded = mpfr_get_d(root, MPFR_RNDN);
        mpfr_clear(root);
    } else {
        rounded = mpfr_get_d(sum, MPFR_RNDN);
    }
    mpfr_clear(sum);
    mpfr_clear(term);
    return rounded;
}

struct oracle_leaves {
    enum summand_kind kind;
    size_t n;
    const double *x, *y;
};

static inline double oracle_leaf(const struct oracle_leaves *leaves, size_t i)
{
    volatile double product; /* rounds here, so that the compiler cannot fuse operations */
    switch (leaves->kind) {
    case SUMMAND_KIND_ASUM:
        return fabs(leaves->x[i]);
    case SUMMAND_KIND_DOT:
        product = leaves->x[i] * leaves->y[i];
        return product;
    case SUMMAND_KIND_NRM2:
        product = leaves->x[i] * leaves->x[i];
        return product;
    default:
        return leaves->x[i];
    }
}

static inline double oracle_reduce(const struct oracle_leaves *leaves, size_t x, int y)
{
    if (y == 0)
        return oracle_leaf(leaves, x);
    size_t right = x + ((size_t)1 << (y - 1));
    if (right >= leaves->n)
        return oracle_reduce(leaves, x, y - 1);
    return oracle_reduce(leaves, x, y - 1) + oracle_reduce(leaves, right, y - 1);
}

static inline double oracle_tree(enum summand_kind kind, size_t n, const double *x, const double *y)
{
    struct oracle_leaves leaves = {kind, n, x, y};
    int height = 0;
    while (((size_t)1 << height) < n)
        height++;
    double root = n ? oracle_reduce(&leaves, 0, height) : 0.0;
    return kind == SUMMAND_KIND_NRM2 ? sqrt(root) : root;
}

/* Numbers of very different sizes and signs, the same on all ranks. */
static inline void fill_values(uint64_t *seed, size_t n, int spread, double *x)
{
    for (size_t i = 0; i < n; i++) {
        double mantissa = (double)(int64_t)harness_random(seed) * 0x1p-63;
        x[i] = ldexp(mantissa, (int)(harness_random(seed) % (uint64_t)(2 * spread + 1)) - spread);
    }
}

/* A random split of n over the ranks: starts[ranks + 1]; some parts empty. */
static inline void fill_split(uint64_t *seed, size_t n, int ranks, size_t *starts)
{
    for (int r = 1; r < ranks; r++)
        starts[r] = harness_random(seed) % 4 ? harness_random(seed) % (n + 1) : 0;
    starts[0] = 0;
    starts[ranks] = n;
    for (int a = 1; a < ranks; a++) /* few: the simplest sort */
        for (int b = a + 1; b < ranks; b++)
            if (starts[b] < starts[a]) {
                size_t t = starts[a];
                starts[a] = starts[b];
                starts[b] = t;
            }
}

static const char *const kind_names[] = {"sum", "asum", "dot", "nrm2"};
