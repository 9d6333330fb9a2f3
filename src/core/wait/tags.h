/* SPDX-License-Identifier: BSD-3-Clause */
/* Tags of a communicator's operations. All ranks make these in one order, so the tags agree. */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "wait/cause.h"

/* No MPI has fewer tags than 0..32767. The last ones are for notices (wait/notice.h), for the end
 * of a private communicator (fabric/closing.h), and for repairs (transport/sealed_link.h). Some
 * after those of plans are for the exchange about a call on which ranks disagree: chosen by its
 * number, because ranks that made different calls may have taken different tags. Those after them
 * are for windows whose puts are messages (compute/mpi/p2p_window.c). */
enum {
    SUMMAND__CALL_TAGS = 16384,
    SUMMAND__PLAN_TAGS = 14317,
    SUMMAND__TOLD_TAGS = 16,
    SUMMAND__WINDOW_TAGS = 2048,
    SUMMAND__REPAIR_TAG = 32765,
    SUMMAND__GOODBYE_TAG = 32766,
    SUMMAND__NOTICE_TAG = 32767
};
_Static_assert(SUMMAND__CALL_TAGS + SUMMAND__PLAN_TAGS + SUMMAND__TOLD_TAGS +
                       SUMMAND__WINDOW_TAGS ==
                   SUMMAND__REPAIR_TAG,
               "one range behind the other");
enum { SUMMAND__WINDOW_WORDS = SUMMAND__WINDOW_TAGS / 64 };
enum { SUMMAND__PLAN_WORDS = (SUMMAND__PLAN_TAGS + SUMMAND__TOLD_TAGS + 63) / 64 };

/* One bit per tag of a plan: a plan of this rank has it; a plan of any rank had it when the tags
 * last began anew. */
struct summand__plan_tags {
    uint64_t living[SUMMAND__PLAN_WORDS], taken[SUMMAND__PLAN_WORDS];
};

/* All zero at first. */
struct summand__tags {
    int next_plan;
    struct summand__plan_tags *plans;               /* made with the first plan */
    uint64_t windows;                               /* number of windows that have had a tag */
    uint64_t living_windows[SUMMAND__WINDOW_WORDS]; /* one bit per tag */
    uint64_t calls; /* number of the last public call; its tag is the remainder */
    /* The page of operations that this rank has aborted, which others may read, and its flag; or
     * NULL. */
    struct summand__aborted *aborted;
    _Atomic uint32_t *has_aborted;
};

/* Plans: one bit per tag. Calls: each entry holds the number of the last one, because tags are
 * reused. A rank may be any number of calls behind others if these need no messages. */
enum { SUMMAND__ABORTED_CALLS = 256, SUMMAND__ABORTED_BYTES = 4096 };
struct summand__aborted {
    _Atomic uint64_t plans[SUMMAND__PLAN_WORDS];
    _Atomic uint64_t calls[SUMMAND__ABORTED_CALLS];
    struct summand__causes causes;
};

_Static_assert(sizeof(struct summand__aborted) <= SUMMAND__ABORTED_BYTES, "it fits into a page");

void summand__tags_free(struct summand__tags *tags);

/* The tag of a public call is the next of the range, so messages left of a call on which the ranks
 * disagreed do not match the next call. (A gossip call takes several.) */
static inline int summand__tags_last_call(const struct summand__tags *tags)
{
    return (int)(tags->calls % SUMMAND__CALL_TAGS);
}
static inline int summand__tags_call(struct summand__tags *tags)
{
    tags->calls++;
    return summand__tags_last_call(tags);
}

/* The tag of the exchange about a public call, by its number. */
int summand__tags_told(uint64_t call);

/* Takes the tag of a plan: one that no living plan of any rank has. False at the end of the range:
 * plans are freed at any time, so the ranks must exchange `taken` and set `next_plan` to 0
 * (plan/plan.h). */
bool summand__tags_plan(struct summand__tags *tags, int *tag);

/* Allocates the tags of plans. False when out of memory. */
bool summand__tags_make_plans(struct summand__tags *tags);

/* Begin and end the life of a plan with this tag. Tags of calls are ignored. False when out of
 * memory. */
bool summand__tags_hold(struct summand__tags *tags, int tag);
void summand__tags_release(struct summand__tags *tags, int tag);

bool summand__tags_lives(const struct summand__tags *tags, int tag);

/* Takes the tag of a window: one that no living window of any rank has, according to the OR of all
 * ranks' `living`. It lives from now on. False if there is none. */
bool summand__tags_window(struct summand__tags *tags, const uint64_t living[SUMMAND__WINDOW_WORDS],
                          int *tag);
void summand__tags_window_end(struct summand__tags *tags, int tag);

/* Notes that this rank neither sends nor receives further messages of an operation: a plan, or the
 * last call. Holds until a new plan has the tag, or the rank aborts a call 256, 512, ... calls
 * later. */
void summand__tags_abort(struct summand__tags *tags, int tag);

/* True if another rank has aborted the plan, or this rank's last call. `any`: that rank has aborted
 * something. */
bool summand__tags_aborted(const struct summand__tags *tags, const struct summand__aborted *other,
                           const _Atomic uint32_t *any, int tag);

/* True if messages with the tag belong to an operation that this rank has aborted. */
bool summand__tags_left(const struct summand__tags *tags, int tag);
