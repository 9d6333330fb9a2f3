/* SPDX-License-Identifier: BSD-3-Clause */
/* What a schedule with places of its own needs before it runs: memory, and slots of a window. */
#ifndef SUMMAND_EXEC_PLACES_H
#define SUMMAND_EXEC_PLACES_H

#include "exec/onesided.h"

/* Gives the temporary places memory, which begins at cache lines: `*memory`, to be freed once.
 * False when out of memory. */
bool summand__places_make(const struct summand__schedule *schedule,
                          struct summand__onesided *onesided, void **memory);

/* The window that the schedule needs: a slot for each window place, whose sizes go to `bytes`, and
 * its counters. */
struct summand__window_spec summand__places_window(const struct summand__schedule *schedule,
                                                   size_t bytes[SUMMAND__MOST_PLACES]);

#endif
