#include "collective/shape.h"

#include <fenv.h>
#include <limits.h>
#include <stdint.h>
#include <string.h>
#include <summand/error.h>

#include "algorithm/call.h"
#include "collective/tuned.h"
#include "select/recall.h"

static int read_types(const struct summand__request *request, const struct summand__state *state,
                      struct summand__datatypes *types)
{
    bool bytes = !summand__has_operator(request->collective);
    int code = summand__datatype_read(request->datatype, &types->recv);
    types->send = types->recv;
    if (code == MPI_SUCCESS && summand__request_gathers(request) &&
        !summand__request_in_place(request, state))
        code = summand__datatype_read(request->sendtype, &types->send);
    types->unit = bytes ? (size_t)types->recv.size : types->recv.size > 0;
    return code;
}

/* All sizes that follow are products below PTRDIFF_MAX. */
static bool countable(const struct summand__request *request, const struct summand__state *state,
                      const struct summand__datatype *type)
{
    MPI_Aint reach = type->extent < 0 ? -type->extent : type->extent;
    if (reach < type->true_extent + 64)
        reach = type->true_extent + 64;
    if (reach < type->size) /* elements may be sent from overlapping places */
        reach = (MPI_Aint)type->size;
    MPI_Count left = PTRDIFF_MAX / reach / state->ranks, total = 0;
    if (!summand__has_offsets(request->collective))
        return request->count <= left;
    for (int r = 0; r < state->ranks; r++) {
        MPI_Count count = summand__request_count(request, r);
        if (count > left || (total += count) > left)
            return false;
    }
    return true;
}

static bool displaced(const struct summand__request *request, int ranks)
{
    MPI_Count next = 0;
    for (int r = 0; r < ranks && request->collective == SUMMAND__COLL_ALLGATHERV; r++) {
        if (summand__number_at(&request->displacements, r) != next &&
            summand__request_count(request, r))
            return true;
        next += summand__request_count(request, r);
    }
    return false;
}

static size_t total_bytes(const struct summand__request *request,
                          const struct summand__datatype *type, int ranks)
{
    size_t total = 0;
    int blocks = summand__has_blocks(request->collective) ? ranks : 1;
    for (int r = 0; r < blocks; r++)
        total += (size_t)summand__request_count(request, r) * (size_t)type->size;
    return total;
}

static int read_promises(const struct summand__request *request, unsigned *promises)
{
    static const unsigned asked[] = {[SUMMAND_ANY_ORDER] = 0,
                                     [SUMMAND_IN_RANK_ORDER] = SUMMAND__RANK_ORDER,
                                     [SUMMAND_CANONICAL_BITS] =
                                         SUMMAND__RANK_ORDER | SUMMAND__CANONICAL};
    int commutes = 1, code = MPI_SUCCESS;
    *promises = request->options ? asked[request->options->promise] : 0;
    if (summand__has_operator(request->collective))
        code = MPI_Op_commutative(request->op, &commutes);
    if (!commutes)
        *promises |= SUMMAND__RANK_ORDER;
    return code;
}

static int choose(const struct summand__request *request, struct summand__state *state,
                  const struct summand__datatypes *types, struct summand__shape *shape)
{
    struct summand__query query = {.collective = request->collective,
                                   .ranks = state->ranks,
                                   .node_size = (size_t)state->nodes.node_size,
                                   .processors = state->segment ? state->nodes.processors : 0,
                                   .bytes = total_bytes(request, &types->recv, state->ranks),
                                   .element =
                                       types->unit ? (size_t)types->recv.size / types->unit : 1,
                                   .promises = shape->promises};
    struct summand__choice choice = {.algorithm = shape->asked};
    const struct summand__tuning *tuning = summand__tuned(state);
    if (!tuning)
        return summand_error_code(SUMMAND_ERR_MEMORY);
    if (tuning->has_model)
        query.model = &tuning->model;
    struct summand__call measured = summand__shape_call(shape, state);
    if (!shape->asked && !summand__tuning_lookup(tuning, &query, &measured, &choice) &&
        !summand__choose_or_recall(&query, &choice))
        return summand_error_code(SUMMAND_ERR_MEMORY);
    shape->algorithm = choice.algorithm;
    for (int i = 0; i < SUMMAND__PARAMETERS; i++)
        shape->parameter[i] =
            shape->asked_parameter[i] ? shape->asked_parameter[i] : choice.parameter[i];
    if (!shape->parameter[SUMMAND__NODE_SIZE])
        shape->parameter[SUMMAND__NODE_SIZE] = query.node_size;
    struct summand__call call = summand__shape_call(shape, state);
    if (!summand__promises_kept(shape->algorithm, request->collective, query.promises) ||
        !summand__algorithm_does(shape->algorithm, &call))
        return summand_error_code(SUMMAND_ERR_ALGORITHM);
    return MPI_SUCCESS;
}

/* Ranks that round in different ways would read and estimate different numbers, take different
 * algorithms, and wait for ever. Traps stay off meanwhile. */
int summand__shape_choose(const struct summand__request *request, struct summand__state *state,
                          const struct summand__datatypes *types, struct summand__shape *shape)
{
    fenv_t callers;
    fegetenv(&callers);
    fesetenv(FE_DFL_ENV);
    int code = choose(request, state, types, shape);
    fesetenv(&callers);
    return code;
}

/* Bytes are moved as they lie if they lie together; elements of an operator, if they do not reach
 * into one another. */
static int stage(const struct summand__request *request, const struct summand__state *state,
                 const struct summand__datatypes *types, struct summand__shape *shape)
{
    if (summand__has_operator(request->collective)) {
        shape->extent = types->recv.extent;
        shape->true_lb = types->recv.true_lb;
        shape->true_extent = types->recv.true_extent;
        shape->size = types->recv.size;
        shape->recv_staged = shape->send_staged = !types->recv.spaced;
        return MPI_SUCCESS;
    }
    shape->recv_staged = !types->recv.dense || displaced(request, state->ranks);
    shape->send_staged = !types->send.dense;
    if ((shape->recv_staged && types->recv.size > INT_MAX) ||
        (shape->send_staged && types->send.size > INT_MAX))
        return MPI_ERR_TYPE;
    if (request->collective == SUMMAND__COLL_BCAST || shape->in_place)
        return MPI_SUCCESS;
    if ((PTRDIFF_MAX / (types->send.size + 1) < request->sendcount) ||
        request->sendcount * types->send.size !=
            summand__request_count(request, state->rank) * types->recv.size)
        return MPI_ERR_TRUNCATE;
    return MPI_SUCCESS;
}

static void read_options(const summand_options *options, struct summand__shape *shape)
{
    shape->asked = options->algorithm ? summand__algorithm_named(options->algorithm) : NULL;
    shape->asked_parameter[SUMMAND__SEGMENT] = (size_t)options->segment;
    shape->asked_parameter[SUMMAND__RADIX] = (size_t)options->radix;
    shape->asked_parameter[SUMMAND__NODE_SIZE] = (size_t)options->node_size;
    shape->asked_parameter[SUMMAND__LEADERS] = (size_t)options->leaders;
    shape->asked_parameter[SUMMAND__INTER_NODE_RADIX] = (size_t)options->radix_between;
}

int summand__shape_read(const struct summand__request *request, const struct summand__state *state,
                        struct summand__datatypes *types, struct summand__shape *shape)
{
    int code = read_types(request, state, types);
    if (code != MPI_SUCCESS)
        return code;
    if (!countable(request, state, &types->recv))
        return MPI_ERR_COUNT;
    *shape = (struct summand__shape){
        .collective = request->collective,
        .root = summand__has_root(request->collective) ? request->root : 0,
        .in_place = summand__request_in_place(request, state),
    };
    if (!summand__has_offsets(request->collective))
        shape->count = (size_t)request->count * types->unit;
    if (request->options)
        read_options(request->options, shape);
    code = read_promises(request, &shape->promises);
    return code == MPI_SUCCESS ? stage(request, state, types, shape) : code;
}

bool summand__shape_serves(const struct summand__shape *made, const struct summand__shape *asked,
                           const struct summand__request *request, size_t unit, int ranks)
{
    bool same =
        made->collective == asked->collective && made->root == asked->root &&
        made->in_place == asked->in_place && made->asked == asked->asked &&
        made->promises == asked->promises &&
        !memcmp(made->asked_parameter, asked->asked_parameter, sizeof made->asked_parameter) &&
        made->count == asked->count && made->send_staged == asked->send_staged &&
        made->recv_staged == asked->recv_staged && made->extent == asked->extent &&
        made->true_lb == asked->true_lb && made->true_extent == asked->true_extent &&
        made->size == asked->size;
    for (int r = 0; same && made->offsets && r < ranks; r++)
        same = made->offsets[r + 1] - made->offsets[r] ==
               (size_t)summand__request_count(request, r) * unit;
    return same;
}

struct summand__call summand__shape_call(const struct summand__shape *shape,
                                         const struct summand__state *state)
{
    struct summand__call call = {.collective = shape->collective,
                                 .rank = state->rank,
                                 .ranks = state->ranks,
                                 .root = shape->root,
                                 .count = shape->count,
                                 .offsets = shape->offsets,
                                 .in_place = shape->in_place};
    memcpy(call.parameter, shape->parameter, sizeof call.parameter);
    return call;
}
