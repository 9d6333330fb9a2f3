/* SPDX-License-Identifier: BSD-3-Clause */
/* What the shim tells of each intercepted call, and where the report and the records hook in. */
#pragma once

#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>

#include "names.h"

/* The collective (names.h) comes in three forms. */
enum shim_form { SHIM_BLOCKING, SHIM_NONBLOCKING, SHIM_PERSISTENT_INIT, SHIM_FORM_COUNT };

/* A communicator, from its first intercepted call to its end. */
struct shim_comm {
    MPI_Comm comm;
    int number; /* order of the first intercepted call on it in this process, from 0 */
    int rank, size;
    bool inter, strange; /* strange: between groups of which some ranks are of another world */
    int operands;   /* ranks whose operands this rank's results have: of an inter-communicator, the
                       other group */
    uint64_t calls; /* calls on it so far, with those that persistent requests start */
    uint64_t blocking;     /* blocking ones: the same number on all ranks */
    void *record, *report; /* the watch's own, NULL at first; watch_comm_free ends them */
    /* The core's own: sizes (by their logarithm) at which all ranks have agreed to be served, and
     * at which they have agreed not to be. */
    uint64_t agreed[SHIM_COLLECTIVE_COUNT], refused[SHIM_COLLECTIVE_COUNT];
    int failures[SHIM_COLLECTIVE_COUNT];
    bool lost; /* no blocking call on it is served */
};

/* One intercepted call. Arguments that a function does not have are 0; buffers and handles are
 * those of C, also if Fortran called. */
struct shim_call {
    enum shim_collective collective;
    enum shim_form form;
    bool large;             /* the function's name ends in _c */
    struct shim_comm *comm; /* NULL for MPI_COMM_NULL, or if there was no memory */
    uint64_t number;        /* of this call on its communicator, from 1; 0: not this rank's part of
                               one, because the MPI rejects its arguments */

    /* Reduce, Allreduce, Reduce_scatter_block, Bcast: recvcount and recvtype are the count and the
     * datatype; sendcount and sendtype belong to the allgathers. Bcast: recvbuf is the buffer, and
     * sendbuf NULL. Arrays have an element per rank; of each pair one is not NULL. */
    const void *sendbuf;
    void *recvbuf;
    MPI_Count sendcount, recvcount;
    const int *recvcounts, *displs; /* without _c */
    const MPI_Count *recvcounts_c;  /* with _c */
    const MPI_Aint *displs_c;
    MPI_Datatype sendtype, recvtype;
    MPI_Op op;
    int root;
    MPI_Comm handle;
    MPI_Request *request; /* out: of the non-blocking and persistent forms */

    const void *caller; /* the program's return address */
    /* How it went. Valid in watch_end. */
    bool served; /* by Summand; else the MPI did it */
    const char *
        algorithm; /* served: name as in `summand list`, or "gather" of requests; NULL if unknown */
    const char *transport; /* served: name, or NULL if unknown */
    const char *reason;    /* passed on: why; a string that lives for ever */
    bool rounds;           /* a reduction whose bits may depend on the order; if watched */
    bool promised;         /* served: the mode promises more of the bits than MPI does */
    int code;              /* what the function returns */
    bool open;             /* the core's own: shim_end ends it */
    double begun, ended;   /* seconds of a clock of this node; 0 unless watch_begin sets them */
};

/* Elements of a rank's block, of calls with an array of them; else those of the vector. */
static inline MPI_Count shim_count(const struct shim_call *call, int rank)
{
    return call->recvcounts     ? call->recvcounts[rank]
           : call->recvcounts_c ? call->recvcounts_c[rank]
                                : call->recvcount;
}

/* After MPI_Init. Returns true if calls are to be watched: else none of the others is called. */
bool watch_start(void);
/* Before the call is served or passed on, and after. Of a non-blocking or persistent form `end`
 * means that it was started or made. */
void watch_begin(struct shim_call *call);
void watch_end(struct shim_call *call);
/* A function of SHIM_ASIDES is called, and may round. */
void watch_aside(const char *name, const char *reason, const void *site);
/* The communicator is freed. */
void watch_comm_free(struct shim_comm *comm);
/* Requests that functions of the program complete are looked at only if this is true. */
bool watch_waits(void);
/* Around a call that may complete a request: the MPI may give its handle to another thread's call
 * before the first one returns, so what is awaited of it is taken away meanwhile. NULL: nothing. */
struct awaited;
struct awaited *watch_request_take(MPI_Request request);
/* After that call. WATCH_FAILED: the request is no more, and its result may be wrong. */
enum watch_outcome { WATCH_IN_FLIGHT, WATCH_COMPLETE, WATCH_FAILED };
void watch_request_put(struct awaited *taken, enum watch_outcome outcome);
/* The same for persistent requests that start, and that the program frees. */
bool watch_keeps(void);
void watch_request_start(MPI_Request request);
void watch_request_free(MPI_Request request);
/* The program calls MPI_Abort. */
void watch_abort(void);
/* In MPI_Finalize, after all callbacks of MPI_COMM_SELF that the program has set: these may still
 * communicate. Collective over MPI_COMM_WORLD, where the MPI still runs. */
void watch_finish(void);
