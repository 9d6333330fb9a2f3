/* SPDX-License-Identifier: BSD-3-Clause */
/* Operations of proofs on whole schedules. */
#pragma once

#include "schedule/compute.h"

/* Copies the steps into `to`, which grows. False when out of memory. */
bool summand__schedule_copy(struct summand__schedule *to, const struct summand__schedule *from);
bool summand__schedules_equal(const struct summand__schedule *a, const struct summand__schedule *b);

/* The step after the last send of this send's multicast; for another send, the step after it. */
size_t summand__sends_end(const struct summand__schedule *schedule, size_t step);

/* False if the step begins sends that are marked as a multicast but are not one. A multicast has a
 * send to each other rank, of one region, none of them late. */
bool summand__multicast_to_all(const struct summand__schedule *schedule, size_t step, int ranks);
