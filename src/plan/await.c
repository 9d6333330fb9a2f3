#include "plan/await.h"

#include <summand/error.h>

#include "base/backoff.h"
#include "comm/wait/wait.h"
#include "plan/active.h"

static int test(MPI_Request *request, bool *done)
{
    int flag = 0;
    int code = PMPI_Test(request, &flag, MPI_STATUS_IGNORE);
    *done = flag;
    return code;
}

static void say_gone(struct summand__state *state, bool notified)
{
    unsigned call = (unsigned)(atomic_load(state->entered) & 255);
    uint64_t since = state->left_since ? state->left_since : state->calls;
    uint64_t before = state->calls - since;
    if (state->presence)
        atomic_store(&state->presence->left_agreement,
                     state->calls << 16 | (before < 0xffff ? before : 0xffff));
    if (!notified)
        summand__notices_send(state, state->calls, call & SUMMAND__ENTERED_INIT, true);
}

/* What is under way cannot be called back: it ends when the last rank comes, or never. */
static void leave(struct summand__state *state, MPI_Request request, bool notified)
{
    state->under_way = request;
    state->spoiled = true;
    if (!state->left_since)
        state->left_since = state->calls;
    say_gone(state, notified);
}

void summand__await_none(struct summand__state *state)
{
    if (!state->segment || !state->segment->whole) /* nobody may read the notice */
        state->spoiled = true;
    say_gone(state, false);
}

static int wait(struct summand__state *state, MPI_Request *request)
{
    const struct summand__nodes *nodes = &state->nodes;
    struct summand__backoff backoff = {.oversubscribed = nodes->most > nodes->processors,
                                       .awake = true};
    struct summand__watch watch = {.state = state,
                                   .timeout = state->asked.timeout,
                                   .describe = state->asked.describe,
                                   .what = state->asked.what};
    int code = MPI_SUCCESS;
    for (bool done = false; !done && code == MPI_SUCCESS;) {
        code = test(request, &done);
        if (done || code != MPI_SUCCESS)
            break;
        summand__active_move(state, NULL);
        if (!summand__backoff_turn(&backoff))
            continue;
        int end = summand__watch_look(&watch, backoff.yielded, true);
        if (end == MPI_SUCCESS)
            continue;
        code = test(request, &done);
        if (code == MPI_SUCCESS && !done) {
            leave(state, *request, watch.notified);
            code = end;
        }
    }
    summand__watch_end(&watch);
    return code;
}

int summand__await(struct summand__state *state, MPI_Request *request)
{
    summand__active_take(state);
#ifdef SMPI_H /* SimGrid lets no time pass in MPI_Test: it would poll for ever */
    if (!state->progress.plans)
        return PMPI_Wait(request, MPI_STATUS_IGNORE);
#endif
    return wait(state, request);
}

int summand__await_aborted(struct summand__state *state)
{
    struct summand__watch watch = {.state = state};
    return summand__watch_aborted(&watch) ? summand_error_code(SUMMAND_ERR_REMOTE) : MPI_SUCCESS;
}
