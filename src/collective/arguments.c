#include "collective/arguments.h"

#include <stdio.h>

#include "algorithm/call.h"

/* "3 1 2 2 ..." */
static void say_counts(const struct summand__argument *argument, char *text, size_t room)
{
    const struct summand__request *request = argument->of;
    size_t used = 0, left = 8; /* for the dots */
    for (int r = 0; r < (int)argument->count; r++) {
        if (used + 24 + left > room) {
            snprintf(text + used, room - used, " ...");
            return;
        }
        used += (size_t)snprintf(text + used, room - used, r ? " %lld" : "%lld",
                                 (long long)summand__request_count(request, r));
    }
}

/* Of blocks, which may be in elements of different sizes on different ranks: their bytes. */
static void sign_counts(struct summand__signature *signature,
                        const struct summand__request *request, int ranks, MPI_Count each)
{
    int64_t hash = 0;
    for (int r = 0; r < ranks; r++)
        hash = summand__sign_mix(hash, summand__request_count(request, r) * each);
    struct summand__argument *counts = summand__sign_number(signature, "recvcounts", hash);
    counts->say = say_counts;
    counts->of = request;
    counts->count = ranks;
}

static MPI_Count total(const struct summand__request *request, int ranks)
{
    MPI_Count all = 0;
    if (!summand__has_offsets(request->collective))
        return request->count;
    for (int r = 0; r < ranks; r++)
        all += summand__request_count(request, r);
    return all;
}

/* An operator meets elements: these are alike, and as many. */
static void sign_elements(struct summand__signature *signature,
                          const struct summand__request *request, int ranks)
{
    if (summand__has_offsets(request->collective))
        sign_counts(signature, request, ranks, 1);
    else
        summand__sign_number(signature,
                             summand__has_blocks(request->collective) ? "recvcount" : "count",
                             request->count);
    bool none = !total(request, ranks);
    summand__sign_datatype(signature, "datatype", request->datatype)->any |= none;
    summand__sign_op(signature, "op", request->op)->any |= none;
}

/* Data that are only moved may be described by other datatypes and counts elsewhere. */
static void sign_bytes(struct summand__signature *signature, const struct summand__request *request,
                       const struct summand__state *state)
{
    bool gathers = summand__request_gathers(request);
    if (summand__has_offsets(request->collective)) {
        MPI_Count bytes = 0;
        MPI_Type_size_x(request->datatype, &bytes);
        sign_counts(signature, request, state->ranks, bytes);
        summand__sign_data(signature, "recvtype", total(request, state->ranks), request->datatype);
    } else {
        summand__sign_data(signature, gathers ? "recvcount and recvtype" : "count and datatype",
                           request->count, request->datatype);
    }
    if (request->collective != SUMMAND__COLL_ALLGATHER)
        return; /* blocks of any sizes: each rank's own is compared with its recvcounts */
    if (summand__request_in_place(request, state)) {
        summand__sign_any(signature, "sendcount");
        summand__sign_any(signature, "sendtype");
    } else {
        summand__sign_data(signature, "sendcount and sendtype", request->sendcount,
                           request->sendtype);
    }
}

static void sign_options(struct summand__signature *signature, const summand_options *options)
{
    static const char *const promises[] = {[SUMMAND_ANY_ORDER] = "SUMMAND_ANY_ORDER",
                                           [SUMMAND_IN_RANK_ORDER] = "SUMMAND_IN_RANK_ORDER",
                                           [SUMMAND_CANONICAL_BITS] = "SUMMAND_CANONICAL_BITS"};
    static const summand_options defaults;
    const summand_options *o = options ? options : &defaults;
    summand__sign_word(signature, "options.algorithm", o->algorithm);
    summand__sign_word(signature, "options.promise", promises[o->promise]);
    summand__sign_number(signature, "options.segment", o->segment);
    summand__sign_number(signature, "options.radix", o->radix);
    summand__sign_number(signature, "options.node_size", o->node_size);
    summand__sign_number(signature, "options.leaders", o->leaders);
    summand__sign_number(signature, "options.radix_between", o->radix_between);
}

/* All that the messages depend on: of the parameters those that the algorithm has. */
static void sign_choice(struct summand__signature *signature, const struct summand__shape *shape,
                        const struct summand__state *state)
{
    struct summand__call call = summand__shape_call(shape, state);
    call = summand__call_complete(shape->algorithm, &call);
    struct summand__argument *choice =
        summand__sign_word(signature, "choice of an algorithm", shape->algorithm->name);
    for (int i = 0; i < SUMMAND__PARAMETERS; i++)
        choice->value = summand__sign_mix(choice->value, (int64_t)call.parameter[i]);
}

void summand__request_sign(struct summand__signature *signature,
                           const struct summand__request *request,
                           const struct summand__shape *shape, const struct summand__state *state,
                           bool init)
{
    summand__sign_call(signature, summand__request_call(request, init));
    if (summand__has_root(request->collective))
        summand__sign_number(signature, "root", request->root);
    if (summand__has_operator(request->collective))
        sign_elements(signature, request, state->ranks);
    else
        sign_bytes(signature, request, state);
    sign_options(signature, request->options);
    sign_choice(signature, shape, state);
}
