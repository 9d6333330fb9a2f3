/* SPDX-License-Identifier: BSD-3-Clause */
/* Deliveries that are late and in another order: rows over any other row of the tables of
 * transports and windows. They keep what these promise and nothing more. TEST_LATE in the
 * environment is the seed. A rank is late by itself: what travels is the same, so other ranks need
 * not know. */
#ifndef TEST_LATE_LATE_H
#define TEST_LATE_LATE_H

#include <stdbool.h>
#include <stdint.h>

#include "transport/window/window.h"

/* Drawn numbers: one sequence for each rank and user. */
struct lateness {
    uint64_t state;
};

struct lateness lateness_of(int rank);

/* A number below `most` > 0. */
unsigned late_below(struct lateness *lateness, unsigned most);

/* Sleeps for up to 50 us, now and then. */
void late_pause(struct lateness *lateness);

extern const struct summand__transport_entry late_transport;

/* Local: a window over `lower`, which it closes; `lower` itself without memory. */
struct summand__window *late_window(struct summand__window *lower);

#endif
