/* SPDX-License-Identifier: BSD-3-Clause */
/* Calls that complete requests while some of Summand's are in flight. A call that waits becomes a
 * loop of the MPI's tests, which also progress the MPI, because the other ranks may wait for
 * either. What the tests of each kind say of an array is what the MPI says. */
#include "base/backoff.h"
#include "core/request.h"
#include "core/shim.h"
#include "process/error.h"

static int test_one(const struct shim_completion *c, int *over)
{
    return SHIM_REAL(MPI_Test)(c->requests, over, c->statuses);
}

static int test_any(const struct shim_completion *c, int *over)
{
    return SHIM_REAL(MPI_Testany)(c->count, c->requests, c->index, over, c->statuses);
}

static int test_all(const struct shim_completion *c, int *over)
{
    return SHIM_REAL(MPI_Testall)(c->count, c->requests, over, c->statuses);
}

static int test_some(const struct shim_completion *c, int *over)
{
    const int code =
        SHIM_REAL(MPI_Testsome)(c->count, c->requests, c->done, c->places, c->statuses);
    *over = code == MPI_SUCCESS && *c->done;
    return code;
}

/* For the request at a place, if the call has completed any. */
static bool completed_that(const struct shim_completion *c, int place)
{
    return *c->index == place;
}

static bool completed_each(const struct shim_completion *c, int place)
{
    (void)c, (void)place;
    return true;
}

static bool completed_some(const struct shim_completion *c, int place)
{
    bool found = false;
    for (int i = 0; i < *c->done && !found; i++)
        found = c->places[i] == place;
    return found;
}

static const struct kind {
    int (*test)(const struct shim_completion *c, int *over);
    bool (*completed)(const struct shim_completion *c, int place);
    bool many; /* errors are those of statuses */
} kinds[] = {[SHIM_ONE] = {test_one, completed_each, false},
             [SHIM_ANY] = {test_any, completed_that, false},
             [SHIM_ALL] = {test_all, completed_each, true},
             [SHIM_SOME] = {test_some, completed_some, true}};

/* The status of the request at a place. */
static MPI_Status *status_of(const struct shim_completion *c, int place)
{
    if (c->statuses == MPI_STATUSES_IGNORE)
        return NULL;
    int at = place;
    for (int i = 0; c->how == SHIM_SOME && i < *c->done; i++)
        at = c->places[i] == place ? i : at;
    return &c->statuses[at];
}

/* The call has completed requests: if one has failed, that is the call's error. */
static int tell_failures(const struct shim_completion *c, const struct kind *kind)
{
    struct shim_failure failure;
    int code = MPI_SUCCESS;
    MPI_Comm comm = MPI_COMM_SELF;
    const int count = c->how == SHIM_SOME ? *c->done : c->count;
    while (shim_request_failure(c, kind->completed, &failure)) {
        if (kind->many && c->statuses != MPI_STATUSES_IGNORE) {
            for (int i = 0; i < count && code == MPI_SUCCESS; i++)
                c->statuses[i].MPI_ERROR = MPI_SUCCESS;
            status_of(c, failure.place)->MPI_ERROR = failure.code;
        }
        code = kind->many ? MPI_ERR_IN_STATUS : failure.code;
        comm = failure.comm;
    }
    return summand__raise(c->name, comm, code);
}

int shim_refuse(int code, const char *name)
{
    return summand__raise(name, MPI_COMM_SELF, code);
}

void shim_pause(struct shim_pause *pause)
{
    if (!pause->turns++)
        pause->backoff =
            (struct summand__backoff){.oversubscribed = shim_state.oversubscribed, .awake = true};
    if (shim_requests_move(true))
        summand__backoff_reset(&pause->backoff);
    else
        summand__backoff_turn(&pause->backoff);
}

void shim_requests_finish(MPI_Comm handle)
{
    struct shim_pause pause = {.turns = 0};
    const struct shim_comm *comm = shim_comm_of(handle);
    while (comm && comm->requests)
        shim_pause(&pause);
}

int shim_complete(const struct shim_completion *c)
{
    enum { POLLS = 8 }; /* of plans, which may cost less than a look at the MPI */
    const struct kind *kind = &kinds[c->how];
    struct summand__backoff backoff = {.oversubscribed = shim_state.oversubscribed, .awake = true};
    int over = 0, code = MPI_SUCCESS;
    for (;;) {
        bool moved = false;
        for (int i = 0; i < (c->waits ? POLLS : 1) && !moved; i++)
            moved = shim_requests_move(c->waits);
        shim_requests_place(c);
        code = kind->test(c, &over);
        if (over || code != MPI_SUCCESS || !c->waits)
            break;
        if (moved)
            summand__backoff_reset(&backoff);
        else
            summand__backoff_turn(&backoff);
    }
    if (c->flag)
        *c->flag = over;
    return over && code == MPI_SUCCESS ? tell_failures(c, kind) : code;
}
