/* The local part of a collective operation. */
#ifndef SUMMAND_COLLECTIVE_WORK_H
#define SUMMAND_COLLECTIVE_WORK_H

#include "collective/shape.h"
#include "op/vector.h"
#include "plan/plan.h"

struct summand__collective_work {
    struct summand__shape shape;
    size_t *offsets; /* shape.offsets */
    struct summand__call call;
    struct summand__vector vector;
    struct summand__request request; /* as bound; its options are not read any more */
    struct summand__datatype_layout user_send, user_recv;
    MPI_Datatype wide;    /* the datatype with its elements apart, or MPI_DATATYPE_NULL */
    MPI_Datatype held[2]; /* duplicates of the caller's: see summand__work_hold */
    /* Memory of ours and where its element 0 lies. */
    struct summand__store {
        void *memory;
        char *origin;
    } send, recv, scratch;
};

extern const struct summand__plan_hooks summand__collective_hooks;

/* Work for calls of the shape; NULL when out of memory. */
struct summand__collective_work *summand__work_make(const struct summand__state *state,
                                                    const struct summand__request *request,
                                                    const struct summand__shape *shape,
                                                    const struct summand__datatypes *types,
                                                    int tag);

/* For work that outlives its call: duplicates of the caller's datatypes in place of their handles,
 * which may be freed then. Before the first bind. An MPI error code. */
int summand__work_hold(struct summand__collective_work *work, struct summand__datatypes *types);

/* Takes buffers, datatypes and operator of a request of the shape. An MPI error code. */
int summand__work_bind(struct summand__collective_work *work,
                       const struct summand__request *request,
                       const struct summand__datatypes *types);

/* What the schedule reads, writes and sends. */
const void *summand__work_sendbuf(const struct summand__collective_work *work,
                                  const struct summand__datatypes *types);
void *summand__work_recvbuf(const struct summand__collective_work *work,
                            const struct summand__datatypes *types);

#endif
