/* SPDX-License-Identifier: BSD-3-Clause */
#include "compute/mpi/places.h"

#include <stdint.h>
#include <stdlib.h>

enum { ALIGNMENT = 64 };

static size_t aligned(size_t bytes)
{
    return (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

static size_t bytes_of(const struct summand__place_info *info)
{
    return info->unit * info->count;
}

bool summand__places_make(const struct summand__schedule *schedule,
                          struct summand__onesided *onesided, void **memory)
{
    size_t bytes = ALIGNMENT;
    for (unsigned p = 0; p < schedule->places; p++)
        if (schedule->info[p].kind == SUMMAND__TEMPORARY)
            bytes += aligned(bytes_of(&schedule->info[p]));
    *memory = malloc(bytes);
    if (!*memory)
        return false;
    char *next = (char *)aligned((uintptr_t)*memory);
    for (unsigned p = 0; p < schedule->places; p++)
        if (schedule->info[p].kind == SUMMAND__TEMPORARY) {
            onesided->place[p] = next;
            next += aligned(bytes_of(&schedule->info[p]));
        }
    return true;
}

struct summand__window_spec summand__places_window(const struct summand__schedule *schedule,
                                                   size_t bytes[SUMMAND__MOST_PLACES])
{
    struct summand__window_spec spec = {.slot_bytes = bytes};
    for (unsigned p = 0; p < schedule->places; p++)
        if (schedule->info[p].kind == SUMMAND__WINDOW)
            bytes[spec.slots++] = bytes_of(&schedule->info[p]);
    if (schedule->tables)
        spec.counters = (int)schedule->tables->n_counters;
    return spec;
}
