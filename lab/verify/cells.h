/* SPDX-License-Identifier: BSD-3-Clause */
/* What steps do to the cells of a play: the symbolic side of reduce, copy and message. */
#ifndef SUMMAND_LAB_VERIFY_CELLS_H
#define SUMMAND_LAB_VERIFY_CELLS_H

#include "lab/verify/play.h"

/* A reduce or copy step of a rank. False after saying what is wrong. */
bool summand__cells_step(struct summand__play *play, int rank, const struct summand__step *step);

/* Combines what a receive of a rank has brought. Where it lay there is nothing then, but the
 * result.
 */
bool summand__cells_combine(struct summand__play *play, int rank, const struct summand__step *step);

/* What one rank sends to where another one receives it, of equal length. False after saying what is
 * wrong. */
bool summand__cells_message(struct summand__play *play, int sender,
                            const struct summand__step *send, int receiver,
                            const struct summand__step *recv);

#endif
