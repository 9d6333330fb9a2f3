/* SPDX-License-Identifier: BSD-3-Clause */
/* Plans that are kept for later calls: of one capability on one communicator, of its last few
 * shapes. The communicator's state frees them. */
#ifndef SUMMAND_PLAN_CACHE_H
#define SUMMAND_PLAN_CACHE_H

#include "plan/plan.h"

/* As many as a loop over a few arrays needs. */
enum { SUMMAND__CACHED_PLANS = 8 };

struct summand__plan_cache {
    struct summand__cache head;
    summand_plan *plan[SUMMAND__CACHED_PLANS]; /* or NULL */
    int next;
};

/* Frees a cache with its plans: for the state. */
void summand__plan_cache_drop(struct summand__cache *head);

/* The cache of an owner, any address of its own; made at its first use. NULL when out of memory. */
static inline struct summand__plan_cache *summand__plan_cache_of(struct summand__state *state,
                                                                 const void *owner)
{
    return (struct summand__plan_cache *)summand__state_cache(
        state, owner, sizeof(struct summand__plan_cache), summand__plan_cache_drop);
}

/* The place of the first plan whose work serves what is wanted; NULL: none. */
static inline summand_plan **
summand__plan_cache_find(struct summand__plan_cache *cache,
                         bool (*serves)(const void *work, const void *wanted), const void *wanted)
{
    for (int i = 0; i < SUMMAND__CACHED_PLANS; i++)
        if (cache->plan[i] && serves(cache->plan[i]->work, wanted))
            return &cache->plan[i];
    return NULL;
}

/* That plans of a kind that may be large take on a rank, together. A larger call takes so long that
 * making its plan is a small part of it. */
enum { SUMMAND__CACHED_BYTES = 64 << 20 };

/* Keeps a plan for the one that was kept first of all, and where `bytes` says what plans take, of
 * the others from the newest on those that fit into SUMMAND__CACHED_BYTES. Returns its place; or
 * `plan`, which is the caller's as before, where it is not kept: without a cache, or for its size.
 */
summand_plan **summand__plan_cache_keep(struct summand__plan_cache *cache, summand_plan **plan,
                                        size_t (*bytes)(const void *work));

/* Frees the owner's plans whose work serves what is wanted, if it has a cache. */
void summand__plan_cache_forget(struct summand__state *state, const void *owner,
                                bool (*serves)(const void *work, const void *wanted),
                                const void *wanted);

#endif
