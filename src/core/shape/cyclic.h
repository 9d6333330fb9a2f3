/* SPDX-License-Identifier: BSD-3-Clause */
/* Block-cyclic dealing: elements 0 .. extent - 1 in blocks of `block`, which are dealt to `parts`
 * processes in turn; the last block may be shorter. A process stores its blocks contiguously. Each
 * dimension of a matrix is dealt like this; rows and columns are independent. All in 64 bits, for
 * any extent up to 2^62, and without a product that overflows.
 *
 * Source: Dongarra, van de Geijn, Walker (1994), the distribution of ScaLAPACK. */
#ifndef SUMMAND_SHAPE_CYCLIC_H
#define SUMMAND_SHAPE_CYCLIC_H

#include <stdbool.h>
#include <stdint.h>

struct summand__cyclic {
    int64_t extent, block; /* at least 0, at least 1 */
    int parts;             /* at least 1 */
};

/* Blocks, the last one included. */
int64_t summand__cyclic_blocks(const struct summand__cyclic *cyclic);

/* Global index -> process, and place in its memory. 0 <= index < extent. */
int summand__cyclic_part(const struct summand__cyclic *cyclic, int64_t index);
int64_t summand__cyclic_offset(const struct summand__cyclic *cyclic, int64_t index);

/* The reverse; 0 <= offset < summand__cyclic_extent(cyclic, part). */
int64_t summand__cyclic_index(const struct summand__cyclic *cyclic, int part, int64_t offset);

/* Elements of a process: ScaLAPACK's NUMROC. */
int64_t summand__cyclic_extent(const struct summand__cyclic *cyclic, int part);

/* What one process holds of a dimension: intervals of `width` indices, `stride` apart, from `first`
 * on and below `end`; stride 0: there is one. The k-th lies at offset k * width of its memory. */
struct summand__share {
    int64_t first, width, stride, end;
};

struct summand__share summand__cyclic_share(const struct summand__cyclic *cyclic, int part);
/* `count` indices from `first` on. */
struct summand__share summand__interval_share(int64_t first, int64_t count);

/* What a rank holds of a matrix, block-cyclic or not. */
struct summand__holder {
    int rank;
    struct summand__share rows, columns;
};

/* Indices in all, and the one at an offset of memory. */
int64_t summand__share_extent(const struct summand__share *share);
int64_t summand__share_index(const struct summand__share *share, int64_t offset);

/* The first interval, or what is left of it, at `index` or behind it; false: there is none. */
struct summand__interval {
    int64_t index, count;
    int64_t offset; /* of the first one in memory */
};
bool summand__share_next(const struct summand__share *share, int64_t index,
                         struct summand__interval *interval);

/* Indices that two shares have in common: `count` of them from `index` on, in memory of the one
 * from `from` on, of the other from `to` on. */
struct summand__overlap {
    int64_t index, count;
    int64_t from, to;
};

/* The first overlap at `index` or behind it, as long as it goes; false: there is none. Cost: the
 * intervals of either that are passed over. */
bool summand__overlap_next(const struct summand__share *from, const struct summand__share *to,
                           int64_t index, struct summand__overlap *overlap);

#endif
