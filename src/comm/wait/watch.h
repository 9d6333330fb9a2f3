/* What a rank looks at that has waited for long: whether its time is over, whether another rank has
 * given the operation up or is gone, and whether the user should be told where it is stuck. It
 * costs nothing before a wait has stopped spinning. */
#ifndef SUMMAND_COMM_WAIT_WATCH_H
#define SUMMAND_COMM_WAIT_WATCH_H

#include "comm/state.h"

/* Called for ranks of the communicator; one may come twice. */
typedef void summand__each_rank(void *context, int rank);

struct summand__watch {
    struct summand__state *state;
    uint64_t plan;  /* the call that made the plan, as in struct summand__presence; 0: no plan, but
                       the call that is under way */
    double timeout; /* seconds; 0: the environment's */
    /* The ranks that are waited for; NULL: all. */
    void (*awaited)(const void *of, summand__each_rank *each, void *context);
    const void *of;
    /* Writes count, type and the like: "1000 MPI_DOUBLE, root 0"; or NULL. */
    void (*describe)(const void *what, char *text, size_t room);
    const void *what;
    /* Of the wait that began at `since`. */
    uint64_t since;
    uint64_t overdue, stalled;                        /* when the time was seen to be over, first */
    uint64_t quick_look, process_look, process_pause; /* next ones */
    uint64_t seen; /* a sum of where the ranks were that are waited for */
    bool said, told;
    bool notified; /* the error is one that another rank has told all others of */
};

/* To be called now and then by who has waited in vain since a time of summand__clock, or, unless it
 * `waits`, has tested. Returns MPI_SUCCESS, or the error that ends the wait, unless a last look
 * shows that something has moved. */
int summand__watch_look(struct summand__watch *watch, uint64_t since, bool waits);

/* The number of the call that is waited in, or that made the plan. */
uint64_t summand__watch_number(const struct summand__watch *watch);

/* Whether another rank has aborted the call or plan, as far as it has told so: by a notice, or,
 * where it has left an agreement, on this node. */
bool summand__watch_aborted(const struct summand__watch *watch);

/* The wait is over. */
void summand__watch_end_told(struct summand__watch *watch);
static inline void summand__watch_end(struct summand__watch *watch)
{
    if (watch->told)
        summand__watch_end_told(watch);
}

#endif
