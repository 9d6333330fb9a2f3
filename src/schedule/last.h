/* Results that a schedule does not come back to. */
#ifndef SUMMAND_SCHEDULE_LAST_H
#define SUMMAND_SCHEDULE_LAST_H

#include "schedule/schedule.h"

/* Sets last[i], for each step of the schedule, to whether step i writes elements of the recvbuf
 * that no step behind it reads: they are results, or about to be written anew. False when out of
 * memory. Cost: linear in the steps times the number of separate stretches that are still read. */
bool summand__mark_last(const struct summand__schedule *schedule, bool *last);

#endif
