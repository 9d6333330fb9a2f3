/* SPDX-License-Identifier: BSD-3-Clause */
/* What starts and completes requests, and MPI_Abort: when the program learns that a non-blocking
 * call is over, Summand writes the result of what it serves, and records hash it. */
#include <stdlib.h>
#include <string.h>
#include <summand/error.h>

/* What is known of a request while a call may complete it; NULL: nothing. */
struct known {
    struct shim_request *served;
    struct awaited *watched;
};

/* The same of an array. `all` is NULL if nothing is known of any request of this process. */
struct taken {
    struct known few[16], *all;
    int count;
    MPI_Status *statuses; /* where the program wants none, and some are served; from malloc */
};

/* Which of many has failed is known by its status alone. */
static MPI_Status *told_in(struct taken *taken, MPI_Status *statuses)
{
    if (taken->all && statuses == MPI_STATUSES_IGNORE && shim_awaits())
        taken->statuses = malloc((size_t)taken->count * sizeof *statuses);
    return taken->statuses ? taken->statuses : statuses;
}

static void take_all(struct taken *taken, int count, const MPI_Request *requests)
{
    const bool serves = shim_awaits(), watches = watch_waits();
    const size_t bytes = (size_t)count * sizeof *taken->all;
    shim_requests_poll();
    taken->all = bytes <= sizeof taken->few ? taken->few : malloc(bytes);
    if (!taken->all && serves)
        shim_request_fail("a call of many requests", "their results",
                          summand_error_code(SUMMAND_ERR_MEMORY));
    for (int i = 0; i < count && taken->all; i++)
        taken->all[i] = (struct known){serves ? shim_request_take(requests[i]) : NULL,
                                       watches ? watch_request_take(requests[i]) : NULL};
}

static inline void take(struct taken *taken, int count, const MPI_Request *requests)
{
    taken->all = NULL;
    taken->statuses = NULL;
    taken->count = count;
    if ((shim_awaits() || (shim_state.watches && watch_waits())) && count > 0 && requests)
        take_all(taken, count, requests);
}

static void put(struct taken *taken, int at, enum watch_outcome outcome)
{
    struct known *known = &taken->all[at];
    if (known->served)
        shim_request_put(known->served, outcome);
    if (known->watched)
        watch_request_put(known->watched, outcome);
    *known = (struct known){NULL, NULL};
}

/* A persistent one keeps its handle when it is complete, or has failed. */
static bool is_kept(const struct known *known)
{
    return known->served && known->served->persistent;
}

/* The call has completed `done` requests, those at `places` or the first ones. If it failed, it may
 * still have completed some: those of which a status says so. */
static void put_all(struct taken *taken, int code, int done, const int *places,
                    const MPI_Request *requests, const MPI_Status *statuses)
{
    int class = MPI_SUCCESS;
    if (!taken->all)
        return;
    if (code != MPI_SUCCESS)
        PMPI_Error_class(code, &class);
    const bool told = class == MPI_ERR_IN_STATUS && statuses != MPI_STATUSES_IGNORE;
    for (int i = 0; i < done && (code == MPI_SUCCESS || told); i++) {
        const int at = places ? places[i] : i;
        const bool kept = is_kept(&taken->all[at]);
        const int error = code == MPI_SUCCESS ? MPI_SUCCESS : statuses[i].MPI_ERROR;
        if (error == MPI_SUCCESS &&
            (code == MPI_SUCCESS || kept || requests[at] == MPI_REQUEST_NULL))
            put(taken, at, WATCH_COMPLETE);
        else if (kept && error != MPI_ERR_PENDING)
            put(taken, at, WATCH_FAILED);
    }
    if (code != MPI_SUCCESS && class != MPI_ERR_IN_STATUS && taken->count == 1 &&
        is_kept(taken->all))
        put(taken, 0, WATCH_FAILED);
    for (int i = 0; i < taken->count; i++)
        put(taken, i,
            code != MPI_SUCCESS && requests[i] == MPI_REQUEST_NULL ? WATCH_FAILED
                                                                   : WATCH_IN_FLIGHT);
    if (taken->all != taken->few)
        free(taken->all);
    free(taken->statuses);
}

/* An error leaves no number of requests, unless it is one of theirs. */
static int count_done(int code, int done)
{
    int class = MPI_SUCCESS;
    if (code != MPI_SUCCESS)
        PMPI_Error_class(code, &class);
    return (class == MPI_SUCCESS || class == MPI_ERR_IN_STATUS) && done != MPI_UNDEFINED ? done : 0;
}

static int on_MPI_Wait(MPI_Request *request, MPI_Status *status)
{
    struct taken taken;
    take(&taken, 1, request);
    int code = SHIM_REAL(MPI_Wait)(request, status);
    put_all(&taken, code, 1, NULL, request, MPI_STATUSES_IGNORE);
    return code;
}

static int on_MPI_Waitany(int count, MPI_Request requests[], int *index, MPI_Status *status)
{
    struct taken taken;
    take(&taken, count, requests);
    int code = SHIM_REAL(MPI_Waitany)(count, requests, index, status);
    put_all(&taken, code, code == MPI_SUCCESS && *index != MPI_UNDEFINED, index, requests,
            MPI_STATUSES_IGNORE);
    return code;
}

static int on_MPI_Waitall(int count, MPI_Request requests[], MPI_Status statuses[])
{
    struct taken taken;
    take(&taken, count, requests);
    statuses = told_in(&taken, statuses);
    int code = SHIM_REAL(MPI_Waitall)(count, requests, statuses);
    put_all(&taken, code, count, NULL, requests, statuses);
    return code;
}

static int on_MPI_Waitsome(int count, MPI_Request requests[], int *done, int places[],
                           MPI_Status statuses[])
{
    struct taken taken;
    take(&taken, count, requests);
    statuses = told_in(&taken, statuses);
    int code = SHIM_REAL(MPI_Waitsome)(count, requests, done, places, statuses);
    if (taken.all)
        put_all(&taken, code, count_done(code, *done), places, requests, statuses);
    return code;
}

static int on_MPI_Test(MPI_Request *request, int *flag, MPI_Status *status)
{
    struct taken taken;
    take(&taken, 1, request);
    int code = SHIM_REAL(MPI_Test)(request, flag, status);
    put_all(&taken, code, code == MPI_SUCCESS && *flag, NULL, request, MPI_STATUSES_IGNORE);
    return code;
}

static int on_MPI_Testany(int count, MPI_Request requests[], int *index, int *flag,
                          MPI_Status *status)
{
    struct taken taken;
    take(&taken, count, requests);
    int code = SHIM_REAL(MPI_Testany)(count, requests, index, flag, status);
    put_all(&taken, code, code == MPI_SUCCESS && *flag && *index != MPI_UNDEFINED, index, requests,
            MPI_STATUSES_IGNORE);
    return code;
}

static int on_MPI_Testall(int count, MPI_Request requests[], int *flag, MPI_Status statuses[])
{
    struct taken taken;
    take(&taken, count, requests);
    statuses = told_in(&taken, statuses);
    int code = SHIM_REAL(MPI_Testall)(count, requests, flag, statuses);
    put_all(&taken, code, code != MPI_SUCCESS || *flag ? count : 0, NULL, requests, statuses);
    return code;
}

static int on_MPI_Testsome(int count, MPI_Request requests[], int *done, int places[],
                           MPI_Status statuses[])
{
    struct taken taken;
    take(&taken, count, requests);
    statuses = told_in(&taken, statuses);
    int code = SHIM_REAL(MPI_Testsome)(count, requests, done, places, statuses);
    if (taken.all)
        put_all(&taken, code, count_done(code, *done), places, requests, statuses);
    return code;
}

static void begin_all(int count, const MPI_Request *requests, bool begins)
{
    for (int i = 0; i < count && requests && shim_keeps_any(); i++)
        shim_request_begin(requests[i], begins);
}

static int on_MPI_Start(MPI_Request *request)
{
    if (watch_keeps() && request)
        watch_request_start(*request);
    begin_all(1, request, true);
    const int code = SHIM_REAL(MPI_Start)(request);
    if (code != MPI_SUCCESS)
        begin_all(1, request, false);
    return code;
}

static int on_MPI_Startall(int count, MPI_Request requests[])
{
    for (int i = 0; i < count && requests && watch_keeps(); i++)
        watch_request_start(requests[i]);
    begin_all(count, requests, true);
    const int code = SHIM_REAL(MPI_Startall)(count, requests);
    if (code != MPI_SUCCESS)
        begin_all(count, requests, false);
    return code;
}

static int on_MPI_Request_free(MPI_Request *request)
{
    if ((watch_keeps() || watch_waits()) && request)
        watch_request_free(*request);
    if ((shim_awaits() || shim_keeps_any()) && request && shim_request_free(*request)) {
        *request = MPI_REQUEST_NULL;
        return MPI_SUCCESS;
    }
    return SHIM_REAL(MPI_Request_free)(request);
}

static int on_MPI_Abort(MPI_Comm comm, int code)
{
    watch_abort();
    return SHIM_REAL(MPI_Abort)(comm, code);
}
