/* SPDX-License-Identifier: BSD-3-Clause */
/* The steps of a schedule that are no messages of a link: computations, puts, notifications and
 * waits for counters. A put and the notification behind it, to the same rank, are one call of the
 * window. */
#ifndef SUMMAND_EXEC_ONESIDED_H
#define SUMMAND_EXEC_ONESIDED_H

#include "exec/record.h"
#include "schedule/compute.h"
#include "transport/transport.h"

/* What these steps need besides a link; kept by the caller. */
struct summand__onesided {
    /* The window places of the schedule are its slots, in their order; its counters are those of
     * the window, from `first_counter` on. NULL if nothing is put or waited for. */
    struct summand__window *window;
    int first_counter;
    const int *rank_of; /* rank in the window of each rank of the schedule; NULL: the same */
    void *place[SUMMAND__MOST_PLACES - SUMMAND__PLACES]; /* [in] but of windows: element 0 */

    /* [in] Called with rows of a computation that tells, when they are done: where the first row
     * begins in its place. NULL: nobody asks. */
    void (*tell)(void *context, uint32_t place, size_t first, size_t rows);
    void *context;

    struct summand__recording *recording; /* [in] where the run is recorded, or NULL */

    bool undisturbed; /* [in] nothing else of this rank needs a turn meanwhile */

    uint64_t starts;                /* before the current one */
    int slot[SUMMAND__MOST_PLACES]; /* of each window place */
    size_t rows;                    /* of a computation that are done */
    double rate;                    /* s per unit of effort, as measured last; 0: not yet */
    double spent;                   /* s of computations since others had their turn, about */
};

/* Of a new schedule: the slots of its windows. */
void summand__onesided_init(struct summand__onesided *onesided,
                            const struct summand__schedule *schedule);

/* What steps are run on: addresses of element 0 of each place and bytes of its elements. */
struct summand__step_memory {
    unsigned char *const *place;
    const size_t *unit;
};

/* Runs the step: `*done` is false if a counter has not come to its value, and after a quantum
 * of a computation that has more to do: the same step is to be run again. 0 or the window's or
 * kernel's error code. */
int summand__onesided_step(struct summand__onesided *onesided,
                           const struct summand__schedule *schedule, size_t step,
                           const struct summand__step_memory *memory, bool *done);

/* The end of a round: whether what was put may be written again. */
int summand__onesided_flush(struct summand__onesided *onesided, bool *done);

/* Moves puts on, of this rank and to it, while it waits for other things. */
int summand__onesided_progress(struct summand__onesided *onesided);

#endif
