/* SPDX-License-Identifier: BSD-3-Clause */
#include "schedule/compute.h"

void summand__put(struct summand__schedule *schedule, int peer, struct summand__region from,
                  struct summand__region to)
{
    if (!from.count)
        return;
    struct summand__step *step = summand__append(schedule, SUMMAND__PUT, peer);
    step->from = from;
    step->to = to;
}

void summand__notify(struct summand__schedule *schedule, int peer, uint32_t counter)
{
    summand__append(schedule, SUMMAND__NOTIFY, peer)->what = counter;
}

void summand__wait_counter(struct summand__schedule *schedule, uint32_t counter, int64_t value)
{
    struct summand__step *step = summand__append(schedule, SUMMAND__WAIT_COUNTER, -1);
    step->what = counter;
    step->value = (int32_t)value;
    schedule->failed = schedule->failed || step->value != value;
}

/* The region from the first element to the last one. */
static struct summand__region hull_of(const struct summand__tile *tile)
{
    const struct summand__rectangle *shape = &tile->shape;
    size_t count =
        shape->rows && shape->count ? (shape->rows - 1) * shape->pitch + shape->count : 0;
    return summand__region((enum summand__place)tile->place, tile->first, count);
}

void summand__compute(struct summand__schedule *schedule, const struct summand__kernel *kernel,
                      struct summand__tile from, struct summand__tile with, struct summand__tile to,
                      bool begins)
{
    const struct summand__computation what = {.kernel = kernel, .begins = begins};
    summand__compute_as(schedule, &what, from, with, to);
}

void summand__compute_as(struct summand__schedule *schedule,
                         const struct summand__computation *what, struct summand__tile from,
                         struct summand__tile with, struct summand__tile to)
{
    struct summand__computation computation = *what;
    if (!to.shape.rows || !to.shape.count)
        return;
    if (what->kernel->with == SUMMAND__NOTHING)
        with = (struct summand__tile){0};
    computation.from = from.shape;
    computation.with = with.shape;
    computation.to = to.shape;
    uint32_t number = summand__add_computation(schedule, &computation);
    struct summand__step *step = summand__append(schedule, SUMMAND__COMPUTE, -1);
    step->what = number;
    step->from = hull_of(&from);
    step->with = hull_of(&with);
    step->to = hull_of(&to);
}

size_t summand__place_unit(const struct summand__schedule *schedule, uint32_t place)
{
    return schedule->info[place - SUMMAND__PLACES].unit;
}
