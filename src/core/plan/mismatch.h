/* SPDX-License-Identifier: BSD-3-Clause */
/* Explains an argument in which the ranks differ. */
#pragma once

#include "plan/signature.h"

/* Collective, if all ranks know that `argument`, this rank's, differs between ranks. The text of
 * SUMMAND_ERR_MISMATCH then ends with all values, "count: 1000 on rank 0, 500 on ranks 1-3". If a
 * rank does not join or is out of memory, it ends with the argument's name. */
void summand__mismatch_explain(struct summand__state *state,
                               const struct summand__argument *argument);

/* The same if the argument is not known yet: explains the first one that differs. */
void summand__mismatch_find(struct summand__state *state,
                            const struct summand__signature *signature);
