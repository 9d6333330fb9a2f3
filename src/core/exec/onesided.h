/* SPDX-License-Identifier: BSD-3-Clause */
/* Runs steps that are not messages of a link: computations, puts, notifications and waits for
 * counters. A put and the notification after it, to the same rank, are one window call. */
#pragma once

#include "exec/record.h"
#include "schedule/compute.h"
#include "transport/transport.h"

/* State of these steps, besides a link; the caller keeps it. */
struct summand__onesided {
    /* Its slots are the schedule's window places, in order; its counters from `first_counter` on
     * are the schedule's. NULL if no step needs it. */
    struct summand__window *window;
    int first_counter;
    const int *rank_of; /* rank in the window of each rank of the schedule; NULL: the same */
    void *place[SUMMAND__MOST_PLACES - SUMMAND__PLACES]; /* [in] except windows: element 0 */

    /* [in] Called when rows of a computation that tells are done; `first`: element of the place at
     * which they begin. NULL: not called. */
    void (*tell)(void *context, uint32_t place, size_t first, size_t rows);
    void *context;

    struct summand__recording *recording; /* [in] for recording runs, or NULL */

    bool undisturbed; /* [in] the rank needs turns for nothing else meanwhile */

    uint64_t starts;                /* number of starts before the current one */
    int slot[SUMMAND__MOST_PLACES]; /* of each window place */
    size_t rows;                    /* finished rows of a computation */
    double rate;                    /* s per unit of effort, as last measured; 0: not yet */
    double spent;                   /* s of computations since others had a turn, about */
};

/* Initializes for a new schedule: sets the slots of its windows. */
void summand__onesided_init(struct summand__onesided *onesided,
                            const struct summand__schedule *schedule);

/* The memory of a step: addresses of element 0 of each place, and bytes of its elements. */
struct summand__step_memory {
    unsigned char *const *place;
    const size_t *unit;
};

/* Runs the step. `*done` is false if a counter has not reached its value, or if a computation has
 * used its quantum and has more to do: then run the same step again. Returns 0 or the window's or
 * kernel's error code. */
int summand__onesided_step(struct summand__onesided *onesided,
                           const struct summand__schedule *schedule, size_t step,
                           const struct summand__step_memory *memory, bool *done);

/* Ends a round: tells if the sources of its puts may be overwritten. */
int summand__onesided_flush(struct summand__onesided *onesided, bool *done);

/* Progresses puts from and to this rank while it waits for other things. */
int summand__onesided_progress(struct summand__onesided *onesided);
