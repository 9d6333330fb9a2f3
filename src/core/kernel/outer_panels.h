/* SPDX-License-Identifier: BSD-3-Clause */
/* Memory of products (outer.c, outer_symmetric.c): packed panels, and sums on their way to G. Each
 * thread has its own, from its first product, or from the plan that it makes, until it ends. */
#ifndef SUMMAND_KERNEL_OUTER_PANELS_H
#define SUMMAND_KERNEL_OUTER_PANELS_H

#include <stdbool.h>
#include <stddef.h>

enum {
    OUTER_PAIRS = 128,       /* taken together; chains of more go on from G or the tile */
    OUTER_TALLEST = 8,       /* rows of a block */
    OUTER_TILE_ROWS = 128,   /* in the tile between parts of more pairs, before an epilogue */
    OUTER_WIDEST = 3 * 64,   /* bytes of a row of a panel */
    OUTER_SQUARE = 140 << 10 /* bytes of a tile that is stored twice */
};

/* A block's panel of a, and of b those of a strip of G's columns; sums of a block of which G has a
 * part, and those of more pairs before an epilogue; and a tile of a symmetric G. All begin at a
 * line of the cache. */
struct outer_panels {
    char *a, *b, *tile, *square; /* square: or NULL */
    size_t b_bytes, tile_bytes;
};

/* The least that products work with, 56 KiB, for a stack: where there is no memory they take this,
 * with more and shorter strips. */
struct outer_few_panels {
    _Alignas(64) char a[OUTER_PAIRS * OUTER_TALLEST * sizeof(double)];
    _Alignas(64) char b[OUTER_PAIRS * OUTER_WIDEST];
    _Alignas(64) char tile[OUTER_TILE_ROWS * OUTER_WIDEST];
};

/* The calling thread's, 540 KiB; NULL: no memory. */
const struct outer_panels *summand__outer_panels(void);

#endif
