/* SPDX-License-Identifier: BSD-3-Clause */
#include "collective/arguments.h"

#include <stdio.h>

#include "algorithm/call.h"
#include "base/hash.h"
#include "plan/options.h"
#include "process/datatype.h"

/* "3 1 2 2 ..." */
static void say_counts(const struct summand__argument *argument, char *text, size_t room)
{
    const struct summand__operation *operation = argument->of;
    size_t used = 0, left = 8; /* for the dots */
    for (int r = 0; r < (int)argument->count; r++) {
        if (used + 24 + left > room) {
            snprintf(text + used, room - used, " ...");
            return;
        }
        used += (size_t)snprintf(text + used, room - used, r ? " %lld" : "%lld",
                                 (long long)summand__operation_count(operation, r));
    }
}

/* Signs the blocks' sizes in bytes (`each` per element): ranks may use different datatypes. */
static void sign_counts(struct summand__signature *signature,
                        const struct summand__operation *operation, int ranks, MPI_Count each)
{
    int64_t hash = 0;
    for (int r = 0; r < ranks; r++)
        hash = summand__sign_mix(hash, summand__operation_count(operation, r) * each);
    struct summand__argument *counts = summand__sign_number(signature, "recvcounts", hash);
    counts->say = say_counts;
    counts->of = operation;
    counts->count = ranks;
}

static MPI_Count total(const struct summand__operation *operation, int ranks)
{
    MPI_Count all = 0;
    if (!summand__has_offsets(operation->collective))
        return operation->count;
    for (int r = 0; r < ranks; r++)
        all += summand__operation_count(operation, r);
    return all;
}

/* An operator needs equal elements, and the same number of them. */
static void sign_elements(struct summand__signature *signature,
                          const struct summand__operation *operation, int ranks)
{
    if (summand__has_offsets(operation->collective))
        sign_counts(signature, operation, ranks, 1);
    else
        summand__sign_number(signature,
                             summand__has_blocks(operation->collective) ? "recvcount" : "count",
                             operation->count);
    bool none = !total(operation, ranks);
    summand__sign_datatype(signature, "datatype", operation->datatype)->any |= none;
    summand__sign_op(signature, "op", operation->op)->any |= none;
}

/* Data that are only moved may have other datatypes and counts on other ranks. */
static void sign_bytes(struct summand__signature *signature,
                       const struct summand__operation *operation,
                       const struct summand__state *state)
{
    bool gathers = summand__gathers(operation->collective);
    if (summand__has_offsets(operation->collective)) {
        MPI_Count bytes = 0;
        summand__type_size(operation->datatype, &bytes);
        sign_counts(signature, operation, state->ranks, bytes);
        summand__sign_data(signature, "recvtype", total(operation, state->ranks),
                           operation->datatype);
    } else {
        summand__sign_data(signature, gathers ? "recvcount and recvtype" : "count and datatype",
                           operation->count, operation->datatype);
    }
    if (!summand__gathers(operation->collective) || summand__has_offsets(operation->collective))
        return; /* blocks of any size: each rank compares its own with its recvcounts */
    if (summand__operation_in_place(operation, state)) {
        summand__sign_any(signature, "sendcount");
        summand__sign_any(signature, "sendtype");
    } else {
        summand__sign_data(signature, "sendcount and sendtype", operation->sendcount,
                           operation->sendtype);
    }
}

/* Promises up to SUMMAND_PROMISE_SAME are kept in the same way. */
static const char *kept_promise(const summand_options *options)
{
    enum summand_promise promise = options ? options->promise : SUMMAND_PROMISE_DEFAULT;
    return summand__promise_name(promise > SUMMAND_PROMISE_SAME ? promise : SUMMAND_PROMISE_SAME);
}

/* Signs the choice that messages depend on: the algorithm, and those parameters that it has. */
static void sign_choice(struct summand__signature *signature, const struct summand__call *call,
                        const struct summand__algorithm *algorithm)
{
    struct summand__call complete = summand__call_complete(algorithm, call);
    struct summand__argument *choice =
        summand__sign_word(signature, "choice of an algorithm", algorithm->name);
    for (int i = 0; i < SUMMAND__PARAMETERS; i++)
        choice->value = summand__sign_mix(choice->value, (int64_t)complete.parameter[i]);
}

void summand__work_sign(struct summand__signature *signature,
                        const struct summand__collective_work *work,
                        const struct summand__algorithm *algorithm,
                        const struct summand__state *state, bool init)
{
    const struct summand__operation *operation = &work->operation;
    const struct summand__collective_row *row = &summand__collectives[operation->collective];
    summand__sign_call(signature, summand__operation_name(operation, init));
    if (row->root)
        summand__sign_number(signature, "root", operation->root);
    if (row->combines)
        sign_elements(signature, operation, state->ranks);
    else
        sign_bytes(signature, operation, state);
    summand__options_sign(signature, operation->options, kept_promise(operation->options));
    sign_choice(signature, &work->call, algorithm);
}

uint32_t summand__work_hash(const struct summand__collective_work *work,
                            enum summand__lanes_type type)
{
    const struct summand__operation *operation = &work->operation;
    const uint64_t numbers[] = {operation->collective,
                                type,
                                (uint64_t)work->types.recv.size,
                                (uint64_t)work->call.root,
                                work->call.count,
                                operation->source ? operation->source->entered : 0};
    uint64_t hash = summand__hash(SUMMAND__HASH_BEGIN, numbers, sizeof numbers);
    if (work->offsets)
        hash = summand__hash(hash, work->offsets,
                             ((size_t)work->call.ranks + 1) * sizeof *work->offsets);
    if (work->asked.algorithm)
        hash =
            summand__hash(hash, work->asked.algorithm->name, strlen(work->asked.algorithm->name));
    hash = summand__hash(hash, work->asked.parameter, sizeof work->asked.parameter);
    return (uint32_t)(hash ^ hash >> 32);
}
