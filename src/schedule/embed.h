/* Schedules made of schedules: a part, written for ranks and places of its own, becomes steps of a
 * whole. */
#ifndef SUMMAND_SCHEDULE_EMBED_H
#define SUMMAND_SCHEDULE_EMBED_H

#include "schedule/schedule.h"

struct summand__embedding {
    int base, stride;  /* rank r of the part is base + r * stride of the whole ... */
    int odd, odd_rank; /* ... but rank `odd` (-1: none) is odd_rank */
    struct {
        enum summand__place place;
        size_t first;
    } at[SUMMAND__PLACES]; /* where element 0 of each of the part's places lies */
};

/* Appends the part after the end of a round. */
void summand__embed(struct summand__schedule *whole, const struct summand__schedule *part,
                    const struct summand__embedding *embedding);

#endif
