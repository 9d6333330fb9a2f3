/* SPDX-License-Identifier: BSD-3-Clause */
/* What clocks.c and clocks_view.c share. */
#pragma once

#include "lab/verify/clocks.h"

static inline uint64_t *clock_of(const struct summand__clocks *clocks, int rank)
{
    return clocks->time + (size_t)rank * (size_t)clocks->ranks;
}

/* Time 0 of the start, in which step i is over at i + 1. */
static inline uint64_t base_of(const struct summand__clocks *clocks, int rank)
{
    return clocks->start * (clocks->schedules[rank].length + 1);
}

static inline bool is_window(const struct summand__schedule *schedule, unsigned place)
{
    return place >= SUMMAND__PLACES && place < SUMMAND__PLACES + schedule->places &&
           schedule->info[place - SUMMAND__PLACES].kind == SUMMAND__WINDOW;
}

static inline bool is_shared(const struct summand__schedule *schedule, unsigned place)
{
    return place >= SUMMAND__PLACES && place < SUMMAND__PLACES + schedule->places &&
           schedule->info[place - SUMMAND__PLACES].shared;
}

static inline bool is_view(const struct summand__schedule *schedule, unsigned place)
{
    return place >= SUMMAND__PLACES && place < SUMMAND__PLACES + schedule->places &&
           schedule->info[place - SUMMAND__PLACES].kind == SUMMAND__VIEW;
}

/* Elements of a place that are watched. */
static inline size_t watched(const struct summand__schedule *schedule, unsigned place)
{
    return is_window(schedule, place) || is_shared(schedule, place)
               ? schedule->info[place - SUMMAND__PLACES].count
               : 0;
}

/* The shadows of a region; NULL if it is not watched. */
static inline struct summand__shadow *shadows_of(const struct summand__clocks *clocks, int owner,
                                                 struct summand__region what)
{
    if (!watched(&clocks->schedules[owner], what.place))
        return NULL;
    return clocks->shadows +
           clocks->first_shadow[(size_t)owner * SUMMAND__MOST_PLACES + what.place] + what.first;
}

/* clocks_view.c: whether a rank's access to an element of a shared place clashes. */
bool summand__clocks_clash(const struct summand__clocks *clocks, int rank, int owner,
                           const struct summand__shadow *shadow, bool write);

/* An access through a view, over with the step `end`. Returns the element that clashes, or
 * SIZE_MAX. */
size_t summand__clocks_touch_view(struct summand__clocks *clocks, int rank,
                                  struct summand__region what, size_t end, bool write);

/* Forgets the accesses to shared places: they are over before all that follows. */
void summand__clocks_forget_views(struct summand__clocks *clocks);
