/* SPDX-License-Identifier: BSD-3-Clause */
/* What starts and completes requests, and MPI_Abort: records hash the result of a non-blocking call
 * when the program learns that it is there. */
#include <stdlib.h>
#include <string.h>

/* The handles before a call, which may set them to MPI_REQUEST_NULL. NULL: nobody wants them. */
struct handles {
    MPI_Request few[32], *all;
};

static void handles_keep(struct handles *kept, int count, const MPI_Request *requests)
{
    kept->all = NULL;
    if (count <= 0 || !requests || !watch_waits())
        return;
    const size_t bytes = (size_t)count * sizeof *requests;
    kept->all = bytes <= sizeof kept->few ? kept->few : malloc(bytes);
    if (kept->all)
        memcpy(kept->all, requests, bytes);
}

static void handles_end(struct handles *kept)
{
    if (kept->all != kept->few)
        free(kept->all);
}

/* Those at `places`, or all that the call has completed. */
static void handles_done(struct handles *kept, int count, const int *places)
{
    for (int i = 0; i < count && kept->all; i++)
        watch_request_done(kept->all[places ? places[i] : i]);
    handles_end(kept);
}

static int on_MPI_Wait(MPI_Request *request, MPI_Status *status)
{
    struct handles kept;
    handles_keep(&kept, 1, request);
    int code = SHIM_REAL(MPI_Wait)(request, status);
    handles_done(&kept, code == MPI_SUCCESS, NULL);
    return code;
}

static int on_MPI_Waitany(int count, MPI_Request requests[], int *index, MPI_Status *status)
{
    struct handles kept;
    handles_keep(&kept, count, requests);
    int code = SHIM_REAL(MPI_Waitany)(count, requests, index, status);
    handles_done(&kept, code == MPI_SUCCESS && *index != MPI_UNDEFINED, index);
    return code;
}

static int on_MPI_Waitall(int count, MPI_Request requests[], MPI_Status statuses[])
{
    struct handles kept;
    handles_keep(&kept, count, requests);
    int code = SHIM_REAL(MPI_Waitall)(count, requests, statuses);
    handles_done(&kept, code == MPI_SUCCESS ? count : 0, NULL);
    return code;
}

static int on_MPI_Waitsome(int count, MPI_Request requests[], int *done, int places[],
                           MPI_Status statuses[])
{
    struct handles kept;
    handles_keep(&kept, count, requests);
    int code = SHIM_REAL(MPI_Waitsome)(count, requests, done, places, statuses);
    handles_done(&kept, code == MPI_SUCCESS && *done != MPI_UNDEFINED ? *done : 0, places);
    return code;
}

static int on_MPI_Test(MPI_Request *request, int *flag, MPI_Status *status)
{
    struct handles kept;
    handles_keep(&kept, 1, request);
    int code = SHIM_REAL(MPI_Test)(request, flag, status);
    handles_done(&kept, code == MPI_SUCCESS && *flag, NULL);
    return code;
}

static int on_MPI_Testany(int count, MPI_Request requests[], int *index, int *flag,
                          MPI_Status *status)
{
    struct handles kept;
    handles_keep(&kept, count, requests);
    int code = SHIM_REAL(MPI_Testany)(count, requests, index, flag, status);
    handles_done(&kept, code == MPI_SUCCESS && *flag && *index != MPI_UNDEFINED, index);
    return code;
}

static int on_MPI_Testall(int count, MPI_Request requests[], int *flag, MPI_Status statuses[])
{
    struct handles kept;
    handles_keep(&kept, count, requests);
    int code = SHIM_REAL(MPI_Testall)(count, requests, flag, statuses);
    handles_done(&kept, code == MPI_SUCCESS && *flag ? count : 0, NULL);
    return code;
}

static int on_MPI_Testsome(int count, MPI_Request requests[], int *done, int places[],
                           MPI_Status statuses[])
{
    struct handles kept;
    handles_keep(&kept, count, requests);
    int code = SHIM_REAL(MPI_Testsome)(count, requests, done, places, statuses);
    handles_done(&kept, code == MPI_SUCCESS && *done != MPI_UNDEFINED ? *done : 0, places);
    return code;
}

static int on_MPI_Start(MPI_Request *request)
{
    if (watch_keeps() && request)
        watch_request_start(*request);
    return SHIM_REAL(MPI_Start)(request);
}

static int on_MPI_Startall(int count, MPI_Request requests[])
{
    for (int i = 0; i < count && requests && watch_keeps(); i++)
        watch_request_start(requests[i]);
    return SHIM_REAL(MPI_Startall)(count, requests);
}

static int on_MPI_Request_free(MPI_Request *request)
{
    if (watch_keeps() && request)
        watch_request_free(*request);
    return SHIM_REAL(MPI_Request_free)(request);
}

static int on_MPI_Abort(MPI_Comm comm, int code)
{
    watch_abort();
    return SHIM_REAL(MPI_Abort)(comm, code);
}
