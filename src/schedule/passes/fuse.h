/* Receive and combine in one: where the elements of a message are only received to be combined, a
 * transport can hand them to the operator where they arrive, which saves a pass over memory. */
#ifndef SUMMAND_SCHEDULE_PASSES_FUSE_H
#define SUMMAND_SCHEDULE_PASSES_FUSE_H

#include "schedule/schedule.h"

/* What a step is joined with: positions in the schedule plus one, or 0. */
struct summand__fused {
    size_t reduce; /* of a receive: the step that combines what it receives */
    size_t copy;   /* of a receive: the step that copies the other operand to the result's place */
    bool joined;   /* of a reduce or copy step: it is done with a receive */
};

/* For each step of the schedule. A reduce step is joined with the receive of its operand in the
 * round before, if that makes no difference to any region that is read afterwards: reduce steps of
 * a round are joined from the first on, in the order of their receives, as long as
 *   - the operand is not read again, if the result lies elsewhere;
 *   - messages of the receiving round do not touch the result or the other operand, but for sends
 *     of the very elements of the result, and receives that are joined before;
 * and a copy of the sendbuf to the result's place in the receiving round is joined as well. `may`
 * (with `context`): whether messages from a peer can be combined as they arrive, and wait for
 * messages to a peer. Cost: linear, with a
 * bound on how far ahead operands are looked for. */
void summand__fuse(const struct summand__schedule *schedule,
                   bool (*may)(const void *context, int peer), const void *context,
                   struct summand__fused *fused);

#endif
