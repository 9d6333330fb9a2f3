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

int summand__exact_check(const struct summand__exact_layout *layout,
                         const struct summand__exact_sums *sums,
                         const struct summand__exact_block *block)
{
    const struct summand__state *state = sums->state;
    const struct summand__lanes_check damage =
        summand__check_damage(summand__lanes_kernels()->check(block->lanes, block->lane_count),
                              (size_t)sums->ranks, layout->hash, block->words);
    if (!damage.sum && !damage.word)
        return MPI_SUCCESS;
    const size_t lane = summand__check_locate(block->lanes, block->lane_count, damage);
    if (lane == block->lane_count)
        return summand__refuse_damaged(
            state->rank, state->ranks, "exact sums of elements %zu to %zu are damaged",
            block->to / sums->each, (block->to + block->count - 1) / sums->each);
    const size_t element =
        (block->to + number_of(layout, block->index, block->count, lane, damage.sum)) / sums->each;
    if (layout->checked != SUMMAND__CORRECT)
        return summand__refuse_damaged(state->rank, state->ranks,
                                       "the exact sum of element %zu is damaged", element);
    block->lanes[lane] = (int64_t)((uint64_t)block->lanes[lane] - damage.sum);
    summand__tell_damaged(state->rank, state->ranks,
                          "the exact sum of element %zu was damaged, and is repaired", element);
    summand__damage_repaired();
    return MPI_SUCCESS;
}
