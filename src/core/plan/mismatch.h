/* SPDX-License-Identifier: BSD-3-Clause */
/* What is said of an argument in which the ranks differ. */
#ifndef SUMMAND_PLAN_MISMATCH_H
#define SUMMAND_PLAN_MISMATCH_H

#include "plan/signature.h"

/* Collective, where all ranks know that `argument`, this rank's, is not alike on all: the text of
 * SUMMAND_ERR_MISMATCH ends with who has what, "count: 1000 on rank 0, 500 on ranks 1-3", or, where
 * a rank does not come or has no memory for it, with the argument's name alone. */
void summand__mismatch_explain(struct summand__state *state,
                               const struct summand__argument *argument);

/* The same where it is not known yet which argument differs: the first one is told. */
void summand__mismatch_find(struct summand__state *state,
                            const struct summand__signature *signature);

#endif
