/* SPDX-License-Identifier: BSD-3-Clause */
/* Proves schedules of any steps: with computations, puts and counters, and however often they are
 * started, beside collectives' or put together of several. */
#ifndef SUMMAND_LAB_VERIFY_PROVE_STEPS_H
#define SUMMAND_LAB_VERIFY_PROVE_STEPS_H

#include "lab/verify/expression.h"
#include "lab/verify/play.h"
#include "schedule/compute.h"

#define SUMMAND__UNTOUCHED UINT32_MAX

struct summand__steps_proof {
    int ranks;                                 /* [in] */
    const struct summand__schedule *schedules; /* [in] one per rank */
    size_t sendbuf, recvbuf;                   /* [in] elements of these places */
    const int *node; /* [in] of each rank, where messages are combined as they arrive in it: of
                        schedules after their passes; NULL: nowhere */
    /* [in] What element i of a rank's recvbuf or other result place holds at the end of each start,
     * in operands of the pool (summand__held); SUMMAND__UNDEFINED: anything; SUMMAND__UNTOUCHED:
     * nothing was written there. */
    uint32_t (*expected)(const void *context, struct summand__expressions *pool, int rank,
                         uint32_t place, size_t i);
    /* What is not that may be right all the same, where bracketings are left open; or NULL. */
    bool (*meant)(const void *context, struct summand__expressions *pool, int rank, uint32_t place,
                  size_t i, struct summand__cell cell);
    const void *context;
    bool alike;           /* [in] updated places hold the same on all ranks */
    unsigned most_starts; /* [in] gives up where nothing recurs by then; 0: one start is enough */

    unsigned starts;                 /* [out] after how many all recurs */
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

/* Element i of an input place as an operand, which is what a copy of it holds as well. */
uint32_t summand__input_operand(struct summand__expressions *pool,
                                const struct summand__schedule *schedule, int rank, uint32_t place,
                                size_t i);

/* The same of an updated place, where these are alike. */
uint32_t summand__alike_operand(struct summand__expressions *pool, uint32_t place, size_t i);

#endif
