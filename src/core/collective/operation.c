/* SPDX-License-Identifier: BSD-3-Clause */
#include "collective/operation.h"

#include <stdio.h>
#include <string.h>

#include "algorithm/call.h"
#include "op/buffer.h"
#include "op/predefined.h"
#include "plan/options.h"
#include "process/error.h"

static bool same_name(const char *a, const char *b)
{
    return a == b || (a && b && !strcmp(a, b));
}

bool summand__options_alike(const summand_options *a, const summand_options *b)
{
    return same_name(a->algorithm, b->algorithm) && a->segment == b->segment &&
           a->radix == b->radix && a->node_size == b->node_size && a->leaders == b->leaders &&
           a->radix_between == b->radix_between && a->promise == b->promise && a->check == b->check;
}

/* MPI_Reduce allows MPI_IN_PLACE on the root only; a broadcast never allows it. With another source
 * there is no sendbuf. */
bool summand__operation_in_place(const struct summand__operation *operation,
                                 const struct summand__state *state)
{
    return operation->source ||
           (operation->sendbuf == MPI_IN_PLACE &&
            summand__collectives[operation->collective].in_place &&
            (operation->collective != SUMMAND__COLL_REDUCE || operation->root == state->rank));
}

const char *summand__operation_name(const struct summand__operation *operation, bool init)
{
    const struct summand__collective_row *row = &summand__collectives[operation->collective];
    if (operation->source)
        return init ? operation->source->init : operation->source->call;
    return init ? row->init : row->call;
}

MPI_Count summand__operation_count(const struct summand__operation *operation, int rank)
{
    return summand__has_offsets(operation->collective)
               ? summand__number_at(&operation->counts, rank)
               : operation->count;
}

void summand__operation_describe(const void *what, char *text, size_t room)
{
    const struct summand__operation *operation = what;
    char type[SUMMAND__TYPE_NAME], op[32] = "", root[32] = "";
    summand__datatype_name(operation->datatype, type, sizeof type);
    if (summand__has_operator(operation->collective))
        snprintf(op, sizeof op, ", %s", summand__op_name(operation->op));
    if (summand__has_root(operation->collective))
        snprintf(root, sizeof root, ", root %d", operation->root);
    if (summand__has_offsets(operation->collective))
        snprintf(text, room, "%.24s%s%s", type, op, root);
    else
        snprintf(text, room, "%lld %.24s%s%s", (long long)operation->count, type, op, root);
}

static int refuse_count(const char *name, MPI_Count count)
{
    return summand__refuse_as(MPI_ERR_COUNT, "%s is %lld, not 0 or more", name, (long long)count);
}

static int check_counts(const struct summand__operation *operation,
                        const struct summand__state *state)
{
    bool gathers = summand__gathers(operation->collective);
    bool blocks = summand__has_blocks(operation->collective);
    char name[32];
    if (gathers && !summand__operation_in_place(operation, state) && operation->sendcount < 0)
        return refuse_count("sendcount", operation->sendcount);
    if (!summand__has_offsets(operation->collective))
        return operation->count < 0 ? refuse_count(blocks ? "recvcount" : "count", operation->count)
                                    : MPI_SUCCESS;
    if (!summand__has_numbers(&operation->counts))
        return summand__refuse_as(MPI_ERR_COUNT, "recvcounts is NULL");
    if (gathers && !summand__has_numbers(&operation->displacements))
        return summand__refuse(SUMMAND_ERR_ARGUMENT, "displs is NULL");
    for (int r = 0; r < state->ranks; r++) {
        const MPI_Count count = summand__number_at(&operation->counts, r);
        if (count >= 0)
            continue;
        snprintf(name, sizeof name, "recvcounts[%d]", r);
        return refuse_count(name, count);
    }
    return MPI_SUCCESS;
}

static int check_types(const struct summand__operation *operation,
                       const struct summand__state *state)
{
    bool gathers = summand__gathers(operation->collective);
    if (summand__has_operator(operation->collective))
        return summand__op_check(operation->op, operation->datatype);
    bool blocks = summand__has_offsets(operation->collective);
    int code = summand__datatype_check(gathers ? "recvtype" : "datatype", operation->datatype,
                                       blocks ? 1 : operation->count);
    if (code == MPI_SUCCESS && gathers && !summand__operation_in_place(operation, state))
        code = summand__datatype_check("sendtype", operation->sendtype, operation->sendcount);
    return code;
}

/* Elements of the whole vector. */
static MPI_Count total(const struct summand__operation *operation, int ranks)
{
    MPI_Count all = 0;
    if (!summand__has_offsets(operation->collective))
        return operation->count * (summand__has_blocks(operation->collective) ? ranks : 1);
    for (int r = 0; r < ranks; r++)
        all += summand__operation_count(operation, r);
    return all;
}

/* True if a rank's input and output share memory. Checks each block if blocks, or their elements,
 * leave gaps. */
static bool overlaps(const struct summand__operation *operation, const struct summand__state *state,
                     const struct summand__elements *send, struct summand__elements recv)
{
    bool displaced = summand__collectives[operation->collective].displaced;
    if (!summand__gathers(operation->collective) || (!displaced && recv.type->dense))
        return summand__buffers_overlap(send, &recv);
    for (int r = 0; r < state->ranks; r++) {
        recv.count = summand__operation_count(operation, r);
        MPI_Count first =
            displaced ? summand__number_at(&operation->displacements, r) : recv.count * r;
        recv.buffer = (const char *)operation->recvbuf + recv.type->extent * (MPI_Aint)first;
        if (summand__buffers_overlap(send, &recv))
            return true;
    }
    return false;
}

static int refuse_in_place(const struct summand__operation *operation)
{
    return summand__has_root(operation->collective)
               ? summand__refuse_as(MPI_ERR_BUFFER,
                                    "sendbuf is MPI_IN_PLACE, which is allowed on the root, "
                                    "rank %d, only",
                                    operation->root)
               : summand__refuse_as(MPI_ERR_BUFFER, "sendbuf is MPI_IN_PLACE");
}

static int check_pair(const struct summand__operation *operation,
                      const struct summand__state *state, const struct summand__elements *send,
                      const struct summand__elements *recv)
{
    int code = summand__buffer_check("sendbuf", send->buffer, send->count, send->type->handle);
    if (code == MPI_SUCCESS && recv->count && overlaps(operation, state, send, *recv))
        code = summand__refuse_as(MPI_ERR_BUFFER,
                                  "sendbuf (%p) and recvbuf (%p) overlap: MPI_IN_PLACE as sendbuf "
                                  "says that they are one",
                                  operation->sendbuf, operation->recvbuf);
    return code;
}

/* Displaced blocks may have absolute addresses with MPI_BOTTOM, which is NULL. */
static int check_recvbuf(const struct summand__operation *operation,
                         const struct summand__state *state, const struct summand__elements *recv)
{
    int code = MPI_SUCCESS;
    if (recv->buffer || !summand__collectives[operation->collective].displaced)
        return summand__buffer_check(operation->source                              ? "y"
                                     : operation->collective == SUMMAND__COLL_BCAST ? "buffer"
                                                                                    : "recvbuf",
                                     recv->buffer, recv->count, recv->type->handle);
    for (int r = 0; r < state->ranks && code == MPI_SUCCESS; r++)
        if (!summand__number_at(&operation->displacements, r))
            code = summand__buffer_check("recvbuf", NULL, summand__operation_count(operation, r),
                                         recv->type->handle);
    return code;
}

int summand__operation_check_buffers(const struct summand__operation *operation,
                                     const struct summand__state *state,
                                     const struct summand__datatypes *types)
{
    const bool in_place = summand__operation_in_place(operation, state);
    const bool bcast = operation->collective == SUMMAND__COLL_BCAST;
    const bool above = operation->collective != SUMMAND__COLL_EXSCAN || state->rank || in_place;
    const bool receives =
        operation->collective == SUMMAND__COLL_REDUCE ? operation->root == state->rank : above;
    const bool scatters =
        summand__has_blocks(operation->collective) && summand__has_operator(operation->collective);
    const MPI_Count all = total(operation, state->ranks);
    const MPI_Count own = scatters ? summand__operation_count(operation, state->rank) : all;
    const struct summand__elements recv = {operation->recvbuf,
                                           !receives  ? 0
                                           : in_place ? all
                                                      : own,
                                           &types->recv};
    const struct summand__elements send = {
        operation->sendbuf, summand__gathers(operation->collective) ? operation->sendcount : all,
        &types->send};
    int code = receives ? check_recvbuf(operation, state, &recv) : MPI_SUCCESS;
    if (code != MPI_SUCCESS || bcast || in_place)
        return code;
    return send.buffer == MPI_IN_PLACE ? refuse_in_place(operation)
                                       : check_pair(operation, state, &send, &recv);
}

/* The exact promise is kept for operators that do not round, and for sums in lanes. */
static int check_promise(const struct summand__operation *operation)
{
    const enum summand_promise promise = operation->options->promise;
    enum summand__lanes_type type;
    size_t each;
    if (promise <= SUMMAND_PROMISE_CANONICAL || !summand__promise_name(promise) ||
        !summand__has_operator(operation->collective) ||
        summand__op_exact(operation->op, operation->datatype) ||
        (operation->op == MPI_SUM && summand__datatype_lanes(operation->datatype, &type, &each)))
        return MPI_SUCCESS;
    char name[SUMMAND__TYPE_NAME];
    summand__datatype_name(operation->datatype, name, sizeof name);
    return summand__refuse(SUMMAND_ERR_ARGUMENT,
                           "options.promise is %s, but op %s of %s rounds: at most "
                           "SUMMAND_PROMISE_CANONICAL",
                           summand__promise_name(promise), summand__op_name(operation->op), name);
}

int summand__operation_check(const struct summand__operation *operation,
                             const struct summand__state *state)
{
    int code = operation->source ? operation->source->check(operation, state->rank) : MPI_SUCCESS;
    if (code == MPI_SUCCESS)
        code = check_counts(operation, state);
    if (code == MPI_SUCCESS && summand__has_root(operation->collective) &&
        (operation->root < 0 || operation->root >= state->ranks))
        code = summand__refuse_as(MPI_ERR_ROOT, "root is %d, not from 0 to %d", operation->root,
                                  state->ranks - 1);
    if (code == MPI_SUCCESS)
        code = check_types(operation, state);
    if (code == MPI_SUCCESS && operation->options)
        code = summand__options_check("options", operation->options,
                                      summand__has_operator(operation->collective)
                                          ? SUMMAND_PROMISE_EXACT
                                          : SUMMAND_PROMISE_CANONICAL);
    return code == MPI_SUCCESS && operation->options ? check_promise(operation) : code;
}
