/* SPDX-License-Identifier: BSD-3-Clause */
/* Plans: operations made once, started often. Every capability's *_init makes one. */
#ifndef SUMMAND_PLAN_H
#define SUMMAND_PLAN_H

#include <summand/error.h>
#include <summand/options.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A repeated call: made once, started often. Between start and completion a plan is active, and
 *  the buffers belong to it, as in an MPI persistent collective. An active plan sends only the
 *  messages of its operation. It allocates memory only for elements with gaps, for messages that
 *  arrive before their receive, for puts that are sent as messages, and for exact sums of vectors.
 */
typedef struct summand_plan summand_plan;

/* SUMMAND_ERR_ARGUMENT for a plan that is NULL is returned and not raised: there is no communicator
 * whose error handler could be called. */

/** Starts a plan: does this rank's first share of the work and sends its first messages. It waits
 *  for no other rank. All ranks must start the plans of one communicator in the same order, unless
 *  the call that made them says otherwise (summand_gemm_init).
 *  Errors: SUMMAND_ERR_BUSY (the plan is active), SUMMAND_ERR_ARGUMENT (NULL); the error of an
 *  earlier start that failed. */
SUMMAND_API int summand_plan_start(summand_plan *plan);

/** Progresses every active plan of this thread, as summand_plan_wait does, and returns at once.
 *  Local.
 *  @param done [out] 1 if the plan is complete, also if it was complete before this call; else 0
 *  Errors: those of summand_plan_wait. */
SUMMAND_API int summand_plan_test(summand_plan *plan, int *done);

/** Waits until a plan is complete. Returns at once for a plan that is complete already, as MPI_Wait
 *  does for an inactive request. Waiting progresses every active plan of this thread, on any
 *  communicator, so ranks may wait in different orders. The plans of a communicator belong to the
 *  thread that used it last: a plan may be started in one thread and waited for in another.
 *
 *  Plans progress only in this call, in summand_plan_test, in the waits and tests of several plans
 *  below, in Summand's blocking calls, and while a plan is made. So before a rank blocks elsewhere,
 *  it must complete the plans that other ranks wait for. It blocks elsewhere
 *  - in the MPI's own calls, such as MPI_Barrier;
 *  - in the first call on a communicator.
 *
 *  A plan that fails here or in summand_plan_test, or whose timeout expires (summand/options.h),
 *  never runs again: each later start returns the same error. Free it. On the other ranks the plan
 *  fails too, with SUMMAND_ERR_REMOTE, once they wait for this rank.
 *  Errors: SUMMAND_ERR_NOT_STARTED (the plan has never been started), _ARGUMENT (NULL), _TIMEOUT,
 *  _REMOTE, _MEMORY; those of the call that made the plan; the MPI's. */
SUMMAND_API int summand_plan_wait(summand_plan *plan);

/* Several plans at once, on any communicators, as MPI has calls for several persistent requests.
 * Plans that are NULL or not active are skipped, except in summand_plan_startall. An error's text
 * names the plan: "plans[2]". It is raised on that plan's communicator, and on that of the first
 * plan if another argument is wrong. */

/** Starts plans, in the order of the array. If a plan is NULL or active, none is started. If a
 * start fails, those before it are active, those behind it are not, and the error's text says so.
 *  @param count 0 or more
 *  @param plans [in] `count` plans that are not active, each once
 *  Errors: those of summand_plan_start for any of them; SUMMAND_ERR_ARGUMENT (also NULL among
 *  them). */
SUMMAND_API int summand_plan_startall(int count, summand_plan *plans[]);

/** Waits until all active plans are complete or have failed; so none is active afterwards. Their
 *  timeouts run at the same time. MPI_SUCCESS means that the last run of each plan that was ever
 *  started is complete: a plan that failed before returns its error again.
 *  Errors: those of summand_plan_wait but _NOT_STARTED, of the first plan that failed. */
SUMMAND_API int summand_plan_waitall(int count, summand_plan *plans[]);

/** Waits until one of the active plans is complete or has failed; the others stay active.
 *  @param index [out] its place in the array, also if it failed; MPI_UNDEFINED if none is active
 *  Errors: those of summand_plan_wait but _NOT_STARTED, of this plan. */
SUMMAND_API int summand_plan_waitany(int count, summand_plan *plans[], int *index);

/** summand_plan_waitall that does not wait. As in MPI_Testall, plans that are complete stay active
 *  until all are; a plan that fails does not.
 *  @param done [out] 1 if no plan is active any more, else 0
 *  Errors: those of summand_plan_waitall. */
SUMMAND_API int summand_plan_testall(int count, summand_plan *plans[], int *done);

/** summand_plan_waitany that does not wait.
 *  @param index [out] as there; MPI_UNDEFINED if `done` is 0
 *  @param done [out] 1 if one is complete or has failed, or none is active; else 0
 *  Errors: those of summand_plan_waitany. */
SUMMAND_API int summand_plan_testany(int count, summand_plan *plans[], int *index, int *done);

/** Frees a plan that is not active, and sets it to NULL; does nothing for NULL. After MPI_Finalize
 *  this call frees any plan, and calls that start, test or wait for one end the program. It is
 *  local while the plan's communicator exists. Afterwards the last plan may also free a private
 *  communicator of the library by MPI_Comm_free. That is collective: all ranks must do so, and none
 *  may wait for another one before it has. Open MPI and MPICH do not wait there.
 *  Errors: SUMMAND_ERR_BUSY (the plan is active). */
SUMMAND_API int summand_plan_free(summand_plan **plan);

/** Describes a plan as options that select the same schedule. Local.
 *  @param options [out] the algorithm (NULL if `summand list` does not have it), the parameters in
 *         use (segment: 0 if vectors are not cut), the timeout and `check`; promise is
 *         SUMMAND_PROMISE_DEFAULT
 *  @param transport [out] or NULL: name of the transport of the messages, such as "p2p"
 *  Errors: SUMMAND_ERR_ARGUMENT (NULL). */
SUMMAND_API int summand_plan_describe(const summand_plan *plan, summand_options *options,
                                      const char **transport);

#ifdef __cplusplus
}
#endif
#endif
