/* SPDX-License-Identifier: BSD-3-Clause */
#include "collective/exact_check.h"

#include "process/damaged.h"

/* Of a block's n numbers the one that has this lane. Of two that share a lane, the second one has
 * the upper half. */
static size_t number_of(const struct summand__exact_layout *layout, size_t block, size_t n,
                        size_t lane, uint64_t change)
{
    const size_t half = n - n / 2;
    const size_t top = layout->paired[block] ? (layout->format[block].digits - 1u) * n : SIZE_MAX;
    if (lane < top)
        return lane % n;
    lane -= top;
    return lane >= half ? lane - half : (uint32_t)change || lane >= n / 2 ? lane : lane + half;
}

bool summand__exact_check_holds(const struct summand__exact_layout *layout, size_t ranks,
                                size_t block, size_t n, const int64_t *words, const int64_t *lanes,
                                size_t count, size_t *number)
{
    const struct summand__lanes_check damage = summand__check_damage(
        summand__lanes_kernels()->check(lanes, count), ranks, layout->hash, words);
    if (!damage.sum && !damage.word)
        return true;
    const size_t lane = summand__check_locate(lanes, count, damage);
    *number = lane < count ? number_of(layout, block, n, lane, damage.sum) : n;
    return false;
}

int summand__exact_check_refuse(const struct summand__state *state,
                                const struct summand__exact_part *damaged, size_t each)
{
    const size_t first = damaged->to / each, last = (damaged->to + damaged->count - 1) / each;
    if (first == last)
        return summand__refuse_damaged(state->rank, state->ranks,
                                       "the exact sum of element %zu is damaged", first);
    return summand__refuse_damaged(state->rank, state->ranks,
                                   "exact sums of elements %zu to %zu are damaged", first, last);
}
