/* SPDX-License-Identifier: BSD-3-Clause */
/* Starting and making requests: the gather that brings the operands together. */
#include <dlfcn.h>
#include <limits.h>
#include <stdlib.h>

#include "core/request.h"
#include "core/shim.h"
#include "op/predefined.h"
#include "process/datatype.h"
#include "process/error.h"

/* All vectors go to all ranks; or each rank gets some elements of each: its block, or those of a
 * root all of them. No rank knows how long the blocks of the other group are. */
static bool goes_to_all(const struct shim_call *call)
{
    return call->collective == SHIM_ALLREDUCE || call->collective == SHIM_SCAN ||
           call->collective == SHIM_EXSCAN ||
           (call->comm->inter && call->collective != SHIM_REDUCE);
}

/* Only the root of one group and the ranks of the other one take part: what the root's neighbours
 * pass says nothing of the call, so they cannot know whether it is served. They call MPI_Reduce in
 * the same form, and MPIs count collectives by form. */
static bool goes_to_root(const struct shim_call *call)
{
    return call->comm->inter && call->collective == SHIM_REDUCE;
}

/* The MPI's persistent function, whose name mpi.h may lack. MPI_Allgather_init and MPI_Gather_init
 * of MPICH 4.0 copy this rank's own vector when they are made, not when they start. */
static void *persistent(const struct shim_call *call)
{
    const bool rooted = goes_to_root(call);
    void *function = dlsym(RTLD_DEFAULT, rooted ? "PMPI_Gatherv_init" : "PMPI_Alltoallv_init");
    if (function)
        return function;
    return dlsym(RTLD_DEFAULT, rooted ? "PMPIX_Gatherv_init" : "PMPIX_Alltoallv_init");
}

/* Elements of each vector that a rank gets; of an inter-communicator, that this rank gets. */
static MPI_Count block_of(const struct shim_call *call, int rank)
{
    if (goes_to_root(call))
        return call->root == MPI_ROOT ? call->recvcount : 0;
    if (call->comm->inter)
        return shim_elements(call);
    return call->collective == SHIM_REDUCE && rank != call->root ? 0 : shim_count(call, rank);
}

/* Bytes that a rank gathers, without gaps, at most; the same on all ranks. */
static MPI_Count gathered(const struct shim_call *call)
{
    MPI_Count most = call->comm->inter ? shim_elements(call) : 0, size = 0, all;
    const int own = call->comm->size, other = call->comm->operands;
    for (int r = 0; !call->comm->inter && r < (call->recvcount ? 1 : own); r++)
        most = shim_count(call, r) > most ? shim_count(call, r) : most;
    summand__type_size(call->recvtype, &size);
    if (__builtin_mul_overflow(most, own > other ? own : other, &all) || all > INT_MAX ||
        __builtin_mul_overflow(all, size, &all))
        return LLONG_MAX;
    return all;
}

/* Why the MPI does it: reasons that are equal on all ranks. NULL: it is served, with this datatype.
 */
static const char *why_not(const struct shim_call *call, struct summand__datatype *type)
{
    const char *form = call->comm->inter                    ? "inter-communicator"
                       : call->form == SHIM_PERSISTENT_INIT ? "persistent"
                                                            : "non-blocking";
    if (shim_state.requests < 0 || !call->promised)
        return form;
    if (!shim_combines(call->collective))
        return "moves data, and combines none";
    if (call->form == SHIM_PERSISTENT_INIT && !persistent(call))
        return form;
    if (summand__op_exact(call->op, call->recvtype) &&
        summand__datatype_kernel(call->recvtype) <= SUMMAND__COMBINE_U64)
        return "integers: any order has the same bits";
    if (gathered(call) > shim_state.requests)
        return "more operands than SUMMAND_REQUESTS allows";
    if (summand__datatype_read(call->recvtype, type) != MPI_SUCCESS || type->extent <= 0 ||
        type->extent < type->true_extent)
        return "an argument that Summand does not take";
    return NULL;
}

/* How many vectors this rank combines. */
static int wanted(const struct shim_call *call)
{
    const int rank = call->comm->rank;
    return call->collective == SHIM_SCAN     ? rank + 1
           : call->collective == SHIM_EXSCAN ? rank
                                             : call->comm->operands;
}

/* Of whole vectors a rank combines its block alone. */
static void choose_block(const struct shim_call *call, struct shim_fold *fold)
{
    if (!call->comm->inter ||
        (call->collective != SHIM_REDUCE_SCATTER && call->collective != SHIM_REDUCE_SCATTER_BLOCK))
        return;
    for (int r = 0; r < call->comm->rank; r++)
        fold->first += shim_count(call, r);
    fold->count = shim_count(call, call->comm->rank);
}

/* For each rank the count and place of its block in this rank's vector, and of this rank's block in
 * what is gathered. */
static int *counts_of(const struct shim_call *call)
{
    const int ranks = call->comm->operands, own = (int)block_of(call, call->comm->rank);
    const bool all = goes_to_all(call);
    int *counts = malloc(4 * (size_t)ranks * sizeof *counts), sent = 0;
    for (int r = 0; r < ranks && counts; r++) {
        counts[r] = (int)block_of(call, r);
        counts[ranks + r] = sent;
        counts[2 * ranks + r] = own;
        counts[3 * ranks + r] = own * r;
        sent += all ? 0 : counts[r];
    }
    return counts;
}

/* Hands the gather to the MPI. */
static int start(const struct shim_call *call, const struct shim_request *request, const void *from)
{
    const MPI_Datatype type = request->fold.vector.datatype.handle;
    const int ranks = call->comm->operands, *counts = request->counts;
    const int count = (int)request->fold.length;
    if (!counts)
        return SHIM_REAL(MPI_Iallgather)(from, count, type, request->fold.at, count, type,
                                         call->handle, call->request);
    if (goes_to_root(call) && call->form == SHIM_BLOCKING)
        return PMPI_Gatherv(from, (int)call->recvcount, type, request->fold.at, counts + 2 * ranks,
                            counts + 3 * ranks, type, call->root, call->handle);
    if (goes_to_root(call))
        return PMPI_Igatherv(from, (int)call->recvcount, type, request->fold.at, counts + 2 * ranks,
                             counts + 3 * ranks, type, call->root, call->handle, call->request);
    return PMPI_Ialltoallv(from, counts, counts + ranks, type, request->fold.at, counts + 2 * ranks,
                           counts + 3 * ranks, type, call->handle, call->request);
}

static int make(const struct shim_call *call, const struct shim_request *request, const void *from)
{
    typedef int alltoallv(const void *, const int *, const int *, MPI_Datatype, void *, const int *,
                          const int *, MPI_Datatype, MPI_Comm, MPI_Info, MPI_Request *);
    typedef int gatherv(const void *, int, MPI_Datatype, void *, const int *, const int *,
                        MPI_Datatype, int, MPI_Comm, MPI_Info, MPI_Request *);
    const MPI_Datatype type = request->fold.vector.datatype.handle;
    const int ranks = call->comm->operands, *counts = request->counts;
    if (goes_to_root(call))
        return ((gatherv *)persistent(call))(
            from, (int)call->recvcount, type, request->fold.at, counts + 2 * ranks,
            counts + 3 * ranks, type, call->root, call->handle, MPI_INFO_NULL, call->request);
    return ((alltoallv *)persistent(call))(from, counts, counts + ranks, type, request->fold.at,
                                           counts + 2 * ranks, counts + 3 * ranks, type,
                                           call->handle, MPI_INFO_NULL, call->request);
}

/* A rank that cannot do its part ends the program. */
static struct shim_request *prepare(const struct shim_call *call,
                                    const struct summand__datatype *type, bool exact)
{
    const bool plain = goes_to_all(call) && call->form != SHIM_PERSISTENT_INIT;
    const MPI_Count length = block_of(call, call->comm->rank);
    const int vectors = call->comm->operands;
    struct shim_request *request =
        malloc(sizeof *request + shim_fold_behind(type, length, vectors));
    if (request)
        *request = (struct shim_request){0};
    const bool begun =
        request && shim_fold_begin(&request->fold, type, call->op, length, vectors, request + 1);
    if (begun && !plain)
        request->counts = counts_of(call);
    if (!begun || (!plain && !request->counts))
        shim_request_fail(shim_name(call), "the operands of all ranks",
                          summand_error_code(SUMMAND_ERR_MEMORY));
    choose_block(call, &request->fold);
    request->fold.vectors = wanted(call);
    request->fold.result = call->recvbuf;
    request->fold.exact = exact && summand__datatype_lanes(call->recvtype, &request->fold.numbers,
                                                           &request->fold.each);
    request->persistent = call->form == SHIM_PERSISTENT_INIT;
    request->active = !request->persistent;
    return request;
}

bool shim_request_serve(struct shim_call *call, bool exact)
{
    struct summand__datatype type;
    MPI_Request own = MPI_REQUEST_NULL;
    const bool waits = call->form == SHIM_BLOCKING;
    call->reason = why_not(call, &type);
    if (call->reason)
        return false;
    struct shim_request *request = prepare(call, &type, exact);
    const void *from = call->sendbuf == MPI_IN_PLACE ? call->recvbuf : call->sendbuf;
    if (waits)
        call->request = &own;
    shim_depth--; /* an error handler of the program may never return here */
    call->code = (request->persistent ? make : start)(call, request, from);
    if (waits && call->code == MPI_SUCCESS)
        call->code = SHIM_REAL(MPI_Wait)(&own, MPI_STATUS_IGNORE);
    shim_depth++;
    if (waits)
        call->request = NULL;
    call->algorithm = "gather";
    call->transport = "mpi";
    if (waits && call->code == MPI_SUCCESS)
        shim_request_combine(request);
    if (waits || call->code != MPI_SUCCESS) {
        if (own == MPI_REQUEST_NULL) /* else the MPI may still write to it */
            shim_request_drop(request);
        return true;
    }
    request->handle = *call->request;
    shim_request_keep(request);
    return true;
}
