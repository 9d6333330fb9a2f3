/* SPDX-License-Identifier: BSD-3-Clause */
/* Late and reordered deliveries: wrappers over any other row of the tables of transports and
 * windows. They keep exactly the promises of those tables. TEST_LATE in the environment is the
 * seed. Only the rank itself is late, and its messages are unchanged, so other ranks need not know.
 * */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "compute/mpi/window.h"

/* Drawn numbers: one sequence for each rank and user. */
struct lateness {
    uint64_t state;
};

struct lateness lateness_of(int rank);

/* A number below `most` > 0. */
unsigned late_below(struct lateness *lateness, unsigned most);

/* Sometimes sleeps, for up to 50 us. */
void late_pause(struct lateness *lateness);

extern const struct summand__transport_entry late_transport;

/* Local: a window over `lower`, which it closes; returns `lower` itself if memory is lacking. */
struct summand__window *late_window(struct summand__window *lower);
