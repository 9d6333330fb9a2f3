/* SPDX-License-Identifier: BSD-3-Clause */
/* Memory of products (outer.c, outer_symmetric.c): packed panels, and sums before they reach G.
 * Each thread has its own, from its first product or first plan for products, until it ends. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

enum {
    OUTER_PAIRS = 128,       /* taken together; chains of more continue from G or the tile */
    OUTER_TALLEST = 8,       /* rows of a block */
    OUTER_TILE_ROWS = 128,   /* in the tile between parts of more pairs, before an epilogue */
    OUTER_WIDEST = 3 * 64,   /* bytes of a row of a panel */
    OUTER_SQUARE = 140 << 10 /* bytes of a tile that is stored twice */
};

/* A block's panel of a; the panels of b for a strip of G's columns; the tile, for sums of a block
 * that is partly outside of G and for sums of more pairs before an epilogue; and a tile of a
 * symmetric G. All begin at a cache line. */
struct outer_panels {
    char *a, *b, *tile, *square; /* square: or NULL */
    size_t b_bytes, tile_bytes;
};

/* The least memory for products, 56 KiB, on the stack: for threads without memory, with more and
 * shorter strips. */
struct outer_few_panels {
    _Alignas(64) char a[OUTER_PAIRS * OUTER_TALLEST * sizeof(double)];
    _Alignas(64) char b[OUTER_PAIRS * OUTER_WIDEST];
    _Alignas(64) char tile[OUTER_TILE_ROWS * OUTER_WIDEST];
};

/* The calling thread's memory, 540 KiB; NULL: there is none. */
const struct outer_panels *summand__outer_panels(void);
