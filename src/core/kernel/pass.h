/* SPDX-License-Identifier: BSD-3-Clause */
/* Fast passes of the exact sums: error-free pre-rounding on a fixed grid, checked afterwards.
 *
 * A level is a set of accumulators that start at 1.5 * 2^(52 + unit) and stay in that binade, so
 * that adding x to one rounds x to a multiple of 2^unit without loss:
 *     t = acc + x;   q = t - acc;   r = x - q;   acc = t        (Dekker 1971; Rump, Ogita, Oishi
 * 2008) The level takes q; r is the rest for the next level, GAP binary digits below. A chunk is
 * summed exactly if no accumulator of the first level left its binade and the last level left no
 * rest. Both are tested per chunk. A chunk that fails changes nothing, and the caller tries other
 * units. The levels are integers in units of 2^unit: (bits(acc) - bits(start)) summed over the
 * lanes.
 *
 * A pass knows nothing of the accumulator behind it. The caller has set the default floating-point
 * environment (kernel/fpenv.h). */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "kernel/arch.h"

enum summand__pass_kind {
    SUMMAND__PASS_SUM,
    SUMMAND__PASS_ASUM,
    SUMMAND__PASS_SQUARES,
    SUMMAND__PASS_DOT,
    SUMMAND__PASS_KINDS
};

enum {
    SUMMAND__PASS_LEVELS = 4,   /* two; two more for the error terms of products of doubles */
    SUMMAND__PASS_LANES = 32,   /* at most; 4 vectors per level on each instruction set */
    SUMMAND__PASS_CHUNK = 2048, /* elements that are tested together */
    /* Additions per lane before a flush, and binary digits from a level to the next: 2^10 rests of
       at most half a unit fill the level 42 digits below, 2^8 rests fill one 44 below. */
    SUMMAND__PASS_ADDITIONS = 1024,
    SUMMAND__PASS_GAP = 42,
    SUMMAND__PASS_ADDITIONS_PRODUCTS = 256,
    SUMMAND__PASS_GAP_PRODUCTS = 44,
    /* Digits from a product's first level to its error term's: 53, and one more for its half. */
    SUMMAND__PASS_GAP_ERRORS = 54,
    SUMMAND__PASS_BRIEF_MOST = 2048, /* 2^11 rests fill a double of the next level */
    SUMMAND__PASS_BRIEF_MOST_PRODUCTS = 256,
    SUMMAND__PASS_TERMS = 2 * SUMMAND__PASS_CHUNK + SUMMAND__PASS_LANES
};

struct summand__pass {
    _Alignas(64) double acc[SUMMAND__PASS_LEVELS][SUMMAND__PASS_LANES];
    double start[SUMMAND__PASS_LEVELS];
    int unit[SUMMAND__PASS_LEVELS];
    unsigned levels;
    size_t room; /* elements until the levels must be flushed */
};

/* Adds the terms of up to n elements. Stops before the first chunk that fails its test or for which
 * there is no room. Returns the number of elements added: whole chunks, or n. */
typedef size_t summand__pass_run(struct summand__pass *pass, const void *x, const void *y,
                                 size_t n);
/* The exact sum of few terms as a sum of two doubles (four for products of doubles); false if they
 * are too far apart. n from 1 to BRIEF_MOST. */
typedef bool summand__pass_brief(const void *x, const void *y, size_t n, double *sums);
/* A double with the exponent of the largest magnitude of a term; not finite if any is not, or if a
 * product overflows. */
typedef double summand__pass_largest(const void *x, const void *y, size_t n);
/* Writes the terms of at most CHUNK elements as doubles with the same exact sum, and zeros up to a
 * multiple of LANES. Returns their number, or 0 if a product has no such form. */
typedef size_t summand__pass_terms(const void *x, const void *y, size_t n, double *terms);

/* Adds the terms of n elements, at most CHUNK, to two empty levels without a test. Terms are single
 * doubles (not products of doubles), and 0 or of a magnitude in [least, bound). The levels must fit
 * those. Other terms go to `others`. Stops after the LANES terms with which their number reaches
 * `most`. Returns that number: less than most + LANES. */
typedef size_t summand__pass_sift(struct summand__pass *pass, const void *x, const void *y,
                                  size_t n, double least, double bound, double *others,
                                  size_t most);

/* Properties of n doubles that need care. */
enum {
    SUMMAND__PASS_LOW =
        1, /* there may be zeros or denormals; certain if n is a multiple of LANES */
    SUMMAND__PASS_HIGH = 2 /* there are infinities or NaN */
};

struct summand__pass_kernels {
    unsigned lanes;
    /* The lowest unit of a pass over products of doubles; below it they underflow unseen. */
    int product_floor;
    /* Empties the levels (pass->levels of them, with pass->unit). */
    void (*start)(struct summand__pass *pass);
    /* Sums of the lanes in units of each level; the levels are empty afterwards. */
    void (*flush)(struct summand__pass *pass, int64_t sums[SUMMAND__PASS_LEVELS]);
    /* Adds n terms (a multiple of LANES) to the first two levels; the rests replace the terms.
     * Returns the largest rest. Needs |terms| < 2^(unit[0] + 40). */
    double (*peel)(struct summand__pass *pass, double *terms, size_t n);
    /* The flags of n doubles, which need no alignment. */
    unsigned (*odd)(const void *x, size_t n);
    summand__pass_run *run_f64[SUMMAND__PASS_KINDS], *run_f32[SUMMAND__PASS_KINDS];
    summand__pass_brief *brief_f64[SUMMAND__PASS_KINDS], *brief_f32[SUMMAND__PASS_KINDS];
    summand__pass_largest *largest_f64[SUMMAND__PASS_KINDS], *largest_f32[SUMMAND__PASS_KINDS];
    summand__pass_terms *terms_f64[SUMMAND__PASS_KINDS], *terms_f32[SUMMAND__PASS_KINDS];
    summand__pass_sift *sift_f64[SUMMAND__PASS_KINDS], *sift_f32[SUMMAND__PASS_KINDS];
};

/* The table of summand__arch(). */
const struct summand__pass_kernels *summand__pass_kernels(void);

extern const struct summand__pass_kernels summand__pass_generic;
extern const struct summand__pass_kernels summand__pass_avx2;
extern const struct summand__pass_kernels summand__pass_avx512;
extern const struct summand__pass_kernels summand__pass_neon;
