/* SPDX-License-Identifier: BSD-3-Clause */
/* Check words of exact sums (kernel/lanes_check.h). They lie before the lanes of each part, and are
 * summed like lanes: so any collective and any algorithm carries them. They tell of what messages,
 * memory or additions did to the sums, and of formats that differ between ranks. */
#pragma once

#include "collective/exact_layout.h"
#include "comm/state.h"

/* The words of a part of so many blocks, in lanes. Several blocks' keep the lanes' alignment. */
static inline size_t summand__exact_check_size(size_t blocks)
{
    const size_t lanes = SUMMAND__CHECK_LANES * blocks;
    return blocks > 1 ? (lanes + 7) / 8 * 8 : lanes;
}

/* True if the sums of a block have the check words that lie at `words`. Else tells of the block's
 * numbers the one that has the damage, if this is only one: `*number`; else `*number` is n. */
bool summand__exact_check_holds(const struct summand__exact_layout *layout, size_t ranks,
                                size_t block, size_t n, const int64_t *words, const int64_t *lanes,
                                size_t count, size_t *number);

/* Error: numbers of the result, `each` per element, that may be wrong. */
int summand__exact_check_refuse(const struct summand__state *state,
                                const struct summand__exact_part *damaged, size_t each);
