/* SPDX-License-Identifier: BSD-3-Clause */
#include "collective/work.h"

#include <stdint.h>
#include <stdlib.h>

#include "algorithm/call.h"
#include "kernel/stream.h"
#include "process/datatype.h"

enum { ALIGNMENT = 64 };

/* Allocates room for the schedule's elements with all of their bytes. */
static bool store_make(struct summand__store *store, const struct summand__vector *vector,
                       size_t elements)
{
    const struct summand__datatype *type = &vector->datatype;
    size_t stride = vector->bytes ? 1 : (size_t)vector->layout.stride;
    size_t room = elements * stride + ALIGNMENT;
    if (!vector->bytes)
        room += (size_t)type->true_extent + ALIGNMENT;
    store->memory = malloc(room);
    /* Element 0 has an aligned address; its bytes begin at true_lb. */
    uintptr_t origin = (uintptr_t)store->memory - (uintptr_t)(vector->bytes ? 0 : type->true_lb);
    store->origin = (char *)((origin + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT);
    return store->memory != NULL;
}

void *summand__work_scratch(void *context, size_t elements)
{
    struct summand__collective_work *work = context;
    return store_make(&work->scratch, &work->vector, elements) ? work->scratch.origin : NULL;
}

static void note(struct summand__collective_work *work, int code)
{
    if (work->vector.code == MPI_SUCCESS)
        work->vector.code = code;
}

/* Copies one block of the caller's recvbuf to our memory or back. */
static void move_block(struct summand__collective_work *work, int rank, bool load)
{
    const struct summand__operation *operation = &work->operation;
    size_t count = (size_t)summand__operation_count(operation, rank);
    MPI_Count first = summand__collectives[operation->collective].displaced
                          ? summand__number_at(&operation->displacements, rank)
                          : (MPI_Count)count * rank;
    char *user = (char *)operation->recvbuf + (MPI_Aint)first * work->user_recv.stride;
    char *own = work->recv.origin + summand__call_block(&work->call, rank).first;
    if (load)
        note(work, summand__datatype_layout_copy(&work->vector.self_copy, &work->user_recv, user,
                                                 &work->vector.layout, own, count));
    else
        note(work, summand__datatype_layout_copy(&work->vector.self_copy, &work->vector.layout, own,
                                                 &work->user_recv, user, count));
}

static size_t in_elements(const struct summand__collective_work *work, size_t count)
{
    MPI_Aint stride = work->vector.bytes ? work->vector.layout.stride : 1;
    return stride ? count / (size_t)stride : 0;
}

static void load(struct summand__collective_work *work)
{
    struct summand__region input = summand__call_input(&work->call);
    const struct summand__operation *operation = &work->operation;
    if (input.place == SUMMAND__SENDBUF && work->send_staged) {
        size_t count =
            summand__gathers(operation->collective) ? (size_t)operation->sendcount : input.count;
        struct summand__datatype_layout own = work->vector.layout;
        if (work->vector.bytes)
            own = (struct summand__datatype_layout){MPI_PACKED, work->user_send.parts,
                                                    work->user_send.parts};
        struct summand__datatype_layout user = work->user_send;
        user.parts = 1;
        note(work, summand__datatype_layout_copy(&work->vector.self_copy, &user, operation->sendbuf,
                                                 &own, work->send.origin, count));
    }
    if (input.place != SUMMAND__RECVBUF || !work->recv_staged || !input.count)
        return;
    if (summand__gathers(operation->collective))
        move_block(work, work->call.rank, true);
    else
        note(work, summand__datatype_layout_copy(
                       &work->vector.self_copy, &work->user_recv, operation->recvbuf,
                       &work->vector.layout, work->recv.origin, in_elements(work, input.count)));
}

static void store(struct summand__collective_work *work)
{
    struct summand__region output = summand__call_output(&work->call);
    const struct summand__operation *operation = &work->operation;
    bool source =
        operation->collective == SUMMAND__COLL_BCAST && work->call.rank == work->call.root;
    if (!output.count || source)
        return;
    for (int r = 0; summand__gathers(operation->collective) && r < work->call.ranks; r++)
        if (r != work->call.rank || !work->call.in_place)
            move_block(work, r, false);
    if (!summand__gathers(operation->collective))
        note(work, summand__datatype_layout_copy(
                       &work->vector.self_copy, &work->vector.layout, work->recv.origin,
                       &work->user_recv, operation->recvbuf, in_elements(work, output.count)));
}

static void before(void *context)
{
    struct summand__collective_work *work = context;
    work->vector.code = MPI_SUCCESS;
    if (work->send_staged || work->recv_staged)
        load(work);
}

static int after(void *context)
{
    struct summand__collective_work *work = context;
    if (work->recv_staged)
        store(work);
    if (work->vector.streams)
        summand__stream_fence();
    return work->vector.code;
}

static void drop(void *context)
{
    struct summand__collective_work *work = context;
    if (!work)
        return;
    summand__datatype_free(&work->wide);
    for (int i = 0; i < 2; i++)
        summand__datatype_free(&work->held[i]);
    free((void *)work->operation.counts.wide);
    free((void *)work->operation.displacements.wide);
    free(work->send.memory);
    free(work->recv.memory);
    free(work->scratch.memory);
    free(work->offsets);
    free(work);
}

void summand__work_describe(const void *context, char *text, size_t room)
{
    const struct summand__collective_work *work = context;
    summand__operation_describe(&work->operation, text, room);
}

const struct summand__plan_hooks summand__collective_hooks = {.before = before,
                                                              .after = after,
                                                              .drop = drop,
                                                              .scratch = summand__work_scratch,
                                                              .describe = summand__work_describe};

/* Sets all that does not depend on the buffers. */
static void describe(struct summand__collective_work *work, const struct summand__state *state,
                     int tag)
{
    struct summand__vector *vector = &work->vector;
    const struct summand__datatype *recv = &work->types.recv;
    vector->bytes = !summand__has_operator(work->call.collective);
    vector->self_copy = (struct summand__self_copy){
        state->channel.comm, summand__channel_peer(&state->channel, state->rank),
        summand__channel_tag(&state->channel, tag)};
    vector->datatype = *recv;
    vector->layout.stride = recv->extent;
    if (!vector->bytes && !recv->spaced)
        vector->layout.stride = (recv->true_extent + ALIGNMENT) / ALIGNMENT * ALIGNMENT;
    work->wide = work->held[0] = work->held[1] = MPI_DATATYPE_NULL;
}

static bool make_stores(struct summand__collective_work *work)
{
    struct summand__region input = summand__call_input(&work->call);
    size_t output = summand__call_output(&work->call).count;
    bool both = input.place == SUMMAND__RECVBUF;
    size_t total = summand__call_total(&work->call);
    if (both && input.count)
        output = total;
    return (!work->send_staged || both || store_make(&work->send, &work->vector, input.count)) &&
           (!work->recv_staged || !output || store_make(&work->recv, &work->vector, output));
}

/* Allocates copies of the operation's arrays, which the caller may change after the call. */
static bool own_numbers(struct summand__numbers *numbers, size_t ranks, bool has)
{
    MPI_Count *wide = has ? malloc(ranks * sizeof *wide) : NULL;
    *numbers = (struct summand__numbers){.wide = wide};
    return wide || !has;
}

static bool make_offsets(struct summand__collective_work *work,
                         const struct summand__operation *operation, size_t ranks)
{
    if (!summand__has_offsets(operation->collective))
        return true;
    if (!(work->offsets = calloc(ranks + 1, sizeof *work->offsets)))
        return false;
    for (size_t r = 0; r < ranks; r++)
        work->offsets[r + 1] =
            work->offsets[r] +
            (size_t)summand__operation_count(operation, (int)r) * work->types.unit;
    work->call.offsets = work->offsets;
    return true;
}

struct summand__collective_work *summand__work_make(const struct summand__state *state,
                                                    const struct summand__collective_work *draft,
                                                    int tag)
{
    const struct summand__operation *operation = &draft->operation;
    const struct summand__collective_row *row = &summand__collectives[operation->collective];
    size_t ranks = (size_t)state->ranks;
    struct summand__collective_work *work = malloc(sizeof *work);
    if (!work)
        return NULL;
    *work = *draft;
    describe(work, state, tag);
    bool good = own_numbers(&work->operation.counts, ranks, row->offsets);
    good = own_numbers(&work->operation.displacements, ranks, row->displaced) && good;
    if (good && make_offsets(work, operation, ranks)) {
        size_t element = work->vector.bytes ? 1 : (size_t)work->types.recv.extent;
        work->vector.streams =
            summand__vector_streams(summand__call_total(&work->call) * element, state->nodes.most);
        if (make_stores(work))
            return work;
    }
    drop(work);
    return NULL;
}

static int make_wide(struct summand__collective_work *work)
{
    const struct summand__datatype *type = &work->types.recv;
    summand__datatype_free(&work->wide);
    int code = PMPI_Type_create_resized(type->handle, type->true_lb, work->vector.layout.stride,
                                        &work->wide);
    return code == MPI_SUCCESS ? PMPI_Type_commit(&work->wide) : code;
}

int summand__work_hold(struct summand__collective_work *work,
                       struct summand__collective_work *draft)
{
    struct summand__datatypes *types = &draft->types;
    bool alike = types->send.handle == types->recv.handle;
    int code = summand__datatype_hold(&types->recv.handle, &work->held[0]);
    if (alike)
        types->send.handle = types->recv.handle;
    else if (code == MPI_SUCCESS)
        code = summand__datatype_hold(&types->send.handle, &work->held[1]);
    return code;
}

static void copy_numbers(const struct summand__numbers *from, const struct summand__numbers *to,
                         int ranks)
{
    for (int r = 0; to->wide && r < ranks; r++)
        ((MPI_Count *)to->wide)[r] = summand__number_at(from, r);
}

/* Copies the operation: the caller's options, arrays and names may be gone at the next call. */
static void take_operation(struct summand__collective_work *work,
                           const struct summand__collective_work *draft)
{
    static const summand_options none;
    const struct summand__operation *operation = &draft->operation;
    struct summand__numbers counts = work->operation.counts,
                            displacements = work->operation.displacements;
    copy_numbers(&operation->counts, &counts, work->call.ranks);
    copy_numbers(&operation->displacements, &displacements, work->call.ranks);
    work->options = operation->options ? *operation->options : none;
    work->options.algorithm = draft->asked.algorithm ? draft->asked.algorithm->name : NULL;
    work->operation = *operation;
    work->operation.counts = counts;
    work->operation.displacements = displacements;
    work->operation.options = &work->options;
    work->types = draft->types;
    work->simple = draft->simple;
    work->default_options = summand__options_alike(&work->options, &none);
}

int summand__work_bind(struct summand__collective_work *work,
                       const struct summand__collective_work *draft)
{
    struct summand__vector *vector = &work->vector;
    const struct summand__datatype *send = &work->types.send, *recv = &work->types.recv;
    take_operation(work, draft);
    vector->datatype = *recv;
    work->user_recv = (struct summand__datatype_layout){recv->handle, recv->extent, 1};
    work->user_send = (struct summand__datatype_layout){send->handle, send->extent, 1};
    if (vector->bytes) {
        if (work->send_staged)
            work->user_send.parts = (int)send->size;
        vector->layout = (struct summand__datatype_layout){MPI_PACKED, (MPI_Aint)recv->size,
                                                           work->recv_staged ? (int)recv->size : 1};
        return MPI_SUCCESS;
    }
    vector->layout.datatype = recv->handle;
    vector->layout.parts = 1;
    summand__vector_set_operator(vector, work->operation.op);
    if (recv->spaced)
        return MPI_SUCCESS;
    int code = make_wide(work);
    vector->layout.datatype = work->wide;
    return code;
}

const void *summand__work_sendbuf(const struct summand__collective_work *work)
{
    if (work->send_staged)
        return work->send.origin;
    return (const char *)work->operation.sendbuf +
           (work->vector.bytes ? work->types.send.true_lb : 0);
}

void *summand__work_recvbuf(const struct summand__collective_work *work)
{
    if (work->recv_staged)
        return work->recv.origin;
    return (char *)work->operation.recvbuf + (work->vector.bytes ? work->types.recv.true_lb : 0);
}
