/* SPDX-License-Identifier: BSD-3-Clause */
/* Whether all ranks are ready for the same thing. */
#ifndef SUMMAND_PLAN_AGREE_H
#define SUMMAND_PLAN_AGREE_H

#include "comm/state.h"
#include "plan/signature.h"

/* Collective: MPI_SUCCESS where every rank comes without error and with the same signature (NULL:
 * of nothing); otherwise an MPI error code on every rank, its own on a rank that came with one.
 * Others have SUMMAND_ERR_REMOTE or SUMMAND_ERR_MISMATCH, whose texts say which rank failed, or
 * which argument differs where.
 *
 * state->parted: this rank has left the agreement, or knows that another one has, or is behind:
 * other ranks may go on. What follows an agreement must be messages of the library's own, with a
 * tag that is aborted then (summand__plan_abandon).
 *
 * Cost: one MPI_Iallreduce of 55 words. Where the ranks differ, an exchange of 72 bytes per rank
 * (plan/join.h). */
int summand__agree(struct summand__state *state, int code,
                   const struct summand__signature *signature);

/* The same, in which each rank also tells the others a pair of words, with no message more: `pairs`
 * holds this rank's at its place, and in the end, with MPI_SUCCESS, the pairs of all ranks by rank.
 * For SUMMAND__TELLING ranks at the most. */
int summand__agree_and_tell(struct summand__state *state, int code,
                            const struct summand__signature *signature, int64_t (*pairs)[2]);

/* The same, in which the ranks also compare a number, with no message more: with MPI_SUCCESS
 * `*alike` is whether all have the same. That they differ is no error. */
int summand__agree_and_compare(struct summand__state *state, int code,
                               const struct summand__signature *signature, int64_t number,
                               bool *alike);

/* Before another agreement, and before tags are taken for it: waits for the one that this rank has
 * left before its end, because its time was over or another rank was gone or had left it; nothing
 * where there is none. An MPI error code: it is left again. */
int summand__agree_earlier(struct summand__state *state);

/* In place of an agreement: this rank comes to no more of them in the call. Others that may wait in
 * one learn of it. Local. */
void summand__await_none(struct summand__state *state);

#endif
