/* SPDX-License-Identifier: BSD-3-Clause */
/* What must agree on all ranks of a collective call. */
#ifndef SUMMAND_COLLECTIVE_ARGUMENTS_H
#define SUMMAND_COLLECTIVE_ARGUMENTS_H

#include "collective/work.h"
#include "plan/signature.h"

/* Of a draft that has been chosen for, or of a work: its operation, which stays the signature's,
 * and what will run. MPI_IN_PLACE is not among them, as it changes no message. Local. */
void summand__work_sign(struct summand__signature *signature,
                        const struct summand__collective_work *work,
                        const struct summand__algorithm *algorithm,
                        const struct summand__state *state, bool init);

#endif
