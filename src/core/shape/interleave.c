/* SPDX-License-Identifier: BSD-3-Clause */
#include "shape/interleave.h"

int summand__interleave_position(int low, int high, int rank)
{
    int position = 0, bit = 0;
    for (; high - low > 1; bit++) {
        int middle = high - (high - low) / 2;
        if (rank < middle) {
            high = middle;
        } else {
            low = middle;
            position |= 1 << bit;
        }
    }
    return position;
}

int summand__interleave_rank(int low, int high, int position)
{
    for (; high - low > 1; position /= 2) {
        int middle = high - (high - low) / 2;
        if (position % 2)
            low = middle;
        else
            high = middle;
    }
    return low;
}

static struct summand__merger merger(struct summand__split split, bool left, int position)
{
    int low = left ? split.low : split.middle, high = left ? split.middle : split.high;
    return (struct summand__merger){summand__interleave_rank(low, high, position), position,
                                    high - low, 2 * position + !left};
}

struct summand__merge summand__merge_of(struct summand__split split, int rank)
{
    struct summand__merge merge = {.left = rank < split.middle, .parts = split.high - split.low};
    int low = merge.left ? split.low : split.middle, high = merge.left ? split.middle : split.high;
    int position = summand__interleave_position(low, high, rank);
    int others = merge.parts - (high - low);
    merge.self = merger(split, merge.left, position);
    for (int other = merge.left ? position - 1 : position, end = other + 2; other < end; other++)
        if (other >= 0 && other < others)
            merge.partner[merge.partners++] = merger(split, !merge.left, other);
    return merge;
}
