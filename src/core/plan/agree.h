/* SPDX-License-Identifier: BSD-3-Clause */
/* Agreement: a check that all ranks are ready for the same operation. */
#pragma once

#include "comm/state.h"
#include "plan/signature.h"

/* Collective. MPI_SUCCESS if every rank joins without error and with the same signature (NULL:
 * none). Otherwise an MPI error code on every rank: its own on a rank that joined with one, else
 * SUMMAND_ERR_REMOTE or SUMMAND_ERR_MISMATCH. Their texts name the failed rank, or the argument
 * that differs and where.
 *
 * Sets state->parted if this rank has left the agreement, knows that another has, or is behind:
 * other ranks may continue. Only the library's own messages may follow an agreement, with a tag
 * that is then aborted (summand__plan_abandon).
 *
 * Cost: one MPI_Iallreduce of 55 words. If the ranks differ, an exchange of 72 bytes per rank
 * (plan/join.h). */
int summand__agree(struct summand__state *state, int code,
                   const struct summand__signature *signature);

/* The same, and each rank tells the others a pair of words without more messages. `pairs` holds
 * this rank's pair at its rank; with MPI_SUCCESS it gets the pairs of all ranks. For at most
 * SUMMAND__TELLING ranks. */
int summand__agree_and_tell(struct summand__state *state, int code,
                            const struct summand__signature *signature, int64_t (*pairs)[2]);

/* The same, and the ranks compare a number without more messages. With MPI_SUCCESS, `*alike` tells
 * if all numbers are equal; a difference is no error. */
int summand__agree_and_compare(struct summand__state *state, int code,
                               const struct summand__signature *signature, int64_t number,
                               bool *alike);

/* Completes an agreement that this rank has left early, after a timeout or because another rank had
 * ended or left. Call it before another agreement and before its tags are taken. Does nothing if
 * there is none. On an MPI error code it is left again. */
int summand__agree_earlier(struct summand__state *state);

/* Local. This rank joins no more agreements in the call, because of this error; ranks that may wait
 * in one learn of it. */
void summand__await_none(struct summand__state *state, int code);
