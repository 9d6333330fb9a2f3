/* SPDX-License-Identifier: BSD-3-Clause */
/* A block of exact sums, one per column, in digits that share a format (kernel/lanes.h). The format
 * widens when a term does not fit: zero digits come in at either end, and no digit moves within
 * its column. So a block costs as many digits as its terms' exponents need.
 *
 * Terms of a call are whole rows of the block, or single ones. Functions that may need memory
 * return false if there is none; then the sums are undefined. The caller has set the default
 * floating-point environment (kernel/fpenv.h). */
#pragma once

#include "kernel/rows.h"

/* Lanes per column that always suffice: all exponents of doubles, 2^63 terms, a special lane. */
enum { SUMMAND__EXACT_BLOCK_LANES = 60 };

struct summand__exact_block {
    struct summand__lanes_format format;
    bool any;       /* there have been terms. Without a special lane, each column has had one that
                       is not -0.0 */
    uint32_t terms; /* digits are below terms 2^BITS in magnitude */
    size_t n;       /* columns, at most SUMMAND__LANES_BLOCK */
    int64_t *lanes; /* from malloc */
    size_t room;    /* of `lanes` */
};

/* Empties the sums; keeps `n` and the memory. A block of zeros, but for `n`, needs this first. */
void summand__exact_block_clear(struct summand__exact_block *block);

/* Blocks of which rows are read side by side: less than a page of columns is slow from memory. */
enum { SUMMAND__EXACT_TILE = 4 };

/* Adds rows that begin `lead` elements apart to blocks that follow each other; all but the last one
 * have SUMMAND__LANES_BLOCK columns. Uses 28 KiB of stack. */
bool summand__exact_blocks_add(struct summand__exact_block *blocks, size_t count,
                               enum summand__lanes_type type, const void *x, size_t rows,
                               size_t lead);

/* From now on each column has had a term that is not -0.0. */
void summand__exact_block_touch(struct summand__exact_block *block);
/* Adds a term, as the bits of a double, to a column of a block that has been touched. */
bool summand__exact_block_add_one(struct summand__exact_block *block, size_t column, uint64_t bits);

/* Adds the sums of another block of as many columns. */
bool summand__exact_block_merge(struct summand__exact_block *block,
                                const struct summand__exact_block *other);

/* Widens a range so that a format for it takes the sums. */
void summand__exact_block_range(const struct summand__exact_block *block,
                                struct summand__lanes_range *range);

/* Writes the sums as a rank's share in another format. False if one does not fit; then the lanes
 * are undefined. */
bool summand__exact_block_share(const struct summand__exact_block *block,
                                const struct summand__lanes_format *format, int64_t *lanes);
