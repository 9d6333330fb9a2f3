/* SPDX-License-Identifier: BSD-3-Clause */
/* Check words of exact sums (kernel/lanes_check.h). They lie before the lanes of each part, and are
 * summed like lanes: so any collective and any algorithm carries them. They tell of what messages,
 * memory or additions did to the sums, and of formats that differ between ranks. */
#pragma once

#include "collective/exact_layout.h"

/* The words of a part of so many blocks, in lanes. Several blocks' keep the lanes' alignment. */
static inline size_t summand__exact_check_size(size_t blocks)
{
    const size_t lanes = SUMMAND__CHECK_LANES * blocks;
    return blocks > 1 ? (lanes + 7) / 8 * 8 : lanes;
}

/* The sums of a block, and its numbers. */
struct summand__exact_block {
    size_t index, to, count; /* `to`: where its first number lies in the result */
    const int64_t *words;
    int64_t *lanes;
    size_t lane_count;
};

/* SUMMAND_ERR_DAMAGED if a block's sums do not have its check words: it names the element, if one
 * lane has the damage, else the block's. With SUMMAND__CORRECT such a lane is put right, with a
 * line. */
int summand__exact_check(const struct summand__exact_layout *layout,
                         const struct summand__exact_sums *sums,
                         const struct summand__exact_block *block);
