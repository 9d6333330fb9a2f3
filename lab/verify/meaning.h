/* SPDX-License-Identifier: BSD-3-Clause */
/* Puts, notifications, waits and computations in a play, and the meaning of computations. */
#pragma once

#include "lab/verify/play.h"
#include "schedule/compute.h"

/* Expressions of computations, both expected and played. An operand is a cell's content with its
 * element; a term is a kernel's result of two operands (0: no second one); a chain begins with
 * zero, and each link adds a term. */
uint32_t summand__operand_expression(struct summand__expressions *pool, struct summand__cell cell);
uint32_t summand__term(struct summand__expressions *pool, const struct summand__kernel *kernel,
                       uint32_t from, uint32_t with);
/* The content of a cell with that expression and element; a computed cell has element 0. */
uint32_t summand__held(struct summand__expressions *pool, uint32_t expression, uint32_t element);
uint32_t summand__chain_zero(void);
/* The result of an update from a result's operand (0: it is not read) and a chain. */
uint32_t summand__updated(struct summand__expressions *pool, uint32_t before, uint32_t chain);
uint32_t summand__link(struct summand__expressions *pool, uint32_t chain, uint32_t term);

/* True if the step is a computation, or one-sided. */
static inline bool summand__has_meaning(const struct summand__step *step)
{
    return step->action >= SUMMAND__COMPUTE && step->action <= SUMMAND__WAIT_COUNTER;
}

/* The error of such a step by itself, or NULL: its names, position, counter's owner and shapes. */
const char *summand__meaning_wrong(const struct summand__play *play, int rank, size_t step);
/* The error of the windows of all ranks together, or NULL. */
const char *summand__windows_wrong(const struct summand__play *play);

/* At most this many rows of rectangles are in all computations of a rank; without rectangles that
 * cannot lie in places of at most `cells` elements. */
size_t summand__most_rows(const struct summand__play *play, size_t cells);
struct summand__region summand__tile_row(const struct summand__tile *tile, size_t row);

/* A computation's rectangles: 0 from, 1 with, 2 to. */
struct summand__tile summand__step_tile(const struct summand__schedule *schedule, size_t step,
                                        int which);

/* Plays the step; `end` ends its round. Returns false after a fault. A wait for a counter is played
 * once it is true. */
bool summand__play_meaning(struct summand__play *play, int rank, size_t step, size_t end);

/* Plays a step of another kind, which may touch windows, if there are windows. */
bool summand__play_local(struct summand__play *play, int rank, size_t step);

/* True if every counter got its declared notifications in this start. */
bool summand__play_counters(struct summand__play *play);

/* Plays the effect of messages of the round [begin, end) on windows, and checks their order. */
bool summand__play_windows(struct summand__play *play, int rank, size_t begin, size_t end);
