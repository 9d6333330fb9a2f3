/* Whether all ranks are ready for the same thing. */
#ifndef SUMMAND_PLAN_AGREE_H
#define SUMMAND_PLAN_AGREE_H

#include <stdint.h>

#include "comm/state.h"

/* Collective: 0 where every rank comes with the same signature and without error; otherwise an MPI
 * error code on every rank, its own on a rank that came with one. */
int summand__agree(struct summand__state *state, int code, uint32_t signature);

#endif
