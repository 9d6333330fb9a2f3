/* SPDX-License-Identifier: BSD-3-Clause */
#include "lab/verify/schedules.h"

#include <stdlib.h>
#include <string.h>

/* Allocates room for the next power of two, as schedule/tables.c expects. */
static void *copy_of(const void *items, uint32_t count, size_t size)
{
    size_t room = 1;
    while (room < count)
        room *= 2;
    void *copy = malloc(room * size);
    if (copy && count)
        memcpy(copy, items, count * size);
    return copy;
}

static bool copy_tables(struct summand__tables **to, const struct summand__tables *from)
{
    *to = NULL;
    if (!from)
        return true;
    struct summand__tables *copy = malloc(sizeof *copy);
    if (!copy)
        return false;
    *copy = *from;
    copy->computations =
        copy_of(from->computations, from->n_computations, sizeof *copy->computations);
    copy->counters = copy_of(from->counters, from->n_counters, sizeof *copy->counters);
    *to = copy;
    return copy->computations && copy->counters;
}

static bool copy_places(struct summand__place_info **to, const struct summand__schedule *from)
{
    *to = from->places ? copy_of(from->info, from->places, sizeof **to) : NULL;
    return *to || !from->places;
}

bool summand__schedule_copy(struct summand__schedule *to, const struct summand__schedule *from)
{
    struct summand__step *steps = to->steps;
    size_t capacity = to->capacity;
    if (!steps || capacity < from->length) {
        capacity = from->length ? from->length : 1;
        steps = realloc(steps, capacity * sizeof *steps);
    }
    if (!steps)
        return false;
    if (from->length)
        memcpy(steps, from->steps, from->length * sizeof *steps);
    struct summand__tables *tables = to->tables;
    struct summand__place_info *info = to->info;
    *to = *from;
    to->steps = steps;
    to->capacity = capacity;
    summand__tables_free(tables);
    free(info);
    to->tables = NULL;
    return copy_places(&to->info, from) && copy_tables(&to->tables, from->tables);
}

static bool steps_equal(const struct summand__step *a, const struct summand__step *b)
{
    return a->action == b->action && a->lag == b->lag && a->flags == b->flags &&
           a->peer == b->peer && a->what == b->what && a->value == b->value &&
           summand__regions_equal(a->from, b->from) && summand__regions_equal(a->with, b->with) &&
           summand__regions_equal(a->to, b->to);
}

bool summand__schedules_equal(const struct summand__schedule *a, const struct summand__schedule *b)
{
    bool equal = a->length == b->length && a->scratch == b->scratch;
    if (equal && a->length && !memcmp(a->steps, b->steps, a->length * sizeof *a->steps))
        return true; /* bytes between members may differ */
    for (size_t i = 0; equal && i < a->length; i++)
        equal = steps_equal(&a->steps[i], &b->steps[i]);
    return equal;
}

size_t summand__sends_end(const struct summand__schedule *schedule, size_t step)
{
    for (step++; step < schedule->length && !summand__begins_send(schedule, step);)
        step++;
    return step;
}

bool summand__multicast_to_all(const struct summand__schedule *schedule, size_t step, int ranks)
{
    const struct summand__step *steps = schedule->steps, *first = &steps[step];
    if (first->action != SUMMAND__SEND || !summand__is_multicast(first) ||
        !summand__begins_send(schedule, step))
        return true;
    size_t end = summand__sends_end(schedule, step);
    bool good = end - step == (size_t)ranks - 1;
    for (; step < end; step++)
        good = good && !steps[step].lag && steps[step].from.place == first->from.place &&
               steps[step].from.first == first->from.first &&
               steps[step].from.count == first->from.count;
    return good;
}
