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
 *  start the plans of one communicator in the same order. */
SUMMAND_API int summand_plan_start(summand_plan *plan);
/** Moves this thread's started plans on, as summand_plan_wait does. Local. @param done [out] 1 when
 * the result is there. A plan that is not started is done. */
SUMMAND_API int summand_plan_test(summand_plan *plan, int *done);
/** Waits until a started plan is done, and moves the other started plans of this thread on
 *  meanwhile, whatever communicator they are on: ranks may wait in different orders. A
 *  communicator's plans are those of the thread that used it last, so a plan may be started in one
 *  thread and waited for in another. Plans move on in this call, in summand_plan_test and in the
 * messages of Summand's blocking calls (but the gossip's), and nowhere else. So a rank must not
 * block on ranks that wait for a plan which it has not completed: in MPI_Barrier say, or where a
 * call of Summand's agrees with the others by the MPI: making a plan, the first call on a
 * communicator, blocking sums and reductions over the index tree, any call with SUMMAND_CHECK=on.
 */
SUMMAND_API int summand_plan_wait(summand_plan *plan);
/** Frees a plan that is not started, and sets it to NULL. Local while its communicator lives.
 *  Otherwise the last plan may take a private communicator of the library's with it, by
 *  MPI_Comm_free, which is collective: by MPI's rules all ranks do so, and none may wait for
 * another before it has. Open MPI and MPICH wait for nobody there. */
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
