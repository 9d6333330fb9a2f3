/* Plans: operations made once, started often. Every capability's *_init makes one. */
#ifndef SUMMAND_PLAN_H
#define SUMMAND_PLAN_H

#include <summand/error.h>
#include <summand/options.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A repeated call: made once, started often. Between start and completion a plan is active, and
 *  the buffers belong to it, as in an MPI persistent collective. A started plan allocates nothing,
 * and sends only the messages of the reduction. */
typedef struct summand_plan summand_plan;

/** Starts a plan: does this rank's share of the work and sends its first messages. All ranks must
 *  start the plans of one communicator in the same order, unless the call that made them says
 *  otherwise (summand_gemm_init).
 *  Starting an active plan is an error, SUMMAND_ERR_BUSY. */
SUMMAND_API int summand_plan_start(summand_plan *plan);

/** Progresses every started plan of this thread, as summand_plan_wait does. Local.
 *  @param done [out] 1 when the result is there; also for a plan that has been waited for already.
 *  A plan that has never been started is SUMMAND_ERR_NOT_STARTED. */
SUMMAND_API int summand_plan_test(summand_plan *plan, int *done);

/** Waits until a started plan is done. Returns at once if the plan has been waited for already, as
 *  MPI_Wait does for an inactive request. A plan that has never been started is
 *  SUMMAND_ERR_NOT_STARTED. Waiting progresses every started plan of this thread, on any
 *  communicator, so ranks may wait in different orders. The plans of a communicator belong to the
 *  thread that used it last: a plan may be started in one thread and waited for in another.
 *
 *  Plans progress only in this call, in summand_plan_test, in Summand's blocking calls, and while a
 *  plan is made. So before a rank blocks elsewhere, it must complete the plans that other ranks
 * wait for. It blocks
 *  - in the MPI's own calls, such as MPI_Barrier;
 *  - in the first call on a communicator.
 *
 *  A plan that fails here or in summand_plan_test, or whose timeout expires (summand/options.h),
 *  never runs again: each later start returns the same error. Free it. On the other ranks the plan
 *  fails too, with SUMMAND_ERR_REMOTE, once they wait for this rank. */
SUMMAND_API int summand_plan_wait(summand_plan *plan);

/** Frees a plan that is not active, and sets it to NULL. Freeing an active plan is an error,
 *  SUMMAND_ERR_BUSY. After MPI_Finalize it frees any plan, and every other call with a plan is an
 *  error. Local while its communicator lives. Afterwards the last plan may also free a private
 *  communicator of the library by MPI_Comm_free. That is collective: all ranks must do so, and none
 *  may wait for another one before it has. Open MPI and MPICH do not wait there. */
SUMMAND_API int summand_plan_free(summand_plan **plan);

/** Describes a plan as options that select the same schedule. Local.
 *  @param options [out] the algorithm (NULL if `summand list` does not have it), the parameters in
 *         use (segment: 0 if vectors are not cut), promise SUMMAND_ANY_ORDER
 *  @param transport [out] or NULL: what carries the messages, such as "p2p" */
SUMMAND_API int summand_plan_describe(const summand_plan *plan, summand_options *options,
                                      const char **transport);

#ifdef __cplusplus
}
#endif
#endif
