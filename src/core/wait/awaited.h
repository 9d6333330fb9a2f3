/* SPDX-License-Identifier: BSD-3-Clause */
/* The ranks that a wait is for, and what those of this node tell about themselves. */
#ifndef SUMMAND_WAIT_AWAITED_H
#define SUMMAND_WAIT_AWAITED_H

#include "wait/wait.h"

/* Those that are waited for; and a number that stays the same while these that are on this node
 * enter no call. */
void summand__watch_each(const struct summand__watch *watch, summand__each_rank *each,
                         void *context);
uint64_t summand__watch_seen(const struct summand__watch *watch);

#endif
