/* SPDX-License-Identifier: BSD-3-Clause */
/* The interface of an instruction set to outer.c: one table each, with a row for each type of the
 * factors. Panels are packed: for pair k, `width` elements of b and as many of a as a block has
 * rows, widened to the type of G. */
#pragma once

#include "compute/outer.h"
#include "compute/outer_panels.h"
#include "kernel/arch.h"

enum {
    OUTER_BLOCKS = 4, /* heights of blocks */
    OUTER_WIDTHS = 3, /* of blocks */
    OUTER_LINE = 64,
    OUTER_AHEAD = 4,  /* panels, for prefetching G if it is read */
    OUTER_FEW = 4,    /* pairs, whose product takes little longer than its stores */
    OUTER_TWIN = 1,   /* index of the height of blocks of two panels */
    OUTER_FROM_G = 1, /* the chain continues from the values in g */
    OUTER_STREAM = 2, /* g and its rows begin at a cache line; ignored if beta != 0 */
    OUTER_FETCH = 4   /* prefetches the elements that later blocks read or overwrite */
};

/* Rounded to the type of G at use, because that needs the environment of kernel/fpenv.h. */
struct outer_epilogue {
    double alpha, beta;
};

/* A block of `rows` x `width` elements of g, whose rows are ldg apart. Pairs of b are ldb apart; in
 * a panel this is the width. NaNs are made canonical. epilogue: NULL for none; only with the last
 * pairs. */
typedef void outer_block(const void *a, const void *b, size_t ldb, size_t pairs, void *g,
                         size_t ldg, unsigned flags, const struct outer_epilogue *epilogue);

/* The same for two full panels that are neighbours in G. */
typedef void outer_twin(const void *a, const void *b, const void *next, size_t ldb, size_t pairs,
                        void *g, size_t ldg, unsigned flags, const struct outer_epilogue *epilogue);

struct outer_kernel {
    size_t factor_size, size;   /* bytes of an element of the factors, of G */
    size_t width[OUTER_WIDTHS]; /* of a panel of b, descending; the first one is whole lines */
    bool streams;               /* blocks support OUTER_STREAM */
    size_t rows[OUTER_BLOCKS];  /* descending; the last one is 1 */
    outer_block *block[OUTER_WIDTHS][OUTER_BLOCKS];
    outer_twin *twin; /* for blocks of rows[OUTER_TWIN] rows, for few pairs; or NULL */
    /* `count` elements of each pair, with zeros up to `width`; prefetches `ahead` elements ahead.
     */
    void (*pack)(const void *from, size_t ld, size_t pairs, size_t count, size_t width,
                 size_t ahead, void *to);
    /* The same for factors whose pairs are contiguous; elements are `ld` apart. */
    void (*pack_turned)(const void *from, size_t ld, size_t pairs, size_t count, size_t width,
                        void *to);
    /* g[j] = the epilogue of s[j]; may overwrite s. */
    void (*finish)(void *s, void *g, size_t count, double alpha, double beta);
    /* g[index[j] - column] = fma(the factor at a, value[j], g[index[j] - column]) */
    void (*scatter)(const void *a, const void *value, const uint32_t *index, size_t count,
                    size_t column, void *g);
};

struct outer_kernels {
    const struct outer_kernel *of[SUMMAND__OUTER_TYPES];
};

/* Of summand__arch(). */
const struct outer_kernel *summand__outer_kernel(enum summand__outer_type type);

/* Made by compute/outer_simd.inc.h. */
#define OUTER_TABLE                                                                                \
    {                                                                                              \
        .of = {                                                                                    \
            [SUMMAND__OUTER_F64] = &outer_kernel_same_f64,                                         \
            [SUMMAND__OUTER_F32] = &outer_kernel_same_f32,                                         \
            [SUMMAND__OUTER_BF16] = &outer_kernel_bf16_f32,                                        \
            [SUMMAND__OUTER_F16] = &outer_kernel_f16_f32                                           \
        }                                                                                          \
    }

extern const struct outer_kernels summand__outer_generic;
extern const struct outer_kernels summand__outer_avx2;
extern const struct outer_kernels summand__outer_avx512;
extern const struct outer_kernels summand__outer_neon;
