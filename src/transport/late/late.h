/* Deliveries that are late and in another order, for tests: rows over any other row of the tables
 * of transports and windows, which keep what these promise and nothing more. SUMMAND_LATE is the
 * seed. A rank is late by itself: what travels is the same, so others need not know. */
#ifndef SUMMAND_TRANSPORT_LATE_LATE_H
#define SUMMAND_TRANSPORT_LATE_LATE_H

#include <stdbool.h>
#include <stdint.h>

#include "transport/window/window.h"

/* Drawn numbers: one sequence for each rank and user. */
struct summand__lateness {
    uint64_t state;
};

struct summand__lateness summand__lateness(uint64_t seed, int rank);

/* A number below `most` > 0. */
unsigned summand__late_below(struct summand__lateness *lateness, unsigned most);

/* Sleeps for up to 50 us, now and then. */
void summand__late_pause(struct summand__lateness *lateness);

/* Local: a window over `lower`, which it closes; `lower` itself where nothing is to be late, or out
 * of memory. */
struct summand__window *summand__late_window(struct summand__window *lower);

#endif
