/* SPDX-License-Identifier: BSD-3-Clause */
/* Cached plans of one capability on one communicator: those of its last few shapes. The
 * communicator's state frees them. */
#pragma once

#include "plan/plan.h"

/* Enough for a loop over a few arrays. */
enum { SUMMAND__CACHED_PLANS = 8 };

struct summand__plan_cache {
    struct summand__cache head;
    summand_plan *plan[SUMMAND__CACHED_PLANS]; /* or NULL */
    int next;
};

/* Frees a cache with its plans; called by the state. */
void summand__plan_cache_drop(struct summand__cache *head);

/* The cache of an owner, any unique address; made at the first use. NULL when out of memory. */
static inline struct summand__plan_cache *summand__plan_cache_of(struct summand__state *state,
                                                                 const void *owner)
{
    return (struct summand__plan_cache *)summand__state_cache(
        state, owner, sizeof(struct summand__plan_cache), summand__plan_cache_drop);
}

/* The place of the first plan whose work serves the request, or NULL. */
static inline summand_plan **
summand__plan_cache_find(struct summand__plan_cache *cache,
                         bool (*serves)(const void *work, const void *wanted), const void *wanted)
{
    for (int i = 0; i < SUMMAND__CACHED_PLANS; i++)
        if (cache->plan[i] && serves(cache->plan[i]->work, wanted))
            return &cache->plan[i];
    return NULL;
}

/* Limit on a rank's memory for all cached plans of a kind that may be large. */
enum { SUMMAND__CACHED_BYTES = 64 << 20 };

/* Frees a plan beyond this limit, before another one is made. */
void summand__plan_cache_make_room(struct summand__plan_cache *cache,
                                   size_t (*bytes)(const void *work));

/* Caches a plan in place of the oldest. If `bytes` gives the plans' sizes, keeps of the others,
 * from the newest on, those that fit into SUMMAND__CACHED_BYTES with it. With `newest` it keeps the
 * plan itself whatever its size. Returns its place; or `plan`, which stays the caller's, if it is
 * not cached: without a cache, or because of its size. */
summand_plan **summand__plan_cache_keep(struct summand__plan_cache *cache, summand_plan **plan,
                                        size_t (*bytes)(const void *work), bool newest);

/* Frees the owner's plans whose work serves the request, if it has a cache. */
void summand__plan_cache_forget(struct summand__state *state, const void *owner,
                                bool (*serves)(const void *work, const void *wanted),
                                const void *wanted);
