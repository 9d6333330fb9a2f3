/* SPDX-License-Identifier: BSD-3-Clause */
/* The symbolic side of reduce, copy and message: their effect on the cells of a play. */
#pragma once

#include "lab/verify/play.h"

/* Plays a reduce or copy step of a rank. Returns false after a fault. */
bool summand__cells_step(struct summand__play *play, int rank, const struct summand__step *step);

/* Combines a received message of a rank. The message's place is then empty, unless it holds the
 * result. */
bool summand__cells_combine(struct summand__play *play, int rank, const struct summand__step *step);

/* Transfers a message between regions of equal length. Returns false after a fault. */
bool summand__cells_message(struct summand__play *play, int sender,
                            const struct summand__step *send, int receiver,
                            const struct summand__step *recv);
