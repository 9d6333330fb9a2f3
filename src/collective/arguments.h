/* What must agree on all ranks of a collective call. */
#ifndef SUMMAND_COLLECTIVE_ARGUMENTS_H
#define SUMMAND_COLLECTIVE_ARGUMENTS_H

#include "collective/shape.h"
#include "plan/signature.h"

/* Of a request that has been checked and chosen for: its arguments and options, and what will run.
 * MPI_IN_PLACE is not among them, as it changes no message. Local. */
void summand__request_sign(struct summand__signature *signature,
                           const struct summand__request *request,
                           const struct summand__shape *shape, const struct summand__state *state,
                           bool init);

#endif
