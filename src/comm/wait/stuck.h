/* The words about a rank that waits in vain: where it is, for whom it waits, where those are. */
#ifndef SUMMAND_COMM_WAIT_STUCK_H
#define SUMMAND_COMM_WAIT_STUCK_H

#include "comm/wait/watch.h"

/* One line on stderr. */
void summand__stuck_say(const struct summand__watch *watch, uint64_t now);

/* The same, as far as there is room, as the text of SUMMAND_ERR_TIMEOUT. */
void summand__stuck_explain(const struct summand__watch *watch, uint64_t now);

#endif
