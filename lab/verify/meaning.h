/* SPDX-License-Identifier: BSD-3-Clause */
/* What puts, notifications, waits and computations do in a play, and what computations mean. */
#ifndef SUMMAND_LAB_VERIFY_MEANING_H
#define SUMMAND_LAB_VERIFY_MEANING_H

#include "lab/verify/play.h"
#include "schedule/compute.h"

/* Expressions of computations, for what is expected as for what is played. An operand is what a
 * cell holds, element and all; a term what a kernel makes of two of them (0: no second one); a
 * chain begins with zero and has a term added link by link. */
uint32_t summand__operand_expression(struct summand__expressions *pool, struct summand__cell cell);
uint32_t summand__term(struct summand__expressions *pool, const struct summand__kernel *kernel,
                       uint32_t from, uint32_t with);
/* A term without its second operand: summand__pair_up of the two is the term. */
uint32_t summand__half_term(struct summand__expressions *pool, const struct summand__kernel *kernel,
                            uint32_t from);
/* What a cell with that expression and element holds: of a computed one element 0. */
uint32_t summand__held(struct summand__expressions *pool, uint32_t expression, uint32_t element);
uint32_t summand__chain_zero(void);
/* What an update makes of a result's operand (0: it is not read) and of a chain. */
uint32_t summand__updated(struct summand__expressions *pool, uint32_t before, uint32_t chain);
uint32_t summand__link(struct summand__expressions *pool, uint32_t chain, uint32_t term);

/* Whether the step is a computation, or one-sided. */
static inline bool summand__has_meaning(const struct summand__step *step)
{
    return step->action >= SUMMAND__COMPUTE && step->action <= SUMMAND__WAIT_COUNTER;
}

/* What is wrong with such a step by itself, or NULL: what it names, where it lies, who its counter
 * belongs to, which shapes it has. */
const char *summand__meaning_wrong(const struct summand__play *play, int rank, size_t step);
/* What is wrong with the windows of all ranks together, or NULL. */
const char *summand__windows_wrong(const struct summand__play *play);

/* Rows of rectangles of all computations of a rank, at most; without those of rectangles that
 * cannot lie in places of `cells` elements at most. */
size_t summand__most_rows(const struct summand__play *play, size_t cells);
struct summand__region summand__tile_row(const struct summand__tile *tile, size_t row);

/* A computation's rectangles: 0 from, 1 with, 2 to. */
struct summand__tile summand__step_tile(const struct summand__schedule *schedule, size_t step,
                                        int which);

/* Plays the step; `end` ends its round. False after saying what is wrong. A wait for a counter is
 * played once it is true. */
bool summand__play_meaning(struct summand__play *play, int rank, size_t step, size_t end);

/* Plays a step of another kind where there are windows, which it may touch. */
bool summand__play_local(struct summand__play *play, int rank, size_t step);

/* Whether every counter has got in this start what it declares. */
bool summand__play_counters(struct summand__play *play);

/* What messages of the round [begin, end) do to windows, and that they know enough to. */
bool summand__play_windows(struct summand__play *play, int rank, size_t begin, size_t end);

#endif
