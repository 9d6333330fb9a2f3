/* SPDX-License-Identifier: BSD-3-Clause */
#include "plan/cache.h"

#include <stdlib.h>

void summand__plan_cache_drop(struct summand__cache *head)
{
    struct summand__plan_cache *cache = (struct summand__plan_cache *)head;
    for (int i = 0; i < SUMMAND__CACHED_PLANS; i++)
        summand_plan_free(&cache->plan[i]);
    free(cache);
}

void summand__plan_cache_forget(struct summand__state *state, const void *owner,
                                bool (*serves)(const void *work, const void *wanted),
                                const void *wanted)
{
    struct summand__cache *cache = state->caches;
    summand_plan **plan;
    while (cache && cache->owner != owner)
        cache = cache->next;
    if (!cache)
        return;
    while ((plan = summand__plan_cache_find((struct summand__plan_cache *)cache, serves, wanted)))
        summand_plan_free(plan);
}

static void bound(struct summand__plan_cache *cache, size_t (*bytes)(const void *work), bool newest)
{
    size_t total = 0;
    for (int i = 0; i < SUMMAND__CACHED_PLANS; i++) {
        int newest_first = cache->next + SUMMAND__CACHED_PLANS - 1 - i;
        summand_plan **plan = &cache->plan[newest_first % SUMMAND__CACHED_PLANS];
        size_t own = *plan ? bytes((*plan)->work) : 0;
        if ((i || !newest) && own > SUMMAND__CACHED_BYTES - total)
            summand_plan_free(plan);
        else
            total = own < SUMMAND__CACHED_BYTES - total ? total + own : SUMMAND__CACHED_BYTES;
    }
}

void summand__plan_cache_make_room(struct summand__plan_cache *cache,
                                   size_t (*bytes)(const void *work))
{
    for (int i = 0; cache && bytes && i < SUMMAND__CACHED_PLANS; i++)
        if (cache->plan[i] && bytes(cache->plan[i]->work) > SUMMAND__CACHED_BYTES)
            summand_plan_free(&cache->plan[i]);
}

summand_plan **summand__plan_cache_keep(struct summand__plan_cache *cache, summand_plan **plan,
                                        size_t (*bytes)(const void *work), bool newest)
{
    if (!cache || (!newest && bytes && bytes((*plan)->work) > SUMMAND__CACHED_BYTES))
        return plan;
    summand_plan **place = &cache->plan[cache->next];
    summand_plan_free(place);
    cache->next = (cache->next + 1) % SUMMAND__CACHED_PLANS;
    *place = *plan;
    *plan = NULL;
    if (bytes)
        bound(cache, bytes, newest);
    return place;
}
