#include "plan/cache.h"

#include <stdlib.h>

static void drop(struct summand__cache *head)
{
    struct summand__plan_cache *cache = (struct summand__plan_cache *)head;
    for (int i = 0; i < SUMMAND__CACHED_PLANS; i++)
        summand_plan_free(&cache->plan[i]);
    free(cache);
}

struct summand__plan_cache *summand__plan_cache_of(struct summand__state *state, const void *owner)
{
    return summand__state_cache(state, owner, sizeof(struct summand__plan_cache), drop);
}

summand_plan **summand__plan_cache_keep(struct summand__plan_cache *cache, summand_plan *plan)
{
    summand_plan **place = &cache->plan[cache->next];
    summand_plan_free(place);
    cache->next = (cache->next + 1) % SUMMAND__CACHED_PLANS;
    *place = plan;
    return place;
}
