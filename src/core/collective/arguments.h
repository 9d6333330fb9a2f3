/* SPDX-License-Identifier: BSD-3-Clause */
/* The arguments that must agree on all ranks of a collective call. */
#pragma once

#include "collective/work.h"
#include "plan/signature.h"

/* Signs the operation of a work, or of a draft with a choice, and the algorithm. The signature
 * refers to the operation. MPI_IN_PLACE is left out, because it changes no message. Local. */
void summand__work_sign(struct summand__signature *signature,
                        const struct summand__collective_work *work,
                        const struct summand__algorithm *algorithm,
                        const struct summand__state *state, bool init);

/* A hash of the arguments that the messages of an exact sum depend on; `type` is that of its
 * numbers. */
uint32_t summand__work_hash(const struct summand__collective_work *work,
                            enum summand__lanes_type type);
