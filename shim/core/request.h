/* SPDX-License-Identifier: BSD-3-Clause */
/* Requests of the reductions that Summand serves: non-blocking and persistent ones, and all between
 * two groups.
 *
 * A start hands the operands of all ranks to the MPI's own non-blocking gather on the program's
 * communicator, and the call that completes it combines them in the promised order. So the handle
 * is the MPI's, and its rules of order and progress hold as for its own reduction: no rank has to
 * do anything else for another one. */
#pragma once

#include <mpi.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "core/watch.h"
#include "kernel/lanes.h"
#include "op/vector.h"

/* Requests that are served and in flight on this rank: while there are none, calls that complete
 * requests look at none. */
extern atomic_int shim_requests;
/* Persistent ones that live. */
extern atomic_int shim_persistent;
/* Calls of this thread that Summand, the watch or this part make inside of a call are not looked
 * at. */
extern _Thread_local int shim_depth;

static inline bool shim_awaits(void)
{
    return __builtin_expect(atomic_load_explicit(&shim_requests, memory_order_relaxed), 0) &&
           !shim_depth;
}

static inline bool shim_keeps_any(void)
{
    return __builtin_expect(atomic_load_explicit(&shim_persistent, memory_order_relaxed), 0) &&
           !shim_depth;
}

/* fold.c: combines vectors that lie one behind the other, in the canonical bracketing or exactly.
 */
struct shim_fold {
    struct summand__vector vector;
    int vectors;
    MPI_Count length;       /* elements of each */
    MPI_Count first, count; /* those of them that are combined */
    char *memory;           /* NULL: it lies behind the fold */
    size_t room;            /* bytes of it */
    char *at;               /* the first vector, as MPI counts from */
    void *result;
    bool exact;
    enum summand__lanes_type numbers; /* exact: their type, and how many an element has */
    size_t each;
};

/* Bytes of memory that the caller gives with the fold, for small vectors. */
size_t shim_fold_behind(const struct summand__datatype *type, MPI_Count length, int vectors);
/* Room for `vectors` of `length` elements; all are combined, or those that the caller sets then:
 * some elements of each, of the first vectors. False: no memory. Local. */
bool shim_fold_begin(struct shim_fold *fold, const struct summand__datatype *type, MPI_Op op,
                     MPI_Count length, int vectors, void *behind);
/* Writes the result of the first `fold->vectors` vectors. MPI_SUCCESS, or why there is none. */
int shim_fold_run(struct shim_fold *fold);
void shim_fold_end(struct shim_fold *fold);
/* After MPI_Init and in MPI_Finalize: the communicator of this rank alone, for copies. */
void shim_folds_begin(void);
void shim_folds_end(void);

struct shim_request {
    MPI_Request handle;
    bool persistent, active;
    bool done; /* combined before the program has completed it */
    bool uses; /* its operator and datatype are kept */
    struct shim_fold fold;
    int *counts; /* of a gather: the MPI reads them until it is complete */
    struct shim_request *next;
};

/* request_start.c: serves a non-blocking call or the making of a persistent one, with the promise
 * of exact sums or of the canonical bracketing; starts never wait. On an inter-communicator also a
 * blocking call. False: the MPI does it on all ranks, for `reason`. */
bool shim_request_serve(struct shim_call *call, bool exact);

/* Keeps one whose handle is known; from now on it is the table's. */
void shim_request_keep(struct shim_request *request);
/* Writes its result; the program ends if that fails. */
void shim_request_combine(struct shim_request *request);
/* Ends one that is in no table. */
void shim_request_drop(struct shim_request *request);
/* A rank cannot do its part, and the others wait for it: one line, and the program ends. */
_Noreturn void shim_request_fail(const char *name, const char *what, int code);

/* Around a call that may complete a request: the MPI may give its handle to another thread's call
 * before the first one returns, so it is taken away meanwhile. NULL: not ours, or not active. */
struct shim_request *shim_request_take(MPI_Request handle);
void shim_request_put(struct shim_request *taken, enum watch_outcome outcome);
/* The MPI says that it is complete, and keeps it: the program may read the result. */
void shim_request_look(MPI_Request handle);
/* MPI_Start, and that it has failed. */
void shim_request_begin(MPI_Request handle, bool begins);
/* Before the MPI frees the handle. True: it does not, because the request is in flight. */
bool shim_request_free(MPI_Request handle);
/* Completes what the program has freed and what is over; in MPI_Finalize: waits for it, and frees
 * all. */
void shim_requests_poll(void);
void shim_requests_end(void);

/* A request uses an operator and a datatype of the program's, and no longer. False: both are the
 * MPI's own, and last. */
bool shim_use(MPI_Op op, MPI_Datatype type, int more);
/* It is freed once no request uses it. False: the MPI frees it now. */
bool shim_op_keeps(MPI_Op op);
bool shim_type_keeps(MPI_Datatype type);
