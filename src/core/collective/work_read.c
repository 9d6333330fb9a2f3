/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads a call, and selects an algorithm for it. */
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "algorithm/call.h"
#include "base/extent.h"
#include "collective/work.h"
#include "op/buffer.h"
#include "op/predefined.h"
#include "plan/options.h"
#include "plan/tuned.h"
#include "process/error.h"
#include "select/select.h"

static int read_types(const struct summand__operation *operation,
                      const struct summand__state *state, struct summand__datatypes *types)
{
    bool bytes = !summand__has_operator(operation->collective);
    int code = summand__datatype_read(operation->datatype, &types->recv);
    types->send = types->recv;
    if (code == MPI_SUCCESS && summand__gathers(operation->collective) &&
        !summand__operation_in_place(operation, state))
        code = summand__datatype_read(operation->sendtype, &types->send);
    types->unit = bytes ? (size_t)types->recv.size : types->recv.size > 0;
    return code;
}

static bool beyond(MPI_Count number, MPI_Count most)
{
    return number > most || number < -most;
}

static int refuse_size(const char *name, int index, MPI_Count count,
                       const struct summand__datatype *type, int ranks)
{
    char place[16] = "";
    if (index >= 0)
        snprintf(place, sizeof place, "[%d]", index);
    return summand__refuse_as(MPI_ERR_COUNT,
                              "%s%s is %lld: on %d ranks, elements %lld bytes apart are more than "
                              "memory can hold",
                              name, place, (long long)count, ranks, (long long)type->extent);
}

static MPI_Aint reach_of(const struct summand__datatype *type)
{
    MPI_Aint reach = type->extent < 0 ? -type->extent : type->extent;
    if (reach < type->true_extent + 64)
        reach = type->true_extent + 64;
    return reach < type->size ? (MPI_Aint)type->size : reach; /* elements may overlap */
}

/* Elements that one rank may have: they fit into memory, and all later
 * products of their sizes are below PTRDIFF_MAX. */
static MPI_Count most_elements(const struct summand__datatype *type, int ranks)
{
    const MPI_Count apart = type->extent < 0 ? -type->extent : type->extent;
    const MPI_Count each = apart > type->size ? apart : type->size;
    const MPI_Count products = PTRDIFF_MAX / reach_of(type) / ranks;
    return each && SUMMAND__MOST_BYTES / each < products ? SUMMAND__MOST_BYTES / each : products;
}

static int check_sizes(const struct summand__operation *operation,
                       const struct summand__state *state, const struct summand__datatypes *types)
{
    const struct summand__datatype *type = &types->recv;
    bool blocks = summand__has_blocks(operation->collective);
    const MPI_Count left = most_elements(type, state->ranks);
    MPI_Count total = 0;
    if (summand__gathers(operation->collective) && !summand__operation_in_place(operation, state) &&
        operation->sendcount > most_elements(&types->send, state->ranks))
        return refuse_size("sendcount", -1, operation->sendcount, &types->send, state->ranks);
    if (!summand__has_offsets(operation->collective))
        return operation->count <= left ? MPI_SUCCESS
                                        : refuse_size(blocks ? "recvcount" : "count", -1,
                                                      operation->count, type, state->ranks);
    for (int r = 0; r < state->ranks; r++) {
        MPI_Count count = summand__operation_count(operation, r);
        if (count > left || (total += count) > left)
            return refuse_size("recvcounts", r, count, type, state->ranks);
        if (count && summand__collectives[operation->collective].displaced &&
            beyond(summand__number_at(&operation->displacements, r), most_elements(type, 2)))
            return summand__refuse(SUMMAND_ERR_ARGUMENT,
                                   "displs[%d] is %lld: elements %lld bytes apart reach beyond "
                                   "memory",
                                   r, (long long)summand__number_at(&operation->displacements, r),
                                   (long long)type->extent);
    }
    return MPI_SUCCESS;
}

static bool displaced(const struct summand__operation *operation, int ranks)
{
    MPI_Count next = 0;
    for (int r = 0; r < ranks && summand__collectives[operation->collective].displaced; r++) {
        if (summand__number_at(&operation->displacements, r) != next &&
            summand__operation_count(operation, r))
            return true;
        next += summand__operation_count(operation, r);
    }
    return false;
}

static size_t total_bytes(const struct summand__operation *operation,
                          const struct summand__datatype *type, int ranks)
{
    size_t total = 0;
    int blocks = summand__has_blocks(operation->collective) ? ranks : 1;
    for (int r = 0; r < blocks; r++)
        total += (size_t)summand__operation_count(operation, r) * (size_t)type->size;
    return total;
}

static int read_promises(const struct summand__operation *operation, unsigned *promises)
{
    int commutes = 1, code = MPI_SUCCESS;
    *promises = operation->options ? summand__promises_for(operation->options->promise) : 0;
    if (operation->options && operation->options->promise > SUMMAND_PROMISE_CANONICAL)
        *promises = 0; /* the operator does not round: any order gives the same bits */
    if (summand__has_operator(operation->collective))
        code = PMPI_Op_commutative(operation->op, &commutes);
    if (!commutes)
        *promises |= SUMMAND__RANK_ORDER;
    return code;
}

static int refuse_block(const struct summand__collective_work *draft, int rank)
{
    const struct summand__operation *operation = &draft->operation;
    const struct summand__datatype *send = &draft->types.send, *recv = &draft->types.recv;
    char place[16] = "";
    if (summand__has_offsets(operation->collective))
        snprintf(place, sizeof place, "s[%d]", rank);
    return summand__refuse_as(
        MPI_ERR_TRUNCATE,
        "sendcount is %lld of %lld bytes each, and recvcount%s, for this rank, %lld of %lld bytes "
        "each: not as many bytes",
        (long long)operation->sendcount, (long long)send->size, place,
        (long long)summand__operation_count(operation, rank), (long long)recv->size);
}

static int refuse_element(const char *name, const struct summand__datatype *type)
{
    char text[SUMMAND__TYPE_NAME];
    summand__datatype_name(type->handle, text, sizeof text);
    return summand__refuse_as(MPI_ERR_TYPE,
                              "%s is %s, whose elements have gaps and %lld bytes of data: at most "
                              "%d are allowed",
                              name, text, (long long)type->size, INT_MAX);
}

/* Decides which buffers are staged. Bytes are moved in place if they are contiguous; elements of an
 * operator, if they do not overlap. */
static int stage(struct summand__collective_work *draft, const struct summand__state *state)
{
    const struct summand__operation *operation = &draft->operation;
    const struct summand__datatype *send = &draft->types.send, *recv = &draft->types.recv;
    if (summand__has_operator(operation->collective)) {
        draft->recv_staged = draft->send_staged = !recv->spaced;
        return MPI_SUCCESS;
    }
    draft->recv_staged = !recv->dense || displaced(operation, state->ranks);
    draft->send_staged = !send->dense;
    if (draft->recv_staged && recv->size > INT_MAX)
        return refuse_element(
            operation->collective == SUMMAND__COLL_BCAST ? "datatype" : "recvtype", recv);
    if (draft->send_staged && send->size > INT_MAX)
        return refuse_element("sendtype", send);
    if (operation->collective == SUMMAND__COLL_BCAST || draft->call.in_place)
        return MPI_SUCCESS;
    if ((PTRDIFF_MAX / (send->size + 1) < operation->sendcount) ||
        operation->sendcount * send->size !=
            summand__operation_count(operation, state->rank) * recv->size)
        return refuse_block(draft, state->rank);
    return MPI_SUCCESS;
}

/* MPI's own handles are never freed and reused; all else in an operation may have changed. */
static bool is_simple(const struct summand__operation *operation)
{
    const struct summand__collective_row *row = &summand__collectives[operation->collective];
    return summand__datatype_predefined(operation->datatype) &&
           (!summand__gathers(operation->collective) ||
            summand__datatype_predefined(operation->sendtype)) &&
           (!row->combines || summand__op_predefined(operation->op));
}

int summand__work_read(struct summand__collective_work *draft,
                       const struct summand__operation *operation,
                       const struct summand__state *state)
{
    const struct summand__collective_row *row = &summand__collectives[operation->collective];
    *draft = (struct summand__collective_work){
        .operation = *operation,
        .simple = is_simple(operation),
        .call = {.collective = operation->collective,
                 .rank = state->rank,
                 .ranks = state->ranks,
                 .root = row->root ? operation->root : 0,
                 .in_place = summand__operation_in_place(operation, state)}};
    int code = read_types(operation, state, &draft->types);
    if (code != MPI_SUCCESS)
        return code;
    code = check_sizes(operation, state, &draft->types);
    if (code != MPI_SUCCESS)
        return code;
    if (!row->offsets)
        draft->call.count = (size_t)operation->count * draft->types.unit;
    draft->asked = summand__options_choice(operation->options);
    code = read_promises(operation, &draft->promises);
    if (code == MPI_SUCCESS)
        code = stage(draft, state);
    return code == MPI_SUCCESS ? summand__operation_check_buffers(operation, state, &draft->types)
                               : code;
}

/* Without an operator only the number of bytes matters. */
static bool same_elements(const struct summand__collective_work *a,
                          const struct summand__collective_work *b)
{
    const struct summand__datatype *one = &a->types.recv, *other = &b->types.recv;
    return !summand__has_operator(a->call.collective) ||
           (one->extent == other->extent && one->true_lb == other->true_lb &&
            one->true_extent == other->true_extent && one->size == other->size);
}

bool summand__work_serves(const struct summand__collective_work *made,
                          const struct summand__collective_work *draft)
{
    const struct summand__call *a = &made->call, *b = &draft->call;
    bool same =
        a->collective == b->collective && a->root == b->root && a->in_place == b->in_place &&
        a->count == b->count && made->operation.source == draft->operation.source &&
        made->asked.algorithm == draft->asked.algorithm &&
        made->asked.check == draft->asked.check && made->promises == draft->promises &&
        !memcmp(made->asked.parameter, draft->asked.parameter, sizeof made->asked.parameter) &&
        made->send_staged == draft->send_staged && made->recv_staged == draft->recv_staged &&
        same_elements(made, draft);
    for (int r = 0; same && made->offsets && r < a->ranks; r++)
        same = made->offsets[r + 1] - made->offsets[r] ==
               (size_t)summand__operation_count(&draft->operation, r) * draft->types.unit;
    return same;
}

/* The grouping if nodes are not runs of one size; `ordered`: the order of ranks may matter. */
static const struct summand__grouping *grouping_for(const struct summand__collective_work *draft,
                                                    const struct summand__state *state)
{
    return summand__grouping_for(state->nodes.groupings,
                                 summand__keeps_order(draft->call.collective, draft->promises));
}

int summand__work_choose(struct summand__collective_work *draft, struct summand__state *state,
                         struct summand__choice *choice)
{
    const struct summand__datatypes *types = &draft->types;
    const struct summand__grouping *grouping =
        draft->asked.parameter[SUMMAND__NODE_SIZE] ? NULL : grouping_for(draft, state);
    struct summand__query query = summand__query_on(state, grouping);
    query.groupings = grouping ? state->nodes.groupings : NULL;
    query.collective = draft->call.collective;
    query.bytes = total_bytes(&draft->operation, &types->recv, state->ranks);
    query.element = types->unit ? (size_t)types->recv.size / types->unit : 1;
    query.promises = draft->promises;
    const struct summand__tuning *tuning = summand__tuned(state);
    if (!tuning)
        return summand_error_code(SUMMAND_ERR_MEMORY);
    *choice = draft->asked;
    draft->call.grouping = grouping;
    enum summand__selection selection = summand__select(&query, tuning, &draft->call, choice);
    if (choice->runs)
        draft->call.grouping = grouping = &query.groupings->ordered;
    if (grouping && choice->parameter[SUMMAND__NODE_SIZE] != (size_t)grouping->most)
        draft->call.grouping = NULL; /* the choice has other nodes */
    else if (grouping)
        choice->parameter[SUMMAND__NODE_SIZE] = 0;
    memcpy(draft->call.parameter, choice->parameter, sizeof draft->call.parameter);
    if (selection == SUMMAND__SELECTION_FAILED)
        return summand_error_code(SUMMAND_ERR_MEMORY);
    return selection == SUMMAND__SELECTED
               ? MPI_SUCCESS
               : summand__algorithm_refuse("options.algorithm", draft->asked.algorithm,
                                           &draft->call, draft->promises);
}
