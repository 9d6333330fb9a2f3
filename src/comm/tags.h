/* Tags of a communicator's operations, which are made in one order on all ranks: so tags agree. */
#ifndef SUMMAND_COMM_TAGS_H
#define SUMMAND_COMM_TAGS_H

#include <mpi.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* No MPI has fewer tags than 0..32767. */
enum { SUMMAND__CALL_TAGS = 16384, SUMMAND__PLAN_TAGS = 16384 };

/* All zero at the beginning. */
struct summand__tags {
    int next_call, next_plan;
    /* One bit per tag of a plan: whether a plan of this rank has it, and whether one of any rank
     * had it when the tags began anew. */
    uint64_t living[SUMMAND__PLAN_TAGS / 64], taken[SUMMAND__PLAN_TAGS / 64];
    /* One bit per tag, which other ranks may read: what this rank has given up. Or NULL. */
    _Atomic uint64_t *given_up;
};

_Static_assert((SUMMAND__CALL_TAGS + SUMMAND__PLAN_TAGS) / 8 <= 4096, "the bits fit into a page");

/* Of a blocking call: the next of their range, so that what is left of a call on which the ranks
 * disagreed does not meet the one after. */
int summand__tags_call(struct summand__tags *tags);

/* Of a plan: one that no living plan of any rank has. Collective: ranks free plans when they like,
 * so at every turn of the range, and only then, they tell each other what lives. An MPI error code;
 * SUMMAND_ERR_MEMORY, on all ranks, where SUMMAND__PLAN_TAGS plans live. */
int summand__tags_plan(struct summand__tags *tags, MPI_Comm comm, int *tag);

/* A plan with this tag lives, or does no more. Tags of calls are not counted. */
void summand__tags_hold(struct summand__tags *tags, int tag);
void summand__tags_release(struct summand__tags *tags, int tag);

/* An operation that this rank will send no more messages of, and take none. Holds until the tag is
 * a new plan's, or for the next 8192 calls at the least. */
void summand__tags_give_up(struct summand__tags *tags, int tag);

/* Whether the rank whose bits these are has given up the operation. */
static inline bool summand__tags_given_up(const _Atomic uint64_t *given_up, int tag)
{
    return atomic_load_explicit(&given_up[tag / 64], memory_order_acquire) >> tag % 64 & 1;
}

#endif
