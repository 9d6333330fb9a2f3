/* SPDX-License-Identifier: BSD-3-Clause */
/* Plays the schedules of all ranks symbolically: every cell of memory holds an expression.
 *
 * Messages are matched in order per pair of ranks, and a round ends only when both ends of each of
 * its messages have been reached (rendezvous), so what passes here cannot deadlock however little
 * the MPI buffers.
 *
 * Played is what runs, after the passes (schedule/passes/). Taken for granted is what transport.h
 * promises where messages are combined as they arrive, between ranks of a node: elements are
 * combined once all of the round is posted, those of earlier receives first, and what a send to a
 * rank of the node reads of the very elements of a result is read before. */
#pragma once

#include "lab/verify/expression.h"
#include "schedule/schedule.h"
#include <stdint.h>

struct summand__cell {
    uint32_t expression; /* SUMMAND__UNDEFINED: never written */
    uint32_t element;    /* index of the element that it belongs to; or with it: */
};
#define SUMMAND__NOT_AGAIN 0x80000000u /* a step said that it would not be read again */

/* A place; an absent one has no cells. */
struct summand__room {
    struct summand__cell *cells;
    size_t count;
    bool writable;
};

/* Memory of one rank. Other places are absent: touching them is an error. */
struct summand__memory {
    unsigned places;
    struct summand__room *place;
};

/* True if the region lies in a place, which must be writable if `writes`. */
static inline bool summand__holds(const struct summand__memory *memory,
                                  struct summand__region region, bool write)
{
    if (region.place >= memory->places)
        return false;
    const struct summand__room *room = &memory->place[region.place];
    return region.first <= room->count && region.count <= room->count - region.first &&
           !(write && region.count && !room->writable);
}

struct summand__clocks;

struct summand__play {
    int ranks;
    const struct summand__schedule *schedules; /* [in] one per rank */
    const int *node;     /* [in] of each rank; NULL: nothing is combined as it arrives */
    const bool *checked; /* [in] ranks whose schedules passed their own check; or NULL */
    struct summand__memory *memories;  /* [inout] one per rank */
    struct summand__expressions *pool; /* [inout] */
    struct summand__clocks
        *clocks;               /* [inout] needed if schedules compute or have counters; or NULL */
    size_t messages, elements; /* [out] sent in all */
    size_t repeats, repeated;  /* [out] as in struct summand__cost */
    size_t depth;              /* [out] messages on the longest chain */
    size_t puts, waits; /* [out] puts; ends of rounds with messages, and waits for counters */
    char fault[256];    /* [out] what is wrong, or "" */
};

/* True if the schedules run to their end without a fault. */
bool summand__play(struct summand__play *play);

/* How whatever plays or checks schedules says what is wrong. */

/* Describes an error in play->fault. Returns false. */
bool summand__play_fault(struct summand__play *play, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

const char *summand__place_name(enum summand__place place);

/* Messages of a play: the k-th send of a rank to another meets the k-th receive there, as in MPI.
 * So which ends meet does not depend on when they are posted. */

#define SUMMAND__NO_STEP UINT32_MAX

/* For every step of all ranks, numbered through from rank 0's first, the other end of its message;
 * SUMMAND__NO_STEP for local steps and messages without another end. Returns what the caller frees,
 * or NULL when out of memory or where there are too many steps. Cost: linear in steps and ranks. */
uint32_t *summand__pair(const struct summand__schedule *schedules, int ranks);
