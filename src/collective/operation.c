#include "collective/operation.h"

#include <stdio.h>
#include <string.h>
#include <summand/error.h>

#include "algorithm/call.h"
#include "op/predefined.h"

static bool same_name(const char *a, const char *b)
{
    return a == b || (a && b && !strcmp(a, b));
}

bool summand__options_alike(const summand_options *a, const summand_options *b)
{
    return same_name(a->algorithm, b->algorithm) && a->segment == b->segment &&
           a->radix == b->radix && a->node_size == b->node_size && a->leaders == b->leaders &&
           a->radix_between == b->radix_between && a->promise == b->promise;
}

/* At ranks other than the root MPI_Reduce does not know MPI_IN_PLACE; a broadcast never does. */
bool summand__operation_in_place(const struct summand__operation *operation,
                                 const struct summand__state *state)
{
    return operation->sendbuf == MPI_IN_PLACE &&
           summand__collectives[operation->collective].in_place &&
           (operation->collective != SUMMAND__COLL_REDUCE || operation->root == state->rank);
}

MPI_Count summand__operation_count(const struct summand__operation *operation, int rank)
{
    return summand__has_offsets(operation->collective)
               ? summand__number_at(&operation->counts, rank)
               : operation->count;
}

/* A datatype of the user's may have a name, or none. Handles that are bad have no name either. */
static void add_type(char *text, size_t room, MPI_Datatype datatype)
{
    char name[MPI_MAX_OBJECT_NAME] = "";
    int length = 0;
    if (datatype != MPI_DATATYPE_NULL)
        PMPI_Type_get_name(datatype, name, &length);
    snprintf(text, room, "%.24s", *name ? name : "elements");
}

void summand__operation_describe(const void *what, char *text, size_t room)
{
    const struct summand__operation *operation = what;
    char type[32], op[32] = "", root[32] = "";
    add_type(type, sizeof type, operation->datatype);
    if (summand__has_operator(operation->collective))
        snprintf(op, sizeof op, ", %s", summand__op_name(operation->op));
    if (summand__has_root(operation->collective))
        snprintf(root, sizeof root, ", root %d", operation->root);
    if (summand__has_offsets(operation->collective))
        snprintf(text, room, "%s%s%s", type, op, root);
    else
        snprintf(text, room, "%lld %s%s%s", (long long)operation->count, type, op, root);
}

static int check_counts(const struct summand__operation *operation,
                        const struct summand__state *state)
{
    bool gathers = summand__gathers(operation->collective);
    if (gathers && !summand__operation_in_place(operation, state) && operation->sendcount < 0)
        return MPI_ERR_COUNT;
    if (!summand__has_offsets(operation->collective))
        return operation->count < 0 ? MPI_ERR_COUNT : MPI_SUCCESS;
    if (!summand__has_numbers(&operation->counts))
        return MPI_ERR_COUNT;
    if (gathers && !summand__has_numbers(&operation->displacements))
        return MPI_ERR_ARG;
    for (int r = 0; r < state->ranks; r++)
        if (summand__number_at(&operation->counts, r) < 0)
            return MPI_ERR_COUNT;
    return MPI_SUCCESS;
}

static int check_types(const struct summand__operation *operation,
                       const struct summand__state *state)
{
    bool sends =
        summand__gathers(operation->collective) && !summand__operation_in_place(operation, state);
    if (operation->datatype == MPI_DATATYPE_NULL ||
        (sends && operation->sendtype == MPI_DATATYPE_NULL))
        return MPI_ERR_TYPE;
    if (summand__has_operator(operation->collective))
        return operation->op == MPI_OP_NULL ? MPI_ERR_OP
                                            : summand__op_check(operation->op, operation->datatype);
    bool blocks = summand__has_offsets(operation->collective);
    int code = summand__datatype_check(operation->datatype, blocks ? 1 : operation->count);
    if (code == MPI_SUCCESS && sends)
        code = summand__datatype_check(operation->sendtype, operation->sendcount);
    return code;
}

/* Whether a rank gives its vector as its result too, or its block of a gathering as its place in
 * the result. (Shared in part they may be well: datatypes may leave gaps for each other's
 * elements.) */
static bool overlaps(const struct summand__operation *operation, const struct summand__state *state)
{
    const char *own = operation->recvbuf;
    MPI_Aint lb, extent;
    if (summand__gathers(operation->collective)) {
        if (operation->sendtype != operation->datatype ||
            PMPI_Type_get_extent(operation->datatype, &lb, &extent) != MPI_SUCCESS)
            return false;
        MPI_Count place = state->rank;
        if (operation->collective == SUMMAND__COLL_ALLGATHERV)
            place = summand__number_at(&operation->displacements, state->rank);
        else if (__builtin_mul_overflow(place, operation->count, &place))
            return false; /* an error, as the place is in no memory */
        if (__builtin_mul_overflow(place, extent, &place))
            return false;
        own += place;
    }
    return own && operation->sendbuf == own;
}

/* A null buffer is an address too: with MPI_BOTTOM, datatypes hold absolute ones. So only overlap
 * of all and MPI_IN_PLACE where it does not belong are errors that can be seen. */
int summand__operation_check_buffers(const struct summand__operation *operation,
                                     const struct summand__state *state)
{
    bool in_place = summand__operation_in_place(operation, state);
    bool receives = operation->collective != SUMMAND__COLL_REDUCE || operation->root == state->rank;
    if (receives && operation->recvbuf == MPI_IN_PLACE)
        return MPI_ERR_BUFFER;
    if (operation->collective == SUMMAND__COLL_BCAST)
        return MPI_SUCCESS;
    if (operation->sendbuf == MPI_IN_PLACE && !in_place)
        return MPI_ERR_BUFFER;
    if (!receives || in_place || summand__operation_count(operation, state->rank) <= 0)
        return MPI_SUCCESS;
    return overlaps(operation, state) ? MPI_ERR_BUFFER : MPI_SUCCESS;
}

static int check_options(const struct summand__operation *operation)
{
    const summand_options *options = operation->options;
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

int summand__operation_check(const struct summand__operation *operation,
                             const struct summand__state *state)
{
    int code = check_counts(operation, state);
    if (code == MPI_SUCCESS && summand__has_root(operation->collective) &&
        (operation->root < 0 || operation->root >= state->ranks))
        code = MPI_ERR_ROOT;
    if (code == MPI_SUCCESS)
        code = check_types(operation, state);
    if (code == MPI_SUCCESS)
        code = summand__operation_check_buffers(operation, state);
    return code == MPI_SUCCESS ? check_options(operation) : code;
}
