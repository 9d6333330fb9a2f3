/* SPDX-License-Identifier: BSD-3-Clause */
/* Calls that the MPI rejects on this rank by their arguments alone, without a message. They are not
 * this rank's part of a call of all ranks: the program may make the right call next, for which the
 * others wait. Whatever is not known to be rejected is taken for such a part. */
#include <pthread.h>
#include <string.h>

#include "core/shim.h"
#include "op/predefined.h"

/* MPICH and its relatives refuse one buffer in two places, and none at all; Open MPI only some. */
static bool is_strict;
static void look(void)
{
    char version[MPI_MAX_LIBRARY_VERSION_STRING];
    int length;
    PMPI_Get_library_version(version, &length);
    is_strict = strncmp(version, "Open MPI", 8) != 0;
}

static bool strict(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, look);
    return is_strict;
}

static bool has_wrong_root(const struct shim_call *call)
{
    const bool has_root = call->collective == SHIM_REDUCE || call->collective == SHIM_BCAST;
    if (call->comm->inter && (call->root == MPI_ROOT || call->root == MPI_PROC_NULL))
        return false;
    return has_root && (call->root < 0 || call->root >= call->comm->operands);
}

/* A predefined pair that was right remains so; programs have few. */
static bool has_wrong_type(const struct shim_call *call)
{
    static _Thread_local struct {
        MPI_Op op;
        MPI_Datatype type;
        bool there;
    } last;
    if (!shim_combines(call->collective))
        return summand__datatype_check("datatype", call->recvtype, 1) != MPI_SUCCESS;
    if (last.there && last.op == call->op && last.type == call->recvtype)
        return false;
    if (summand__op_check(call->op, call->recvtype) != MPI_SUCCESS)
        return true;
    last.op = call->op;
    last.type = call->recvtype;
    last.there = summand__op_predefined(call->op) && summand__datatype_predefined(call->recvtype);
    return false;
}

/* One buffer in both places, of a call with elements. */
static bool has_one_buffer(const struct shim_call *call)
{
    if (call->collective == SHIM_ALLGATHER || call->collective == SHIM_ALLGATHERV)
        return strict() && !call->comm->inter && call->sendcount > 0 &&
               call->sendbuf != MPI_IN_PLACE && shim_is_in_place(call);
    if (!shim_combines(call->collective) || call->sendbuf != call->recvbuf || !call->sendbuf)
        return false;
    if (call->collective == SHIM_REDUCE)
        return call->comm->rank == call->root && !call->comm->inter;
    if (strict())
        return !call->comm->inter;
    return call->collective == SHIM_ALLREDUCE && call->recvcount > 1;
}

/* The same between two groups. What has no meaning for a rank of a reduction to one is ignored. */
static bool has_wrong_place_between(const struct shim_call *call)
{
    const bool from = call->sendbuf == MPI_IN_PLACE, to = call->recvbuf == MPI_IN_PLACE;
    if (call->collective != SHIM_REDUCE)
        return shim_combines(call->collective) && (from || to);
    return call->root == MPI_ROOT ? to || (from && !strict()) : from;
}

/* MPI_IN_PLACE where no result may be, or where there is none to be in place of. */
static bool has_wrong_place(const struct shim_call *call)
{
    if (call->comm->inter)
        return has_wrong_place_between(call);
    if (call->collective == SHIM_REDUCE && call->comm->rank != call->root)
        return call->sendbuf == MPI_IN_PLACE;
    if (call->collective == SHIM_EXSCAN && !call->comm->rank && !strict())
        return false; /* its result has no place */
    return call->collective != SHIM_BCAST && call->recvbuf == MPI_IN_PLACE;
}

bool shim_is_rejected(const struct shim_call *call)
{
    const bool elements = call->recvcount > 0 || call->recvcounts || call->recvcounts_c;
    if (call->comm->inter && call->root == MPI_PROC_NULL) /* the MPI ignores what there is */
        return false;
    if (call->recvtype == MPI_DATATYPE_NULL || call->recvcount < 0 || has_wrong_root(call))
        return true;
    return elements && (has_wrong_type(call) || has_one_buffer(call) || has_wrong_place(call));
}
