/* SPDX-License-Identifier: BSD-3-Clause */
/* Records of calls, one file of each rank (record_line.h): hashes of inputs and results. They are
 * compared by `summand diff`. No messages are added. */
#pragma once

#include "core/watch.h"
#include "shim/core/record_type.h"

/* As the functions of watch.h of the same names. */
bool record_start(void);
void record_begin(struct shim_call *call);
void record_end(struct shim_call *call);
void record_finish(void);

/* The process ends without MPI_Finalize. */
void record_abort(void);

/* A buffer's values as text, or NULL: there are more than are asked for. The caller frees it. */
char *record_values(const struct record_data *data);

/* record_request.c: requests whose results are awaited, and persistent ones. */
struct record_pending;
struct record_entry;
/* `result` lives until the request completes; a derived datatype may end before. */
void record_request_await(MPI_Request request, const struct record_data *result,
                          struct record_pending *line);
/* True if results are awaited: else requests need not be looked at. */
bool record_waits(void);
/* As the functions of watch.h. */
struct awaited *record_request_take(MPI_Request request);
void record_request_put(struct awaited *taken, enum watch_outcome outcome);
/* A persistent request was made: the entry is that of each start, without number and input. */
void record_request_keep(MPI_Request request, const struct record_entry *entry,
                         const struct record_data *input, const struct record_data *result,
                         struct shim_comm *comm);
/* True if there are persistent requests: else starts need not be looked at. */
bool record_request_keeps(void);
/* It is about to start; to be freed; its communicator is freed. */
void record_request_start(MPI_Request request);
void record_request_free(MPI_Request request);
void record_request_comm_free(const struct shim_comm *comm);
void record_requests_end(void);
