/* SPDX-License-Identifier: BSD-3-Clause */
/* How the library waits. Each wait is a loop of polls:
 *
 *     struct summand__wait wait = {.backoff = {.awake = true}, .watch = &watch};
 *     int code = summand__wait_until(&wait, poll, context);
 *     summand__watch_end(&watch);
 *
 * After a failed poll the wait takes a turn. The first turns spin and read no clock, then turns
 * yield (base/backoff.h). A turn that yields also looks at the wait's *watch*, which
 * - ends the wait with SUMMAND_ERR_REMOTE if another rank has aborted the operation, or left it by
 *   leaving an agreement, or if a process that is waited for is gone;
 * - says once on stderr where the rank is stuck, after SUMMAND_STALL (wait/stuck.h);
 * - ends the wait with SUMMAND_ERR_TIMEOUT after the watch's own timeout, else SUMMAND_TIMEOUT.
 * The time of a wait starts again when the caller resets the backoff, because something moved.
 *
 * Transports and plans, whose loops do more than poll, take their turns by themselves. Gossip alone
 * has a wait of its own (gossip/mpi/wait.c): its memory is guarded against flipped bits while it
 * waits, and its clock is the MPI's, which may be a simulated one. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/backoff.h"

struct summand__channel;

/* Called for ranks of the communicator, perhaps twice for one. */
typedef void summand__each_rank(void *context, int rank);

struct summand__watch {
    struct summand__channel *channel; /* NULL: the communicator has none yet, or MPI ends */
    /* Without a channel: the text of the wait and this rank, for reports. NULL: no report, and
     * SUMMAND_TIMEOUT does not apply. */
    const char *where;
    int rank, ranks;
    uint64_t plan;  /* the call that made the plan, as in struct summand__presence; 0: no plan, but
                       the current call */
    double timeout; /* seconds; 0: the environment's */
    bool plans;     /* summand__wait_until progresses the active plans of this thread */
    /* Calls `each` for the awaited ranks; NULL: all are. */
    void (*awaited)(const void *of, summand__each_rank *each, void *context);
    const void *of;
    /* Prints count, type and so on: "1000 MPI_DOUBLE, root 0"; or NULL. */
    void (*describe)(const void *what, char *text, size_t room);
    const void *what;
    /* State of the wait that began at `since`. */
    uint64_t since;
    uint64_t overdue, stalled;                        /* when the limit was first seen exceeded */
    uint64_t quick_look, process_look, process_pause; /* times of the next ones */
    uint64_t seen;    /* hash of the awaited ranks' calls at `since` */
    double limits[2]; /* without a channel: the environment's, read at `since` */
    bool said, told;
    bool notified; /* the error came from a rank that has told all others */
};

struct summand__wait {
    struct summand__backoff backoff;
    struct summand__watch *watch; /* NULL: waits for ever, without reports */
    bool mpi; /* polls do not call the MPI, so looks at the watch do; the watch has a channel */
};

/* These return MPI_SUCCESS, or the error that ends the wait. After an error, poll once more:
 * something may have moved meanwhile. */

/* Looks at the watch if there is one and the wait has begun to yield. */
int summand__wait_look_now(struct summand__wait *wait, bool waits);
static inline int summand__wait_look(struct summand__wait *wait)
{
    return wait->watch && wait->backoff.yielded ? summand__wait_look_now(wait, true) : 0;
}

/* Takes a turn after a failed poll. */
static inline int summand__wait_turn(struct summand__wait *wait)
{
    return summand__backoff_turn(&wait->backoff) ? summand__wait_look(wait) : 0;
}

/* Call it after a failed poll if the caller may return before the wait is over, and backs off by
 * itself. It looks at the watch after 10 ms. `waits`: it does not return. Cost: a coarse clock. */
int summand__wait_poll(struct summand__wait *wait, bool waits);

/* Polls until `poll` is true or sets `*code`, and takes turns between. Returns the code; or, if a
 * turn ends the wait and one more poll fails, the turn's error. */
typedef bool summand__poll(void *context, int *code);
int summand__wait_until(struct summand__wait *wait, summand__poll *poll, void *context);

/* Progresses the active plans of this thread once; false if there are none. `summand__wait_plans`
 * sets the function; called when the first plan starts. */
bool summand__wait_progress_plans(void);
void summand__wait_plans(bool (*progress)(void));

/* Calls the MPI to progress messages, also the program's, which another rank may first wait for.
 * Returns an MPI error code. */
int summand__wait_drive_mpi(const struct summand__channel *channel);

/* SUMMAND_TIMEOUT and SUMMAND_STALL, in seconds; 0: none. */
void summand__wait_limits(double *timeout, double *stall);

/* The number of the current call, or of the call that made the plan. */
uint64_t summand__watch_number(const struct summand__watch *watch);

/* True if another rank is known to have aborted the call or plan: by a notice, or, if it has left
 * an agreement, by its presence on this node. */
bool summand__watch_aborted(const struct summand__watch *watch);

/* Ends the wait: clears it in this rank's presence. */
void summand__watch_end_told(struct summand__watch *watch);
static inline void summand__watch_end(struct summand__watch *watch)
{
    if (watch->told)
        summand__watch_end_told(watch);
}
