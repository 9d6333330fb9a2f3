/* Plays the schedules of all ranks symbolically: every cell of memory holds an expression.
 *
 * Messages are matched in order per pair of ranks, and a round ends only when both ends of each of
 * its messages have been reached (rendezvous), so what passes here cannot deadlock however little
 * the MPI buffers. */
#ifndef SUMMAND_SCHEDULE_PLAY_H
#define SUMMAND_SCHEDULE_PLAY_H

#include "schedule/expression.h"
#include "schedule/schedule.h"

struct summand__cell {
    uint32_t expression; /* SUMMAND__UNDEFINED: never written */
    uint32_t element;    /* index of the element that it belongs to */
};

/* Memory of one rank; a place may be absent (no cells): touching it is an error. */
struct summand__memory {
    struct summand__cell *place[SUMMAND__PLACES];
    size_t count[SUMMAND__PLACES];
    bool writable[SUMMAND__PLACES];
};

struct summand__play {
    int ranks;
    const struct summand__schedule *schedules; /* [in] one per rank */
    struct summand__memory *memories;          /* [inout] one per rank */
    struct summand__expressions *pool;         /* [inout] */
    size_t messages, elements;                 /* [out] sent in all */
    size_t repeats, repeated;                  /* [out] of these, as in struct summand__cost */
    size_t depth;                              /* [out] messages on the longest chain */
    char fault[256];                           /* [out] what is wrong, or "" */
};

/* True if the schedules run to their end without fault. */
bool summand__play(struct summand__play *play);

#endif
