/* An all-reduce of one element, as exact sums have it. Not a collective of the MPI: a rank that has
 * left the agreement before does not come to this, and its next collective would meet it. */
#include "plan/join.h"

#include <stdlib.h>
#include <string.h>

#include "comm/error.h"
#include "plan/active.h"
#include "plan/cache.h"

/* The words of this rank, then those of all. */
struct work {
    size_t bytes;
    uint64_t words[];
};

static void unite(const void *context, const void *in, void *inout, size_t count)
{
    const struct work *work = context;
    const uint64_t *other = in;
    uint64_t *mine = inout;
    (void)count; /* one element */
    for (size_t i = 0; i < work->bytes / sizeof *mine; i++)
        mine[i] |= other[i];
}

static void copy(const void *context, const void *from, void *to, size_t count)
{
    const struct work *work = context;
    (void)count;
    memcpy(to, from, work->bytes);
}

static size_t pack(const void *context, const void *from, size_t count, void *bytes)
{
    const struct work *work = context;
    copy(context, from, bytes, count);
    return work->bytes;
}

static void unpack(const void *context, const void *bytes, void *to, size_t count)
{
    copy(context, bytes, to, count);
}

static void before(void *context)
{
    (void)context;
}

static int after(void *context)
{
    (void)context;
    return MPI_SUCCESS;
}

static const struct summand__plan_hooks hooks = {.before = before, .after = after, .drop = free};

static int make(struct summand__state *state, size_t bytes, summand_plan **plan)
{
    struct work *work = malloc(sizeof *work + 2 * bytes);
    if (!work)
        return summand_error_code(SUMMAND_ERR_MEMORY);
    work->bytes = bytes;
    struct summand__plan_parts parts = {.root = SUMMAND_ALL_RANKS,
                                        .operator= {.extent = bytes,
                                                    .context = work,
                                                    .reduce = unite,
                                                    .copy = copy,
                                                    .packed = bytes,
                                                    .pack = pack,
                                                    .unpack = unpack},
                                        .sendbuf = work->words,
                                        .recvbuf = work->words + bytes / sizeof *work->words,
                                        .hooks = &hooks,
                                        .work = work};
    return summand__plan_make(state, &parts, plan);
}

static bool serves(const void *work, const void *bytes)
{
    return ((const struct work *)work)->bytes == *(const size_t *)bytes;
}

/* A plan for so many bytes, kept for later calls, with this tag. */
static int find(struct summand__state *state, int tag, size_t bytes, summand_plan ***plan)
{
    static const char owner;
    struct summand__plan_cache *cache = summand__plan_cache_of(state, &owner);
    summand_plan *made;
    if (!cache || !summand__tags_hold(&state->tags, tag))
        return summand_error_code(SUMMAND_ERR_MEMORY);
    *plan = summand__plan_cache_find(cache, serves, &bytes);
    if (!*plan) {
        int code = make(state, bytes, &made);
        if (code != MPI_SUCCESS)
            return code;
        *plan = summand__plan_cache_keep(cache, made);
    }
    struct summand__watch *watch = &(**plan)->watch;
    watch->plan = tag >= SUMMAND__CALL_TAGS ? atomic_load(state->entered) : 0;
    watch->timeout = state->asked.timeout;
    watch->describe = state->asked.describe;
    watch->what = state->asked.what;
    summand__route_tag(&(**plan)->route, tag);
    return MPI_SUCCESS;
}

int summand__join(struct summand__state *state, int tag, void *words, size_t bytes)
{
    summand_plan **plan = NULL;
    if (state->ranks == 1 || !bytes)
        return MPI_SUCCESS;
    int code = words ? find(state, tag, bytes, &plan) : summand_error_code(SUMMAND_ERR_MEMORY);
    if (code != MPI_SUCCESS) {
        summand__active_take(state);
        summand__route_abort_plan(state, tag, state->calls, false);
    } else {
        struct work *work = (*plan)->work;
        memcpy(work->words, words, bytes);
        code = summand__plan_run_cached(plan);
        if (code == MPI_SUCCESS)
            memcpy(words, work->words + bytes / sizeof *work->words, bytes);
    }
    summand__tags_release(&state->tags, tag);
    return code;
}
