/* SPDX-License-Identifier: BSD-3-Clause */
/* Reports of a wait that has lasted for long: the call of this rank, the ranks that it waits for,
 * and their calls. */
#pragma once

#include "wait/wait.h"

/* Prints one line on stderr. */
void summand__stuck_say(const struct summand__watch *watch, uint64_t now);

/* The same as the text of SUMMAND_ERR_TIMEOUT, as far as there is room. */
void summand__stuck_explain(const struct summand__watch *watch, uint64_t now);
