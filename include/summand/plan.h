/* Plans: operations made once, started often. Every capability's *_init makes one. */
#ifndef SUMMAND_PLAN_H
#define SUMMAND_PLAN_H

#include <summand/error.h>
#include <summand/options.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A repeated call: made once, started often. Between start and completion the buffers are the
 *  plan's, as in an MPI persistent collective; a started plan allocates nothing and sends no
 * message beyond the reduction's own. */
typedef struct summand_plan summand_plan;

/** Starts a plan: does this rank's share of the work and sends its first messages. All ranks must
 *  start the plans of one communicator in the same order. A plan that is under way is
 *  SUMMAND_ERR_BUSY. */
SUMMAND_API int summand_plan_start(summand_plan *plan);
/** Moves this thread's started plans on, as summand_plan_wait does. Local.
 *  @param done [out] 1 when the result is there; a plan that has been waited for already is done.
 *  A plan that has never been started is SUMMAND_ERR_NOT_STARTED. */
SUMMAND_API int summand_plan_test(summand_plan *plan, int *done);
/** Waits until a started plan is done. Returns at once if the plan has been waited for already, as
 *  MPI_Wait does for an inactive request; a plan that has never been started is
 *  SUMMAND_ERR_NOT_STARTED. Moves the other started plans of this thread on meanwhile, whatever
 *  communicator they are on: ranks may wait in different orders. A communicator's plans are those
 * of the thread that used it last, so a plan may be started in one thread and waited for in
 * another. Plans move on in this call, in summand_plan_test, in Summand's blocking calls and while
 * a plan is made, and nowhere else. So a rank must not block elsewhere on ranks that wait for a
 * plan which it has not completed: in MPI_Barrier say, or in the first call on a communicator,
 * which makes the library's part of it by collective calls of the MPI. */
SUMMAND_API int summand_plan_wait(summand_plan *plan);
/** Frees a plan that is not under way, and sets it to NULL; one that is under way is
 *  SUMMAND_ERR_BUSY. After MPI_Finalize it frees any plan, and all other calls with a plan are
 * errors. Local while its communicator lives. Otherwise the last plan takes the library's duplicate
 * of the communicator with it, by MPI_Comm_free, which is collective: by MPI's rules all ranks do
 * so, and none may wait for another before it has. Open MPI and MPICH wait for nobody there. */
SUMMAND_API int summand_plan_free(summand_plan **plan);

/** What a plan does, as options that ask for the same. Local.
 *  @param options [out] the algorithm (NULL where it has none of `summand list`), its parameters as
 *  they hold (segment: 0 where vectors go whole), promise SUMMAND_ANY_ORDER
 *  @param transport [out] or NULL: what carries the messages, such as "p2p" */
SUMMAND_API int summand_plan_describe(const summand_plan *plan, summand_options *options,
                                      const char **transport);

#ifdef __cplusplus
}
#endif
#endif
