/* SPDX-License-Identifier: BSD-3-Clause */
/* The reserved ids. All ranks have the same list, because only collective calls change it. */
#include "notify/segment.h"

int summand__range_find(const struct summand_segment *segment, int count)
{
    for (int first = 0, free = 0; first + free < segment->ids;) {
        if (segment->range[first + free]) {
            first += free + 1;
            free = 0;
        } else if (++free == count) {
            return first;
        }
    }
    return -1;
}

/* Hides the counts of earlier users. */
void summand__range_take(struct summand_segment *segment, int first, int count)
{
    segment->range[first] = count;
    for (int i = 1; i < count; i++)
        segment->range[first + i] = -i;
}

/* The counts no longer change. */
int summand__range_drop(struct summand_segment *segment, int first)
{
    int code = MPI_SUCCESS, count = segment->range[first];
    for (int id = first; id < first + count && code == MPI_SUCCESS; id++) {
        segment->range[id] = 0;
        for (int r = 0; r < segment->state->ranks && code == MPI_SUCCESS; r++)
            code = segment->window->transport->read(
                segment->window, summand__user_lane(segment, id, r),
                &segment->base[summand__base_of(segment, id, r)]);
    }
    return summand__segment_note(segment, code);
}
