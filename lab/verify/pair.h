/* SPDX-License-Identifier: BSD-3-Clause */
/* Messages of a play: the k-th send of a rank to another meets the k-th receive there, as in MPI.
 * So which ends meet does not depend on when they are posted. */
#ifndef SUMMAND_LAB_VERIFY_PAIR_H
#define SUMMAND_LAB_VERIFY_PAIR_H

#include <stdint.h>

#include "schedule/schedule.h"

#define SUMMAND__NO_STEP UINT32_MAX

/* For every step of all ranks, numbered through from rank 0's first, the other end of its message;
 * SUMMAND__NO_STEP for local steps and messages without another end. Returns what the caller frees,
 * or NULL when out of memory or where there are too many steps. Cost: linear in steps and ranks. */
uint32_t *summand__pair(const struct summand__schedule *schedules, int ranks);

#endif
