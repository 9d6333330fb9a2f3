/* SPDX-License-Identifier: BSD-3-Clause */
/* The words of a wait that has lasted for long: where this rank is, for which ranks it waits, and
 * where those are. */
#ifndef SUMMAND_WAIT_STUCK_H
#define SUMMAND_WAIT_STUCK_H

#include "wait/wait.h"

/* One line on stderr. */
void summand__stuck_say(const struct summand__watch *watch, uint64_t now);

/* The same, as far as there is room, as the text of SUMMAND_ERR_TIMEOUT. */
void summand__stuck_explain(const struct summand__watch *watch, uint64_t now);

#endif
