/* SPDX-License-Identifier: BSD-3-Clause */
#include "shim/core/record_operands.h"

#include "core/shim.h"

static bool has_counts(const struct shim_call *call)
{
    return call->recvcounts || call->recvcounts_c;
}

/* Ranks whose data the result of a gathering call has. */
static int senders(const struct shim_call *call)
{
    int size = call->comm->size;
    if (call->comm->inter)
        PMPI_Comm_remote_size(call->handle, &size);
    return size;
}

static struct record_data block(const void *buffer, long long count, MPI_Datatype type)
{
    return (struct record_data){.buffer = buffer, .type = type, .count = count, .blocks = 1};
}

/* The buffer that has this rank's input of a reduction. */
static const void *source(const struct shim_call *call)
{
    return call->sendbuf == MPI_IN_PLACE ? call->recvbuf : call->sendbuf;
}

/* Reduce, and Bcast with its input and result exchanged: both have a root. */
static void rooted(const struct shim_call *call, struct record_operands *o)
{
    const bool root = call->comm->inter ? call->root == MPI_ROOT : call->root == call->comm->rank;
    const bool out = call->comm->inter && call->root == MPI_PROC_NULL;
    const bool reduces = call->collective == SHIM_REDUCE;
    const struct record_data data = block(call->recvbuf, call->recvcount, call->recvtype);
    o->root = call->comm->inter ? -1 : call->root;
    if (reduces && root)
        o->result = data;
    if (reduces && !out && !(root && call->comm->inter))
        o->input = block(root ? source(call) : call->sendbuf, call->recvcount, call->recvtype);
    if (!reduces && root)
        o->input = data;
    if (!reduces && !out && !(root && call->comm->inter))
        o->result = data;
}

static void scattered(const struct shim_call *call, struct record_operands *o)
{
    const int size = call->comm->size;
    o->count = 0;
    if (call->collective == SHIM_REDUCE_SCATTER && !has_counts(call))
        return;
    for (int rank = 0; rank < size; rank++)
        o->count += shim_count(call, rank);
    o->input = block(source(call), o->count, call->recvtype);
    o->result = block(call->recvbuf, shim_count(call, call->comm->rank), call->recvtype);
}

static void gathered(const struct shim_call *call, struct record_operands *o)
{
    const bool v = call->collective == SHIM_ALLGATHERV;
    const int rank = call->comm->rank;
    MPI_Aint lb, extent = 0;
    if (v && !(has_counts(call) && (call->displs || call->displs_c)))
        return;
    o->result = block(call->recvbuf, call->recvcount, call->recvtype);
    o->result.blocks = v ? senders(call) : 1;
    if (v) {
        o->result.counts = call->recvcounts;
        o->result.large_counts = call->recvcounts_c;
        o->result.displs = call->displs;
        o->result.large_displs = call->displs_c;
    } else {
        o->result.count *= senders(call);
    }
    if (call->sendbuf != MPI_IN_PLACE) {
        o->count = call->sendcount;
        o->type = call->sendtype;
        o->input = block(call->sendbuf, call->sendcount, call->sendtype);
        return;
    }
    o->count = shim_count(call, rank);
    if (call->recvtype == MPI_DATATYPE_NULL ||
        PMPI_Type_get_extent(call->recvtype, &lb, &extent) != MPI_SUCCESS)
        return;
    long long at = !v             ? rank * (long long)call->recvcount
                   : call->displs ? call->displs[rank]
                                  : (long long)call->displs_c[rank];
    o->input = block((const char *)call->recvbuf + at * extent, o->count, call->recvtype);
}

struct record_operands record_operands(const struct shim_call *call)
{
    struct record_operands o = {.name = shim_name(call),
                                .count = call->recvcount,
                                .type = call->recvtype,
                                .root = -1,
                                .has_op = shim_combines(call->collective)};
    switch (call->collective) {
    case SHIM_REDUCE:
    case SHIM_BCAST:
        rooted(call, &o);
        break;
    case SHIM_ALLREDUCE:
    case SHIM_SCAN:
    case SHIM_EXSCAN:
        o.input = block(source(call), call->recvcount, call->recvtype);
        if (call->collective == SHIM_EXSCAN && call->comm->rank == 0)
            break; /* MPI leaves its result undefined */
        o.result = block(call->recvbuf, call->recvcount, call->recvtype);
        break;
    case SHIM_REDUCE_SCATTER:
    case SHIM_REDUCE_SCATTER_BLOCK:
        scattered(call, &o);
        break;
    case SHIM_ALLGATHER:
    case SHIM_ALLGATHERV:
        gathered(call, &o);
        break;
    case SHIM_COLLECTIVE_COUNT:;
    }
    o.count = o.count < 0 ? 0 : o.count;
    return o;
}
