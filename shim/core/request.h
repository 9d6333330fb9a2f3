/* SPDX-License-Identifier: BSD-3-Clause */
/* Requests of non-blocking and persistent calls that Summand serves.
 *
 * The program's handle is one of the MPI: a receive of nothing from this rank itself, on a private
 * communicator. It completes when the plan is over, by a message of nothing. So statuses, arrays of
 * mixed requests, Fortran's handles and freed requests stay the MPI's business. */
#pragma once

#include <mpi.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "base/backoff.h"

struct shim_call;
struct summand__operation;

/* Requests that are in flight, or have failed and were not completed by the program yet: while
 * there are none, calls that complete requests are the MPI's. */
extern atomic_int shim_requests;
/* Calls of this thread that Summand, the watch or this part make inside of a call are not looked
 * at.
 */
extern _Thread_local int shim_depth;

static inline bool shim_progresses(void)
{
    return __builtin_expect(atomic_load_explicit(&shim_requests, memory_order_relaxed), 0) &&
           !shim_depth;
}

/* Persistent requests that live. */
extern atomic_int shim_persistent;
static inline bool shim_keeps_any(void)
{
    return __builtin_expect(atomic_load_explicit(&shim_persistent, memory_order_relaxed), 0) &&
           !shim_depth;
}

/* After MPI_Init, where a mode promises bits: false without memory. In MPI_Finalize: completes
 * requests that the program has freed, and frees the rest. */
bool shim_requests_begin(void);
void shim_requests_end(void);

/* Serve a non-blocking call and the making of a persistent one; an MPI error code. The first one
 * does not wait, and its error is also one of other ranks; an error of the other one is of all. */
int shim_request_start(struct shim_call *call, const struct summand__operation *operation,
                       void *copy);
int shim_request_make(struct shim_call *call, const struct summand__operation *operation,
                      const void *copy);

/* Progresses all requests once; true if one is over. `waits`: the caller waits. */
bool shim_requests_move(bool waits);

/* Persistent requests: true if it is one of Summand's. MPI_Start: `code` is the result. */
bool shim_request_begin(MPI_Request request, int *code);
/* Before the MPI frees the handle. True: it does not, because the request is active. */
bool shim_request_free(MPI_Request request);
/* True if the request is one of Summand's, active or not. */
bool shim_request_is_ours(MPI_Request request);
/* The operator is freed once no request may use it. False: the MPI frees it now. */
bool shim_request_keeps_op(MPI_Op op);

/* Around a blocking call on the communicator: other threads do not progress its requests. */
struct shim_comm;
void shim_requests_hold(struct shim_comm *comm);
void shim_requests_release(struct shim_comm *comm);
/* Completes the plans of all requests on it, before a collective of the MPI on it that blocks. */
void shim_requests_finish(MPI_Comm comm);
/* The communicator is freed. */
void shim_requests_comm_free(const struct shim_comm *comm);

/* complete.c: a call that completes requests, of one, any, all or some of an array. Outputs are
 * those of the MPI's functions; `index` is NULL, or of one. */
enum shim_completes { SHIM_ONE, SHIM_ANY, SHIM_ALL, SHIM_SOME };
struct shim_completion {
    enum shim_completes how;
    bool waits; /* else it tests */
    const char *name;
    int count;
    MPI_Request *requests;
    int *index, *flag; /* any; flag: of tests, else NULL */
    int *done, *places;
    MPI_Status *statuses;
};
int shim_complete(const struct shim_completion *completion);
/* One turn of a loop that polls the MPI: progresses requests, and lets other ranks run. */
struct shim_pause {
    unsigned turns;
    struct summand__backoff backoff;
};
void shim_pause(struct shim_pause *pause);
/* Raises an error for a request of Summand's. */
int shim_refuse(int code, const char *name);

/* A failed request of these is completed with an error: of the first one that fits. */
struct shim_failure {
    int place, code;
    MPI_Comm comm;
};
/* Takes a failed request of an array for which `completed` is true. False: there is none. */
bool shim_request_failure(const struct shim_completion *completion,
                          bool (*completed)(const struct shim_completion *completion, int place),
                          struct shim_failure *failure);
/* Notes which places of the array have failed requests, before the MPI completes them. */
void shim_requests_place(const struct shim_completion *completion);
