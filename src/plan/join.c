/* An all-reduce of one element, as exact sums have it. Not a collective of the MPI: a rank that has
 * left the agreement before does not come to this, and its next collective would meet it. */
#include "plan/join.h"

#include <stdlib.h>
#include <string.h>

#include "comm/error.h"
#include "plan/active.h"
#include "plan/plan.h"

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

static int make(struct summand__state *state, int tag, const void *words, size_t bytes,
                summand_plan **plan)
{
    struct work *work = words ? malloc(sizeof *work + 2 * bytes) : NULL;
    if (!work)
        return summand_error_code(SUMMAND_ERR_MEMORY);
    work->bytes = bytes;
    memcpy(work->words, words, bytes);
    struct summand__plan_parts parts = {.tag = tag,
                                        .root = SUMMAND_ALL_RANKS,
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

int summand__join(struct summand__state *state, int tag, void *words, size_t bytes)
{
    summand_plan *plan = NULL;
    if (state->ranks == 1 || !bytes)
        return MPI_SUCCESS;
    int code = make(state, tag, words, bytes, &plan);
    if (code != MPI_SUCCESS) {
        summand__active_take(state);
        summand__route_abort_plan(state, tag, state->calls, false);
        return code;
    }
    plan->watch.timeout = state->asked.timeout;
    plan->watch.describe = state->asked.describe;
    plan->watch.what = state->asked.what;
    code = summand__plan_run(plan);
    if (code == MPI_SUCCESS) {
        const struct work *work = plan->work;
        memcpy(words, work->words + bytes / sizeof *work->words, bytes);
    }
    summand_plan_free(&plan);
    return code;
}
