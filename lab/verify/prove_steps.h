/* SPDX-License-Identifier: BSD-3-Clause */
/* Proves schedules of any steps, also computations, puts and counters, for any number of starts.
 * The schedules may run beside collectives or consist of several schedules. */
#pragma once

#include "lab/verify/expression.h"
#include "lab/verify/play.h"
#include "schedule/compute.h"

#define SUMMAND__UNTOUCHED UINT32_MAX

struct summand__steps_proof {
    int ranks;                                 /* [in] */
    const struct summand__schedule *schedules; /* [in] one per rank */
    size_t sendbuf, recvbuf;                   /* [in] elements of these places */
    const int *node; /* [in] of each rank, for schedules after their passes, if ranks of a node
                        combine messages on arrival; NULL: nobody does */
    /* [in] What element i of a rank's recvbuf or other result place holds at the end of each start,
     * in operands of the pool (summand__held); SUMMAND__UNDEFINED: anything; SUMMAND__UNTOUCHED:
     * nothing was written there. */
    uint32_t (*expected)(const void *context, struct summand__expressions *pool, int rank,
                         uint32_t place, size_t i);
    /* Accepts other content if bracketings are open; or NULL. */
    bool (*meant)(const void *context, struct summand__expressions *pool, int rank, uint32_t place,
                  size_t i, struct summand__cell cell);
    const void *context;
    bool alike;           /* [in] updated places hold the same on all ranks */
    unsigned most_starts; /* [in] gives up if nothing recurs by then; 0: proves one start only */

    unsigned starts;                 /* [out] number of starts until the state recurs */
    size_t messages, elements;       /* [out] of the last start */
    size_t repeats, repeated, depth; /* [out] the same (lab/verify/play.h) */
    size_t puts, waits;              /* [out] the same */
    char fault[320];                 /* [out] what is wrong, or "" */
};

/* Proves one start as a collective (lab/verify/prove.h), and also:
 * - no rank touches elements of a window, or of a place that others view, unless it knows that
 *   earlier accesses of others have ended;
 * - views are touched only during their owner's start;
 * - every wait for a counter ends, and counters get what they declare.
 * Then it proves the next start after the first, and so on, until the knowledge at the end of a
 * start is the same as at the end of the one before. From then on it stays the same. If a start
 * touches other elements of windows than the one before it, nothing is proved. */
bool summand__prove_steps(struct summand__steps_proof *proof);

/* Element i of an input place as an operand. A copy of the element holds the same. */
uint32_t summand__input_operand(struct summand__expressions *pool,
                                const struct summand__schedule *schedule, int rank, uint32_t place,
                                size_t i);

/* The same for an updated place, if these are alike. */
uint32_t summand__alike_operand(struct summand__expressions *pool, uint32_t place, size_t i);
