/* What steps do to the cells of a play: the symbolic side of reduce, copy and message. */
#ifndef SUMMAND_LAB_VERIFY_CELLS_H
#define SUMMAND_LAB_VERIFY_CELLS_H

#include "lab/verify/play.h"

/* A reduce or copy step of a rank; nothing for others. False after saying what is wrong. */
bool summand__cells_step(struct summand__play *play, int rank, const struct summand__step *step);

/* What a receive of a rank, which has come, is joined with. Where it lay there is nothing then. */
bool summand__cells_join(struct summand__play *play, int rank, size_t recv);

/* What one rank sends into what another one receives, of equal length. False after saying what is
 * wrong. */
bool summand__cells_message(struct summand__play *play, int sender, struct summand__region from,
                            int receiver, struct summand__region to);

#endif
