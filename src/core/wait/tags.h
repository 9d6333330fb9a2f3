/* SPDX-License-Identifier: BSD-3-Clause */
/* Tags of a communicator's operations, which are made in one order on all ranks: so tags agree. */
#ifndef SUMMAND_WAIT_TAGS_H
#define SUMMAND_WAIT_TAGS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* No MPI has fewer tags than 0..32767. The last ones are for notices (wait/notice.h), and for
 * the end of a private communicator (fabric/closing.h). Some behind those of plans are for
 * what ranks tell one another of a call on which they disagree: by its number, as the tags of ranks
 * that made different calls are out of step. Those behind them are for windows whose puts are
 * messages (transport/window/p2p_window.c). */
enum {
    SUMMAND__CALL_TAGS = 16384,
    SUMMAND__PLAN_TAGS = 14318,
    SUMMAND__TOLD_TAGS = 16,
    SUMMAND__WINDOW_TAGS = 2048,
    SUMMAND__GOODBYE_TAG = 32766,
    SUMMAND__NOTICE_TAG = 32767
};
_Static_assert(SUMMAND__CALL_TAGS + SUMMAND__PLAN_TAGS + SUMMAND__TOLD_TAGS +
                       SUMMAND__WINDOW_TAGS ==
                   SUMMAND__GOODBYE_TAG,
               "one range behind the other");
enum { SUMMAND__WINDOW_WORDS = SUMMAND__WINDOW_TAGS / 64 };
enum { SUMMAND__PLAN_WORDS = (SUMMAND__PLAN_TAGS + SUMMAND__TOLD_TAGS + 63) / 64 };

/* One bit per tag of a plan: whether a plan of this rank has it, and whether one of any rank had it
 * when the tags began anew. */
struct summand__plan_tags {
    uint64_t living[SUMMAND__PLAN_WORDS], taken[SUMMAND__PLAN_WORDS];
};

/* All zero at the beginning. */
struct summand__tags {
    int next_plan;
    struct summand__plan_tags *plans;               /* made with the first plan */
    uint64_t windows;                               /* that have had a tag so far */
    uint64_t living_windows[SUMMAND__WINDOW_WORDS]; /* one bit per tag */
    uint64_t calls; /* public ones so far: the number of the last, whose tag is its remainder */
    /* What this rank has aborted, which other ranks may read, and whether it has; or NULL. */
    struct summand__aborted *aborted;
    _Atomic uint32_t *has_aborted;
};

/* Of plans one bit per tag. Of calls the number of the last one at each place, as tags come back: a
 * rank may be any number of calls behind others where these need no messages. */
enum { SUMMAND__ABORTED_CALLS = 256, SUMMAND__ABORTED_BYTES = 4096 };
struct summand__aborted {
    _Atomic uint64_t plans[SUMMAND__PLAN_WORDS];
    _Atomic uint64_t calls[SUMMAND__ABORTED_CALLS];
};

_Static_assert(sizeof(struct summand__aborted) <= SUMMAND__ABORTED_BYTES, "it fits into a page");

void summand__tags_free(struct summand__tags *tags);

/* Of a public call: the next of their range, so that what is left of a call on which the ranks
 * disagreed does not meet the one after. (A call of gossip has several.) */
static inline int summand__tags_last_call(const struct summand__tags *tags)
{
    return (int)(tags->calls % SUMMAND__CALL_TAGS);
}
static inline int summand__tags_call(struct summand__tags *tags)
{
    tags->calls++;
    return summand__tags_last_call(tags);
}

/* Of what is told of a public call, by its number. */
int summand__tags_told(uint64_t call);

/* Of a plan: one that no living plan of any rank has. False at the end of the range: ranks free
 * plans when they like, so `taken` must be made anew from what lives on any rank, and `next_plan`
 * 0 (plan/plan.h). */
bool summand__tags_plan(struct summand__tags *tags, int *tag);

/* Memory for the tags of plans. False when out of it. */
bool summand__tags_make_plans(struct summand__tags *tags);

/* A plan with this tag lives, or does no more. Tags of calls are not counted. False when out of
 * memory. */
bool summand__tags_hold(struct summand__tags *tags, int tag);
void summand__tags_release(struct summand__tags *tags, int tag);

bool summand__tags_lives(const struct summand__tags *tags, int tag);

/* Of a window: one that no living window of any rank has, which the `living` of all ranks together
 * say. It lives from now on. False where there is none. */
bool summand__tags_window(struct summand__tags *tags, const uint64_t living[SUMMAND__WINDOW_WORDS],
                          int *tag);
void summand__tags_window_end(struct summand__tags *tags, int tag);

/* An operation that this rank will send no more messages of, and take none: a plan, or the last
 * call. Holds until the tag is a new plan's, or the rank aborts a call 256, 512, ... calls later.
 */
void summand__tags_abort(struct summand__tags *tags, int tag);

/* Whether another rank, of which `any` says that it has aborted something, has aborted the plan,
 * or this rank's last call. */
bool summand__tags_aborted(const struct summand__tags *tags, const struct summand__aborted *other,
                           const _Atomic uint32_t *any, int tag);

/* Whether messages with the tag are of an operation that this rank has aborted. */
bool summand__tags_left(const struct summand__tags *tags, int tag);

#endif
