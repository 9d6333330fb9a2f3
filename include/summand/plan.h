/* Plans: operations made once, started often. Every capability's *_init makes one. */
#ifndef SUMMAND_PLAN_H
#define SUMMAND_PLAN_H

#include <summand/error.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A repeated call: made once, started often. Between start and completion the buffers are the
 *  plan's, as in an MPI persistent collective; a started plan allocates nothing and sends no message
 *  beyond the reduction's own. */
typedef struct summand_plan summand_plan;

/** Starts a plan: does this rank's share of the work and sends its first messages. All ranks must
 *  start the plans of one communicator in the same order. */
SUMMAND_API int summand_plan_start(summand_plan *plan);
/** Moves a started plan on. Local. @param done [out] 1 when the result is there. A plan that is not
 *  started is done. */
SUMMAND_API int summand_plan_test(summand_plan *plan, int *done);
/** Waits until a started plan is done. Only this plan moves on meanwhile: where several are started,
 *  ranks must wait for them in one order, or test them in turn. */
SUMMAND_API int summand_plan_wait(summand_plan *plan);
/** Frees a plan that is not started, and sets it to NULL. Local. */
SUMMAND_API int summand_plan_free(summand_plan **plan);

#ifdef __cplusplus
}
#endif
#endif
