/* Marks results that are never read again. */
#ifndef SUMMAND_SCHEDULE_PASSES_LAST_H
#define SUMMAND_SCHEDULE_PASSES_LAST_H

#include "schedule/schedule.h"

/* Sets last[i] for each step i: whether it writes elements of the recvbuf that no later step reads.
 * These are results, or are written again. False when out of memory. Cost: linear in the steps,
 * times the number of separate ranges that are still read. */
bool summand__mark_last(const struct summand__schedule *schedule, bool *last);

#endif
