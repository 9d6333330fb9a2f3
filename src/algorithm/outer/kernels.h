/* The computations of sums of outer products: rows of tables, one for each type of factors. */
#ifndef SUMMAND_ALGORITHM_OUTER_KERNELS_H
#define SUMMAND_ALGORITHM_OUTER_KERNELS_H

#include "kernel/outer.h"
#include "schedule/compute.h"

/* Chains of products over pairs, and results that are updated by such a chain at once. `from` and
 * `with` are factors, a pair in each row. */
extern const struct summand__kernel summand__outer_chains[SUMMAND__OUTER_TYPES];
extern const struct summand__kernel summand__outer_updates_by[SUMMAND__OUTER_TYPES];
/* The same where bits need not be kept, by the BLAS at hand; no names where there are none. */
extern const struct summand__kernel summand__outer_fast_chains[SUMMAND__OUTER_TYPES];
extern const struct summand__kernel summand__outer_fast_updates_by[SUMMAND__OUTER_TYPES];
/* Results that are updated by a matrix of their own type, which others have added up. */
extern const struct summand__kernel summand__outer_applies[SUMMAND__OUTER_TYPES];

#endif
