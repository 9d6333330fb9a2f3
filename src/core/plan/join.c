/* SPDX-License-Identifier: BSD-3-Clause */
/* An all-reduce of one element, as for exact sums. It is not an MPI collective: a rank that has
 * left the agreement before does not join it, and its next collective would match it. */
#include "plan/join.h"

#include <stdlib.h>
#include <string.h>

#include "plan/active.h"
#include "plan/cache.h"
#include "process/error.h"

/* An element: bytes of words, or DIFFERS; their form; the words. */
enum { SIZE, FORM, HEAD };
#define DIFFERS UINT64_MAX

/* This rank's element, then the joined one. */
struct work {
    size_t bytes; /* of an element */
    uint64_t words[];
};

static uint64_t *joined(struct work *work)
{
    return work->words + work->bytes / sizeof *work->words;
}

static void unite(const void *context, const void *in, void *inout, size_t count)
{
    const struct work *work = context;
    const uint64_t *other = in;
    uint64_t *mine = inout;
    (void)count; /* one element */
    if (mine[SIZE] == DIFFERS || other[SIZE] != mine[SIZE] || other[FORM] != mine[FORM]) {
        mine[SIZE] = DIFFERS;
        return;
    }
    for (size_t i = HEAD; i < work->bytes / sizeof *mine; i++)
        mine[i] |= other[i];
}

static void copy(const void *context, const void *from, void *to, size_t count)
{
    const struct work *work = context;
    (void)count;
    memcpy(to, from, work->bytes);
}

/* Packs the head alone if the ranks differ. */
static size_t pack(const void *context, const void *from, size_t count, void *bytes)
{
    const struct work *work = context;
    const uint64_t *element = from;
    const size_t length = element[SIZE] == DIFFERS ? HEAD * sizeof *element : work->bytes;
    (void)count;
    memcpy(bytes, from, length);
    return length;
}

/* Unpacks the head alone if the words have another length. */
static void unpack(const void *context, const void *bytes, void *to, size_t count)
{
    const struct work *work = context;
    uint64_t *element = to;
    (void)count;
    memcpy(element, bytes, HEAD * sizeof *element);
    if (element[SIZE] == work->bytes - HEAD * sizeof *element)
        memcpy(element, bytes, work->bytes);
    else
        element[SIZE] = DIFFERS;
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
    struct summand__plan_parts parts = {.root = SUMMAND_ROOT_ALL,
                                        .operator= {.extent = bytes,
                                                    .context = work,
                                                    .reduce = unite,
                                                    .copy = copy,
                                                    .packed = bytes,
                                                    .pack = pack,
                                                    .unpack = unpack},
                                        .sendbuf = work->words,
                                        .recvbuf = joined(work),
                                        .hooks = &hooks,
                                        .work = work};
    return summand__plan_make(state, &parts, plan);
}

static bool serves(const void *work, const void *bytes)
{
    return ((const struct work *)work)->bytes == *(const size_t *)bytes;
}

/* Finds or makes a cached plan for so many bytes, with this tag. */
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
        *plan = summand__plan_cache_keep(cache, &made, NULL, false);
    }
    struct summand__watch *watch = &(**plan)->watch;
    watch->plan = tag >= SUMMAND__CALL_TAGS ? atomic_load(state->channel.entered) : 0;
    watch->timeout = state->asked.timeout;
    watch->describe = state->asked.describe;
    watch->what = state->asked.what;
    summand__route_tag(&(**plan)->route, tag);
    return MPI_SUCCESS;
}

/* Takes the words, or the error, from the joined element. */
static int take(const uint64_t *element, void *words, size_t bytes)
{
    if (element[SIZE] == DIFFERS)
        return summand_error_code(SUMMAND_ERR_MISMATCH);
    if (bytes)
        memcpy(words, element + HEAD, bytes);
    return MPI_SUCCESS;
}

static int join(struct summand__state *state, int tag, uint64_t form, void *words, size_t bytes)
{
    const size_t element = HEAD * sizeof(uint64_t) + bytes;
    summand_plan **plan = NULL;
    int code = words ? find(state, tag, element, &plan) : summand_error_code(SUMMAND_ERR_MEMORY);
    if (code != MPI_SUCCESS) {
        summand__active_take(state);
        summand__route_abort_plan(state, tag, state->channel.calls, false, code);
        return code;
    }
    struct work *work = (*plan)->work;
    work->words[SIZE] = bytes;
    work->words[FORM] = form;
    if (bytes)
        memcpy(work->words + HEAD, words, bytes);
    code = summand__plan_run_cached(plan);
    return code == MPI_SUCCESS ? take(joined(work), words, bytes) : code;
}

int summand__join_alike(struct summand__state *state, int tag, uint64_t form, void *words,
                        size_t bytes)
{
    int code = MPI_SUCCESS;
    if (state->ranks == 1)
        return MPI_SUCCESS;
    if (bytes > SUMMAND__JOIN_LONG)
        code = join(state, tag, form ^ ~bytes, words, 0);
    if (code == MPI_SUCCESS)
        code = join(state, tag, form, words, bytes);
    summand__tags_release(&state->tags, tag);
    return code;
}

int summand__join(struct summand__state *state, int tag, void *words, size_t bytes)
{
    if (state->ranks == 1 || !bytes)
        return MPI_SUCCESS;
    int code = join(state, tag, 0, words, bytes);
    summand__tags_release(&state->tags, tag);
    return code;
}
