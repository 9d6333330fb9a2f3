/* SPDX-License-Identifier: BSD-3-Clause */
/* Resources of a schedule with places of its own: memory, and slots of a window. */
#pragma once

#include "exec/onesided.h"

/* Allocates the temporary places, on cache lines, in `*memory`, to be freed once. False when out of
 * memory. */
bool summand__places_make(const struct summand__schedule *schedule,
                          struct summand__onesided *onesided, void **memory);

/* The window spec of the schedule: a slot for each window place, whose sizes go to `bytes`, and its
 * counters. */
struct summand__window_spec summand__places_window(const struct summand__schedule *schedule,
                                                   size_t bytes[SUMMAND__MOST_PLACES]);
