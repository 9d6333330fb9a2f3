/* SPDX-License-Identifier: BSD-3-Clause */
#include "wait/tags.h"

#include <stdbool.h>
#include <stdlib.h>

enum { FIRST_WINDOW = SUMMAND__CALL_TAGS + SUMMAND__PLAN_TAGS + SUMMAND__TOLD_TAGS };

static uint64_t bit(int i)
{
    return UINT64_C(1) << i % 64;
}

int summand__tags_told(uint64_t call)
{
    return SUMMAND__CALL_TAGS + SUMMAND__PLAN_TAGS + (int)(call % SUMMAND__TOLD_TAGS);
}

/* Skips tags that were taken when the range began; later plans have tags before `next_plan`. */
bool summand__tags_plan(struct summand__tags *tags, int *tag)
{
    for (int i = tags->next_plan; i < SUMMAND__PLAN_TAGS; i++)
        if (!tags->plans || !(tags->plans->taken[i / 64] & bit(i))) {
            tags->next_plan = i + 1;
            *tag = SUMMAND__CALL_TAGS + i;
            return true;
        }
    return false;
}

bool summand__tags_make_plans(struct summand__tags *tags)
{
    if (!tags->plans)
        tags->plans = calloc(1, sizeof *tags->plans);
    return tags->plans;
}

void summand__tags_free(struct summand__tags *tags)
{
    free(tags->plans);
    tags->plans = NULL;
}

bool summand__tags_hold(struct summand__tags *tags, int tag)
{
    int i = tag - SUMMAND__CALL_TAGS;
    if (i < 0)
        return true;
    if (!summand__tags_make_plans(tags))
        return false;
    tags->plans->living[i / 64] |= bit(i);
    if (tags->has_aborted && atomic_load_explicit(tags->has_aborted, memory_order_relaxed))
        atomic_fetch_and(&tags->aborted->plans[i / 64], ~bit(i));
    return true;
}

void summand__tags_release(struct summand__tags *tags, int tag)
{
    int i = tag - SUMMAND__CALL_TAGS;
    if (i >= 0 && tags->plans)
        tags->plans->living[i / 64] &= ~bit(i);
}

bool summand__tags_lives(const struct summand__tags *tags, int tag)
{
    int i = tag - SUMMAND__CALL_TAGS;
    return i >= 0 && tags->plans && (tags->plans->living[i / 64] & bit(i));
}

/* Takes tags in turn, so that messages left of a window have time to be dropped. */
bool summand__tags_window(struct summand__tags *tags, const uint64_t living[SUMMAND__WINDOW_WORDS],
                          int *tag)
{
    for (int k = 0; k < SUMMAND__WINDOW_TAGS; k++) {
        int i = (int)((tags->windows + (uint64_t)k) % SUMMAND__WINDOW_TAGS);
        if (living[i / 64] & bit(i))
            continue;
        tags->windows++;
        tags->living_windows[i / 64] |= bit(i);
        *tag = FIRST_WINDOW + i;
        return true;
    }
    return false;
}

void summand__tags_window_end(struct summand__tags *tags, int tag)
{
    int i = tag - FIRST_WINDOW;
    tags->living_windows[i / 64] &= ~bit(i);
}

void summand__tags_abort(struct summand__tags *tags, int tag)
{
    int i = tag - SUMMAND__CALL_TAGS;
    if (!tags->aborted)
        return;
    if (i >= 0)
        atomic_fetch_or(&tags->aborted->plans[i / 64], bit(i));
    else
        atomic_store(&tags->aborted->calls[tags->calls % SUMMAND__ABORTED_CALLS], tags->calls);
    atomic_store(tags->has_aborted, 1);
}

static bool plan_aborted(const struct summand__aborted *aborted, int i)
{
    return atomic_load_explicit(&aborted->plans[i / 64], memory_order_acquire) & bit(i);
}

static bool call_aborted(const struct summand__aborted *aborted, uint64_t call)
{
    return call && atomic_load_explicit(&aborted->calls[call % SUMMAND__ABORTED_CALLS],
                                        memory_order_acquire) == call;
}

static bool says_any(const _Atomic uint32_t *any)
{
    return atomic_load_explicit(any, memory_order_acquire);
}

bool summand__tags_aborted(const struct summand__tags *tags, const struct summand__aborted *other,
                           const _Atomic uint32_t *any, int tag)
{
    int i = tag - SUMMAND__CALL_TAGS;
    return says_any(any) && (i >= 0 ? plan_aborted(other, i) : call_aborted(other, tags->calls));
}

/* A call tag of half a range ago or more belongs to a later call. */
bool summand__tags_left(const struct summand__tags *tags, int tag)
{
    int i = tag - SUMMAND__CALL_TAGS;
    uint64_t ago = (tags->calls - (uint64_t)tag) % SUMMAND__CALL_TAGS;
    if (!says_any(tags->has_aborted))
        return false;
    if (i >= 0)
        return plan_aborted(tags->aborted, i);
    return ago < SUMMAND__CALL_TAGS / 2 && ago < tags->calls &&
           call_aborted(tags->aborted, tags->calls - ago);
}
