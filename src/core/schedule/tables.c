/* SPDX-License-Identifier: BSD-3-Clause */
/* Tables that only some schedules have: places, counters and computations. Steps name their entries
 * by number; compute.c appends the steps. */
#include <stdlib.h>
#include <string.h>

#include "schedule/compute.h"

void summand__tables_free(struct summand__tables *tables)
{
    if (!tables)
        return;
    free(tables->computations);
    free(tables->counters);
    free(tables);
}

static struct summand__tables *tables_of(struct summand__schedule *schedule)
{
    if (!schedule->tables && !schedule->failed)
        schedule->tables = calloc(1, sizeof *schedule->tables);
    schedule->failed = schedule->failed || !schedule->tables;
    return schedule->failed ? NULL : schedule->tables;
}

/* Room for one more after `count`; it doubles whenever the count is a power of two. */
static void *grown(struct summand__schedule *schedule, void *items, uint32_t count, size_t size)
{
    if (count & (count - 1))
        return items;
    void *more = realloc(items, (count ? 2 * (size_t)count : 1) * size);
    schedule->failed = schedule->failed || !more;
    return more;
}

uint32_t summand__add_place(struct summand__schedule *schedule, enum summand__place_kind kind,
                            size_t unit, size_t count)
{
    if (schedule->places == SUMMAND__MOST_PLACES - SUMMAND__PLACES) {
        schedule->failed = true;
        return 0;
    }
    struct summand__place_info *info =
        grown(schedule, schedule->info, schedule->places, sizeof *info);
    if (!info)
        return 0;
    schedule->info = info;
    info[schedule->places] =
        (struct summand__place_info){.kind = (uint8_t)kind, .unit = unit, .count = count};
    return SUMMAND__PLACES + schedule->places++;
}

void summand__share_place(struct summand__schedule *schedule, uint32_t place)
{
    if (!schedule->failed)
        schedule->info[place - SUMMAND__PLACES].shared = true;
}

uint32_t summand__add_view(struct summand__schedule *schedule, int peer, uint32_t of, size_t unit,
                           size_t count)
{
    uint32_t place = summand__add_place(schedule, SUMMAND__VIEW, unit, count);
    if (place) {
        schedule->info[place - SUMMAND__PLACES].peer = peer;
        schedule->info[place - SUMMAND__PLACES].of = of;
    }
    return place;
}

uint32_t summand__add_counter(struct summand__schedule *schedule, int producer, uint64_t per_start)
{
    struct summand__tables *tables = tables_of(schedule);
    if (!tables)
        return 0;
    struct summand__counter *counters =
        grown(schedule, tables->counters, tables->n_counters, sizeof *counters);
    if (!counters)
        return 0;
    tables->counters = counters;
    counters[tables->n_counters] = (struct summand__counter){producer, per_start};
    return tables->n_counters++;
}

uint32_t summand__add_computation(struct summand__schedule *schedule,
                                  const struct summand__computation *computation)
{
    struct summand__tables *tables = tables_of(schedule);
    if (!tables)
        return 0;
    struct summand__computation *computations =
        grown(schedule, tables->computations, tables->n_computations, sizeof *computations);
    if (!computations)
        return 0;
    tables->computations = computations;
    computations[tables->n_computations] = *computation;
    return tables->n_computations++;
}
