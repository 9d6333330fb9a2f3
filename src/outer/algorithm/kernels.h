/* SPDX-License-Identifier: BSD-3-Clause */
/* The computations of sums of outer products: rows of tables, one for each type of factors. */
#pragma once

#include <stdbool.h>

#include "compute/outer.h"
#include "schedule/compute.h"

/* Chains of products over pairs. A result may be updated by its chain at once. `from` and `with`
 * are factors, a pair in each row. */
extern const struct summand__kernel summand__outer_chains[SUMMAND__OUTER_TYPES];
extern const struct summand__kernel summand__outer_updates_by[SUMMAND__OUTER_TYPES];
/* The same by a BLAS, for calls with any bits; entries without a name do not exist. */
extern const struct summand__kernel summand__outer_fast_chains[SUMMAND__OUTER_TYPES];
extern const struct summand__kernel summand__outer_fast_updates_by[SUMMAND__OUTER_TYPES];
/* Results that are updated by a sum of their own type (after an all-reduce). */
extern const struct summand__kernel summand__outer_applies[SUMMAND__OUTER_TYPES];

/* Bytes that a product moves for a result of so many bytes. A result that is read and is in no
 * cache takes 1.5 times as long as one written past the caches (4096 x 4096 doubles on a Xeon,
 * family 6, model 167: 9.9 ms and 6.6 ms). */
double summand__outer_moved(double bytes, bool begins);
