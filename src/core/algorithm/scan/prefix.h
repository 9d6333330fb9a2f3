/* SPDX-License-Identifier: BSD-3-Clause */
/* What the algorithms of scans share. An inclusive scan leaves on rank r the combination of ranks 0
 * to r; an exclusive one that of ranks 0 to r - 1, and nothing on rank 0. */
#pragma once

#include "algorithm/call.h"

/* Entries of `build` for both scans. */
#define SUMMAND__SCANS(function) [SUMMAND__COLL_SCAN] = function, [SUMMAND__COLL_EXSCAN] = function

static inline bool summand__is_exclusive(const struct summand__call *call)
{
    return call->collective == SUMMAND__COLL_EXSCAN;
}

/* The rank's contribution for as long as the schedule runs. Of an exclusive scan in place it would
 * lie where the result comes, so it is copied to scratch first; but not on the last rank, whose
 * operand nobody needs. */
struct summand__region summand__prefix_input(const struct summand__call *call,
                                             struct summand__schedule *schedule);

/* A region of scratch for so many elements. */
struct summand__region summand__prefix_room(struct summand__schedule *schedule, size_t count);
