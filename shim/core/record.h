/* SPDX-License-Identifier: BSD-3-Clause */
/* Records of calls, one file of each rank (record_line.h): hashes of inputs and results. They are
 * compared by `summand diff`. No messages are added. */
#ifndef SUMMAND_SHIM_RECORD_H
#define SUMMAND_SHIM_RECORD_H

#include "core/watch.h"

/* As the functions of watch.h of the same names. */
bool record_start(void);
void record_begin(struct shim_call *call);
void record_end(struct shim_call *call);
void *record_comm(const struct shim_comm *comm); /* the record's part of comm->watch */
void record_comm_free(void *own);
void record_finish(void);

/* True if results of non-blocking calls are awaited: else requests need not be looked at. */
bool record_waits(void);
/* The request of this value, as it was before the call that completed it, is complete. */
void record_request_done(MPI_Request request);

#endif
