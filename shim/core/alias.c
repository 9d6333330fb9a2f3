/* SPDX-License-Identifier: BSD-3-Clause */
/* Programs that pass one buffer twice, or parts of one. MPI forbids it, MPIs allow it, and Summand
 * refuses it, on this rank alone. */
#include <stdlib.h>
#include <string.h>

#include "core/shim.h"
#include "process/datatype.h"

static MPI_Count size_of(MPI_Datatype type)
{
    MPI_Count size = 0;
    return type == MPI_DATATYPE_NULL || summand__type_size(type, &size) != MPI_SUCCESS ? 0 : size;
}

static MPI_Count place_of(const struct shim_call *call, int rank)
{
    return call->displs ? call->displs[rank] : call->displs_c ? call->displs_c[rank] : 0;
}

/* Elements from recvbuf up to the last one that is written. */
static MPI_Count reach_of(const struct shim_call *call)
{
    MPI_Count reach = 0;
    if (call->collective == SHIM_REDUCE_SCATTER)
        return shim_count(call, call->comm->rank);
    if (call->collective != SHIM_ALLGATHERV)
        return call->recvcount * (call->collective == SHIM_ALLGATHER ? call->comm->size : 1);
    for (int r = 0; r < call->comm->size; r++)
        if (reach < place_of(call, r) + shim_count(call, r))
            reach = place_of(call, r) + shim_count(call, r);
    return reach;
}

static bool gathers(const struct shim_call *call)
{
    return call->collective == SHIM_ALLGATHER || call->collective == SHIM_ALLGATHERV;
}

bool shim_is_in_place(const struct shim_call *call)
{
    MPI_Aint lb, extent;
    const int rank = call->comm->rank;
    const MPI_Count place =
        call->collective == SHIM_ALLGATHER ? rank * call->recvcount : place_of(call, rank);
    return call->sendtype == call->recvtype &&
           PMPI_Type_get_extent(call->recvtype, &lb, &extent) == MPI_SUCCESS &&
           call->sendbuf == (const char *)call->recvbuf + place * extent;
}

static const void *copy_of(const struct shim_call *call, MPI_Datatype type, MPI_Count count,
                           void **copy)
{
    MPI_Aint lb, extent, true_lb, reach;
    if (PMPI_Type_get_extent(type, &lb, &extent) != MPI_SUCCESS ||
        PMPI_Type_get_true_extent(type, &true_lb, &reach) != MPI_SUCCESS || extent < 0)
        return call->sendbuf;
    const size_t bytes = (size_t)((count - 1) * extent + reach);
    *copy = malloc(bytes);
    if (!*copy)
        return call->sendbuf;
    memcpy(*copy, (const char *)call->sendbuf + true_lb, bytes);
    return (const char *)*copy - true_lb;
}

const void *shim_operand(const struct shim_call *call, MPI_Count bytes, void **copy)
{
    const char *send = call->sendbuf, *recv = call->recvbuf;
    *copy = NULL;
    if (!send || !recv || call->sendbuf == MPI_IN_PLACE || call->recvbuf == MPI_IN_PLACE ||
        (call->collective == SHIM_REDUCE && call->comm->rank != call->root))
        return send;
    const MPI_Datatype type = gathers(call) ? call->sendtype : call->recvtype;
    const MPI_Count sent = gathers(call) ? call->sendcount * size_of(type) : bytes;
    if (send + sent <= recv ||
        (send > recv && recv + reach_of(call) * size_of(call->recvtype) <= send))
        return send;
    if (!gathers(call) && send == recv)
        return send; /* an error of the MPIs, too */
    return shim_is_in_place(call)
               ? MPI_IN_PLACE
               : copy_of(call, type, sent / (size_of(type) ? size_of(type) : 1), copy);
}
