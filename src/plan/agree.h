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
 * Cost: one MPI_Iallreduce of 35 words. Where a rank failed one more, and where the ranks differ an
 * MPI_Iallgather too, with 64 bytes of memory per rank. */
int summand__agree(struct summand__state *state, int code,
                   const struct summand__signature *signature);

#endif
