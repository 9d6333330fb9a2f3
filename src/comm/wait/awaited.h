/* SPDX-License-Identifier: BSD-3-Clause */
/* The ranks that a wait is for, and what those of this node tell about themselves. */
#ifndef SUMMAND_COMM_WAIT_AWAITED_H
#define SUMMAND_COMM_WAIT_AWAITED_H

#include "comm/wait/presence.h"
#include "comm/wait/wait.h"

/* Those that are waited for; a number that stays the same while these that are on this node enter
 * no call; and what a rank of this node tells, or NULL. */
void summand__watch_each(const struct summand__watch *watch, summand__each_rank *each,
                         void *context);
uint64_t summand__watch_seen(const struct summand__watch *watch);
const struct summand__presence *summand__watch_presence(const struct summand__state *state,
                                                        int rank);

#endif
