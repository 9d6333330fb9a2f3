/* What steps touch in all: the least range of each place. */
#ifndef SUMMAND_SCHEDULE_HULL_H
#define SUMMAND_SCHEDULE_HULL_H

#include "schedule/schedule.h"

struct summand__hull {
    size_t low[SUMMAND__PLACES], high[SUMMAND__PLACES];
};

static inline void summand__hull_cover(struct summand__hull *hull, struct summand__region region)
{
    if (!region.count)
        return;
    size_t end = region.first + region.count, *low = &hull->low[region.place],
           *high = &hull->high[region.place];
    *low = *high && *low < region.first ? *low : region.first;
    *high = *high > end ? *high : end;
}

static inline bool summand__hull_reaches(const struct summand__hull *hull,
                                         struct summand__region region)
{
    return region.first < hull->high[region.place] &&
           hull->low[region.place] < region.first + region.count && region.count;
}

#endif
