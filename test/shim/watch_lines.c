/* SPDX-License-Identifier: BSD-3-Clause */
/* A watch for tests, in place of the report and the records: a line per intercepted call and rank,
 * in the file $SHIM_LINES.RANK. With SHIM_SCARCE=RANK, requests for memory fail on this rank, in
 * the first call on each communicator: from the n-th on, if n is the number of the communicator.
 * With SHIM_MUTE=RANK a message of this rank fails in the third call on each communicator. With
 * SHIM_VETO="RANK N" the MPI refuses the n-th agreement of this rank. */
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/watch.h"

static FILE *lines;
static bool is_scarce, is_mute, fails_now;
static int left = -1; /* requests that succeed; negative: all */

void *__real_malloc(size_t bytes);
void *__real_calloc(size_t n, size_t bytes);
void *__real_realloc(void *old, size_t bytes);
void *__wrap_malloc(size_t bytes);
void *__wrap_calloc(size_t n, size_t bytes);
void *__wrap_realloc(void *old, size_t bytes);

static bool fails(void)
{
    return left == 0 || (left > 0 && left-- == 1);
}

void *__wrap_malloc(size_t bytes)
{
    return fails() ? NULL : __real_malloc(bytes);
}

void *__wrap_calloc(size_t n, size_t bytes)
{
    return fails() ? NULL : __real_calloc(n, bytes);
}

void *__wrap_realloc(void *old, size_t bytes)
{
    return fails() ? NULL : __real_realloc(old, bytes);
}

int __real_PMPI_Isend(const void *data, int count, MPI_Datatype type, int to, int tag,
                      MPI_Comm comm, MPI_Request *request);
int __wrap_PMPI_Isend(const void *data, int count, MPI_Datatype type, int to, int tag,
                      MPI_Comm comm, MPI_Request *request);
int __wrap_PMPI_Isend(const void *data, int count, MPI_Datatype type, int to, int tag,
                      MPI_Comm comm, MPI_Request *request)
{
    const bool is_lost = fails_now; /* one message: not those that tell the others */
    fails_now = false;
    return is_lost ? MPI_ERR_OTHER : __real_PMPI_Isend(data, count, type, to, tag, comm, request);
}

int __real_PMPI_Iallreduce(const void *data, void *result, int count, MPI_Datatype type, MPI_Op op,
                           MPI_Comm comm, MPI_Request *request);
int __wrap_PMPI_Iallreduce(const void *data, void *result, int count, MPI_Datatype type, MPI_Op op,
                           MPI_Comm comm, MPI_Request *request);
int __wrap_PMPI_Iallreduce(const void *data, void *result, int count, MPI_Datatype type, MPI_Op op,
                           MPI_Comm comm, MPI_Request *request)
{
    static int before;
    int own, rank, n;
    const char *veto = getenv("SHIM_VETO");
    PMPI_Comm_rank(MPI_COMM_WORLD, &own);
    const bool agrees =
        type == MPI_INT64_T && op == MPI_MAX; /* what else is reduced is of a set-up */
    if (agrees && veto && sscanf(veto, "%d %d", &rank, &n) == 2 && rank == own && ++before == n)
        return MPI_ERR_OTHER;
    return __real_PMPI_Iallreduce(data, result, count, type, op, comm, request);
}

bool watch_start(void)
{
    char name[4096];
    int rank;
    const char *file = getenv("SHIM_LINES"), *scarce = getenv("SHIM_SCARCE");
    const char *mute = getenv("SHIM_MUTE");
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    snprintf(name, sizeof name, "%s.%d", file ? file : "", rank);
    lines = file ? fopen(name, "w") : NULL;
    is_scarce = scarce && atoi(scarce) == rank;
    is_mute = mute && atoi(mute) == rank;
    return lines;
}

void watch_begin(struct shim_call *call)
{
    if (is_scarce && call->number == 1)
        left = call->comm->number;
    fails_now = is_mute && call->number == 3;
}

void watch_end(struct shim_call *call)
{
    static const char *const names[] = {
#define NAME(Name, name, ...) #name,
        SHIM_COLLECTIVES(NAME)};
    static const char *const forms[] = {"blocking", "non-blocking", "persistent"};
    left = -1;
    fails_now = false;
    Dl_info site;
    const bool known = dladdr(call->caller, &site) && site.dli_fname;
    if (!known || strncmp(program_invocation_short_name, strrchr(site.dli_fname, '/') + 1,
                          strlen(program_invocation_short_name)) != 0)
        fprintf(lines, "called from outside of the program: %s\n", known ? site.dli_fname : "?");
    fprintf(lines, "%d %llu %s %s%s %s\n", call->comm ? call->comm->number : -1,
            (unsigned long long)call->number, names[call->collective], forms[call->form],
            call->large ? " large" : "", call->served ? "served" : call->reason);
    if (call->served && call->code == MPI_SUCCESS && !(call->algorithm && call->transport))
        fprintf(lines, "served without a name\n");
}

void watch_aside(const char *name, const char *reason, const void *site)
{
    (void)name, (void)reason, (void)site;
}

void watch_comm_free(struct shim_comm *comm)
{
    (void)comm;
}

bool watch_waits(void)
{
    return false;
}

struct awaited *watch_request_take(MPI_Request request)
{
    (void)request;
    return NULL;
}

void watch_request_put(struct awaited *taken, enum watch_outcome outcome)
{
    (void)taken, (void)outcome;
}

bool watch_keeps(void)
{
    return false;
}

void watch_request_start(MPI_Request request)
{
    (void)request;
}

void watch_request_free(MPI_Request request)
{
    (void)request;
}

void watch_abort(void)
{
}

void watch_finish(void)
{
    fprintf(lines, "end\n");
    fclose(lines);
}
