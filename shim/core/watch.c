/* SPDX-License-Identifier: BSD-3-Clause */
/* The watch: records and the report. Times are those of the call, without what the watch does. */
#include "core/watch.h"

#include "shim/core/record.h"
#include "shim/core/report_run.h"

bool watch_start(void)
{
    const bool records = record_start(), reports = report_start();
    return records || reports;
}

void watch_begin(struct shim_call *call)
{
    record_begin(call);
    report_begin(call); /* the last: its time begins */
}

void watch_end(struct shim_call *call)
{
    report_end(call);
    record_end(call);
}

void watch_aside(const char *name, const char *reason, const void *site)
{
    report_aside(name, reason, site);
}

void watch_comm_free(struct shim_comm *comm)
{
    record_request_comm_free(comm);
}

bool watch_waits(void)
{
    return record_waits();
}

struct awaited *watch_request_take(MPI_Request request)
{
    return record_request_take(request);
}

void watch_request_put(struct awaited *taken, enum watch_outcome outcome)
{
    record_request_put(taken, outcome);
}

bool watch_keeps(void)
{
    return record_request_keeps();
}

void watch_request_start(MPI_Request request)
{
    record_request_start(request);
}

void watch_request_free(MPI_Request request)
{
    record_request_free(request);
}

void watch_abort(void)
{
    record_abort();
}

void watch_finish(void)
{
    record_finish();
    report_finish();
}
