/* What is said of an argument in which the ranks differ. */
#ifndef SUMMAND_PLAN_MISMATCH_H
#define SUMMAND_PLAN_MISMATCH_H

#include "plan/signature.h"

/* Memory for what all ranks have, to be freed; NULL when there is none. */
struct summand__mismatch *summand__mismatch_new(const struct summand__state *state);

/* Collective, where all ranks know that `argument`, this rank's, is not alike on all, and have the
 * memory: the text of SUMMAND_ERR_MISMATCH ends with who has what, "count: 1000 on rank 0, 500 on
 * ranks 1-3". An error code of the MPI, which may leave the memory in use: it is NULL then. */
int summand__mismatch_explain(struct summand__state *state,
                              const struct summand__argument *argument,
                              struct summand__mismatch **memory);

#endif
