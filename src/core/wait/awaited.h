/* SPDX-License-Identifier: BSD-3-Clause */
/* The ranks that a wait is for, and the facts that those on this node publish. */
#pragma once

#include "wait/wait.h"

/* Calls `each` for the awaited ranks; and returns a number that stays the same while the awaited
 * ranks on this node enter no call. */
void summand__watch_each(const struct summand__watch *watch, summand__each_rank *each,
                         void *context);
uint64_t summand__watch_seen(const struct summand__watch *watch);
