/* SPDX-License-Identifier: BSD-3-Clause */
/* The lists of requests, for request.c and request_start.c alone. One lock guards them, and
 * whatever a thread does to a plan of a request. */
#pragma once

#include "core/request.h"
#include "plan/call.h"

struct shim_request {
    MPI_Request handle;
    bool gone; /* the program has freed it while it was active: the handle is ours now */
    int tag;   /* of its receive; never another one's */
    struct summand__started run;
    struct shim_comm *comm; /* NULL: freed */
    MPI_Comm on;            /* for errors */
    void *copy;             /* of the operand, or NULL */
    MPI_Datatype own[2];    /* duplicates of derived datatypes, which the program may free */
    uint64_t call;          /* its number, as tags count calls */
    bool persistent;
    int code;                           /* failed with it, and not completed yet */
    const struct shim_completion *seen; /* failed: by this call, at `place` */
    int place;
    struct shim_request *next; /* in one of these lists */
};

extern struct shim_lists {
    struct shim_request *active, *inactive, *failed, *unused;
    struct shim_request *spent; /* all is done but to free or cache their plans */
    MPI_Comm self;              /* of this rank alone */
} shim_lists;

void shim_list_enter(void);
void shim_list_leave(void);
void shim_list_push(struct shim_request **list, struct shim_request *request);
struct shim_request *shim_list_take(struct shim_request **list, const struct shim_request *request);
/* NULL: the list has no request with this handle. */
struct shim_request *shim_list_find(struct shim_request *list, MPI_Request handle);
/* Progresses the active ones; frees or caches plans that are spent. */
bool shim_list_move(bool waits);
void shim_list_reclaim(void);

/* A request in no list, with a tag that no other one has; NULL without memory. */
struct shim_request *shim_request_new(const struct shim_call *call);
/* Its plan has begun; it is over, with this result. */
void shim_request_activate(struct shim_request *request);
void shim_request_end(struct shim_request *request, int code);
/* Lets the handle complete; frees it, once it is complete, if it is ours. */
void shim_request_meet(const struct shim_request *request);
void shim_request_drop_handle(struct shim_request *request);
