/* SPDX-License-Identifier: BSD-3-Clause */
/* Block-cyclic distribution: elements 0 .. extent - 1 in blocks of `block`, dealt to `parts`
 * processes in turn; the last block may be shorter. A process stores its blocks contiguously. Each
 * dimension of a matrix is distributed like this; rows and columns are independent. All values have
 * 64 bits and no product overflows, for any extent up to 2^62.
 *
 * Source: Dongarra, van de Geijn, Walker (1994), the distribution of ScaLAPACK. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct summand__cyclic {
    int64_t extent, block; /* at least 0, at least 1 */
    int parts;             /* at least 1 */
};

/* The number of blocks, a shorter last one included. */
int64_t summand__cyclic_blocks(const struct summand__cyclic *cyclic);

/* Global index -> process, and offset in its memory. 0 <= index < extent. */
int summand__cyclic_part(const struct summand__cyclic *cyclic, int64_t index);
int64_t summand__cyclic_offset(const struct summand__cyclic *cyclic, int64_t index);

/* The reverse; 0 <= offset < summand__cyclic_extent(cyclic, part). */
int64_t summand__cyclic_index(const struct summand__cyclic *cyclic, int part, int64_t offset);

/* Elements of a process: ScaLAPACK's NUMROC. */
int64_t summand__cyclic_extent(const struct summand__cyclic *cyclic, int part);

/* The part of a dimension that one process holds: intervals of `width` indices, `stride` apart,
 * from `first` on and below `end`. Stride 0: there is one interval. The k-th lies at offset k *
 * width of the process's memory. */
struct summand__share {
    int64_t first, width, stride, end;
};

struct summand__share summand__cyclic_share(const struct summand__cyclic *cyclic, int part);
/* `count` indices from `first` on. */
struct summand__share summand__interval_share(int64_t first, int64_t count);

/* The part of a matrix that a rank holds, block-cyclic or not. */
struct summand__holder {
    int rank;
    struct summand__share rows, columns;
};

/* The number of indices, and the index at an offset of memory. */
int64_t summand__share_extent(const struct summand__share *share);
int64_t summand__share_index(const struct summand__share *share, int64_t offset);

/* The first interval at or after `index`, or the rest of the one that contains it. False: there is
 * none. */
struct summand__interval {
    int64_t index, count;
    int64_t offset; /* offset of its first index in memory */
};
bool summand__share_next(const struct summand__share *share, int64_t index,
                         struct summand__interval *interval);

/* Indices that two shares have in common: `count` of them from `index` on. In memory they begin at
 * `from` in one share and at `to` in the other. */
struct summand__overlap {
    int64_t index, count;
    int64_t from, to;
};

/* The first overlap at or after `index`, as long as possible; false: there is none. Cost: the
 * intervals of both shares that are passed over. */
bool summand__overlap_next(const struct summand__share *from, const struct summand__share *to,
                           int64_t index, struct summand__overlap *overlap);
