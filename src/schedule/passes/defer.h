/* Late receives in the last of their rounds, where they are no longer late. */
#ifndef SUMMAND_SCHEDULE_PASSES_DEFER_H
#define SUMMAND_SCHEDULE_PASSES_DEFER_H

#include "schedule/schedule.h"

/* The same schedule, of late receives from those peers that `may` (with `context`) says yes to in
 * their last rounds; `failed` when out of memory. That it ends all the same is what the proof is
 * about (schedule.h). */
void summand__defer(const struct summand__schedule *schedule,
                    bool (*may)(const void *context, int peer), const void *context,
                    struct summand__schedule *deferred);

#endif
