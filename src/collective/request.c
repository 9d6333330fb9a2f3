#include "collective/request.h"

#include <stdio.h>
#include <summand/error.h>

#include "algorithm/call.h"
#include "op/predefined.h"

const char *summand__request_call(const struct summand__request *request, bool init)
{
    static const char *const names[SUMMAND__COLLECTIVES][2] = {
        [SUMMAND__COLL_REDUCE] = {"summand_reduce", "summand_reduce_init"},
        [SUMMAND__COLL_ALLREDUCE] = {"summand_allreduce", "summand_allreduce_init"},
        [SUMMAND__COLL_BCAST] = {"summand_bcast", "summand_bcast_init"},
        [SUMMAND__COLL_REDUCE_SCATTER_BLOCK] = {"summand_reduce_scatter_block",
                                                "summand_reduce_scatter_block_init"},
        [SUMMAND__COLL_REDUCE_SCATTER] = {"summand_reduce_scatter", "summand_reduce_scatter_init"},
        [SUMMAND__COLL_ALLGATHER] = {"summand_allgather", "summand_allgather_init"},
        [SUMMAND__COLL_ALLGATHERV] = {"summand_allgatherv", "summand_allgatherv_init"}};
    return names[request->collective][init];
}

bool summand__request_gathers(const struct summand__request *request)
{
    return summand__has_blocks(request->collective) && !summand__has_operator(request->collective);
}

/* At ranks other than the root MPI_Reduce does not know MPI_IN_PLACE; a broadcast never does. */
bool summand__request_in_place(const struct summand__request *request,
                               const struct summand__state *state)
{
    if (request->collective == SUMMAND__COLL_BCAST)
        return false;
    return request->sendbuf == MPI_IN_PLACE &&
           (request->collective != SUMMAND__COLL_REDUCE || request->root == state->rank);
}

MPI_Count summand__request_count(const struct summand__request *request, int rank)
{
    return summand__has_offsets(request->collective) ? summand__number_at(&request->counts, rank)
                                                     : request->count;
}

/* A datatype of the user's may have a name, or none. Handles that are bad have no name either. */
static void add_type(char *text, size_t room, MPI_Datatype datatype)
{
    char name[MPI_MAX_OBJECT_NAME] = "";
    int length = 0;
    if (datatype != MPI_DATATYPE_NULL)
        MPI_Type_get_name(datatype, name, &length);
    snprintf(text, room, "%.24s", *name ? name : "elements");
}

void summand__request_describe(const void *what, char *text, size_t room)
{
    const struct summand__request *request = what;
    char type[32], op[32] = "", root[32] = "";
    add_type(type, sizeof type, request->datatype);
    if (summand__has_operator(request->collective))
        snprintf(op, sizeof op, ", %s", summand__op_name(request->op));
    if (summand__has_root(request->collective))
        snprintf(root, sizeof root, ", root %d", request->root);
    if (summand__has_offsets(request->collective))
        snprintf(text, room, "%s%s%s", type, op, root);
    else
        snprintf(text, room, "%lld %s%s%s", (long long)request->count, type, op, root);
}

static int check_counts(const struct summand__request *request, const struct summand__state *state)
{
    bool gathers = summand__request_gathers(request);
    if (gathers && !summand__request_in_place(request, state) && request->sendcount < 0)
        return MPI_ERR_COUNT;
    if (!summand__has_offsets(request->collective))
        return request->count < 0 ? MPI_ERR_COUNT : MPI_SUCCESS;
    if (!summand__has_numbers(&request->counts))
        return MPI_ERR_COUNT;
    if (gathers && !summand__has_numbers(&request->displacements))
        return MPI_ERR_ARG;
    for (int r = 0; r < state->ranks; r++)
        if (summand__number_at(&request->counts, r) < 0)
            return MPI_ERR_COUNT;
    return MPI_SUCCESS;
}

static int check_types(const struct summand__request *request, const struct summand__state *state)
{
    bool sends = summand__request_gathers(request) && !summand__request_in_place(request, state);
    if (request->datatype == MPI_DATATYPE_NULL || (sends && request->sendtype == MPI_DATATYPE_NULL))
        return MPI_ERR_TYPE;
    if (summand__has_operator(request->collective))
        return request->op == MPI_OP_NULL ? MPI_ERR_OP
                                          : summand__op_check(request->op, request->datatype);
    bool blocks = summand__has_offsets(request->collective);
    int code = summand__datatype_check(request->datatype, blocks ? 1 : request->count);
    if (code == MPI_SUCCESS && sends)
        code = summand__datatype_check(request->sendtype, request->sendcount);
    return code;
}

/* Whether a rank gives its vector as its result too, or its block of a gathering as its place in
 * the result. (Shared in part they may be well: datatypes may leave gaps for each other's
 * elements.) */
static bool overlaps(const struct summand__request *request, const struct summand__state *state)
{
    const char *own = request->recvbuf;
    MPI_Aint lb, extent;
    if (summand__request_gathers(request)) {
        if (request->sendtype != request->datatype ||
            MPI_Type_get_extent(request->datatype, &lb, &extent) != MPI_SUCCESS)
            return false;
        own += extent * (request->collective == SUMMAND__COLL_ALLGATHERV
                             ? summand__number_at(&request->displacements, state->rank)
                             : request->count * state->rank);
    }
    return own && request->sendbuf == own;
}

/* A null buffer is an address too: with MPI_BOTTOM, datatypes hold absolute ones. So only overlap
 * of all and MPI_IN_PLACE where it does not belong are errors that can be seen. */
int summand__request_check_buffers(const struct summand__request *request,
                                   const struct summand__state *state)
{
    bool in_place = summand__request_in_place(request, state);
    bool receives = request->collective != SUMMAND__COLL_REDUCE || request->root == state->rank;
    if (receives && request->recvbuf == MPI_IN_PLACE)
        return MPI_ERR_BUFFER;
    if (request->collective == SUMMAND__COLL_BCAST)
        return MPI_SUCCESS;
    if (request->sendbuf == MPI_IN_PLACE && !in_place)
        return MPI_ERR_BUFFER;
    if (!receives || in_place || summand__request_count(request, state->rank) <= 0)
        return MPI_SUCCESS;
    return overlaps(request, state) ? MPI_ERR_BUFFER : MPI_SUCCESS;
}

static int check_options(const struct summand__request *request)
{
    const summand_options *options = request->options;
    if (!options)
        return MPI_SUCCESS;
    if (options->segment < 0 || options->radix < 0 || options->node_size < 0 ||
        options->leaders < 0 || options->radix_between < 0 || (int)options->promise < 0 ||
        options->promise > SUMMAND_CANONICAL_BITS || !(options->timeout >= 0))
        return summand_error_code(SUMMAND_ERR_ARGUMENT);
    if (options->algorithm && !summand__algorithm_named(options->algorithm))
        return summand_error_code(SUMMAND_ERR_ALGORITHM);
    return MPI_SUCCESS;
}

int summand__request_check(const struct summand__request *request,
                           const struct summand__state *state)
{
    int code = check_counts(request, state);
    if (code == MPI_SUCCESS && summand__has_root(request->collective) &&
        (request->root < 0 || request->root >= state->ranks))
        code = MPI_ERR_ROOT;
    if (code == MPI_SUCCESS)
        code = check_types(request, state);
    if (code == MPI_SUCCESS)
        code = summand__request_check_buffers(request, state);
    return code == MPI_SUCCESS ? check_options(request) : code;
}
