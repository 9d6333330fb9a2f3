#include "collective/work.h"

#include <stdint.h>
#include <stdlib.h>

#include "algorithm/call.h"
#include "comm/datatype.h"
#include "kernel/stream.h"

enum { ALIGNMENT = 64 };

/* Room for elements of the schedule, such that the bytes of all lie inside. */
static bool store_make(struct summand__store *store, const struct summand__vector *vector,
                       size_t elements)
{
    const struct summand__datatype *type = &vector->datatype;
    size_t stride = vector->bytes ? 1 : (size_t)vector->layout.stride;
    size_t room = elements * stride + ALIGNMENT;
    if (!vector->bytes)
        room += (size_t)type->true_extent + ALIGNMENT;
    store->memory = malloc(room);
    /* The address of element 0 is aligned as malloc would align it; its bytes begin true_lb on. */
    uintptr_t origin = (uintptr_t)store->memory - (uintptr_t)(vector->bytes ? 0 : type->true_lb);
    store->origin = (char *)((origin + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT);
    return store->memory != NULL;
}

static void *scratch(void *context, size_t elements)
{
    struct summand__collective_work *work = context;
    return store_make(&work->scratch, &work->vector, elements) ? work->scratch.origin : NULL;
}

static void note(struct summand__collective_work *work, int code)
{
    if (work->vector.code == MPI_SUCCESS)
        work->vector.code = code;
}

/* One block of the caller's recvbuf, to our memory or from it. */
static void move_block(struct summand__collective_work *work, int rank, bool load)
{
    const struct summand__request *request = &work->request;
    size_t count = (size_t)summand__request_count(request, rank);
    MPI_Count first = request->collective == SUMMAND__COLL_ALLGATHERV
                          ? summand__number_at(&request->displacements, rank)
                          : (MPI_Count)count * rank;
    char *user = (char *)request->recvbuf + (MPI_Aint)first * work->user_recv.stride;
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
    const struct summand__request *request = &work->request;
    if (input.place == SUMMAND__SENDBUF && work->shape.send_staged) {
        size_t count = summand__request_gathers(request) ? (size_t)request->sendcount : input.count;
        struct summand__datatype_layout own = work->vector.layout;
        if (work->vector.bytes)
            own = (struct summand__datatype_layout){MPI_PACKED, work->user_send.parts,
                                                    work->user_send.parts};
        struct summand__datatype_layout user = work->user_send;
        user.parts = 1;
        note(work, summand__datatype_layout_copy(&work->vector.self_copy, &user, request->sendbuf,
                                                 &own, work->send.origin, count));
    }
    if (input.place != SUMMAND__RECVBUF || !work->shape.recv_staged || !input.count)
        return;
    if (summand__request_gathers(request))
        move_block(work, work->call.rank, true);
    else
        note(work, summand__datatype_layout_copy(
                       &work->vector.self_copy, &work->user_recv, request->recvbuf,
                       &work->vector.layout, work->recv.origin, in_elements(work, input.count)));
}

static void store(struct summand__collective_work *work)
{
    struct summand__region output = summand__call_output(&work->call);
    const struct summand__request *request = &work->request;
    bool source = request->collective == SUMMAND__COLL_BCAST && work->call.rank == work->call.root;
    if (!output.count || source)
        return;
    for (int r = 0; summand__request_gathers(request) && r < work->call.ranks; r++)
        if (r != work->call.rank || !work->shape.in_place)
            move_block(work, r, false);
    if (!summand__request_gathers(request))
        note(work, summand__datatype_layout_copy(
                       &work->vector.self_copy, &work->vector.layout, work->recv.origin,
                       &work->user_recv, request->recvbuf, in_elements(work, output.count)));
}

static void before(void *context)
{
    struct summand__collective_work *work = context;
    work->vector.code = MPI_SUCCESS;
    if (work->shape.send_staged || work->shape.recv_staged)
        load(work);
}

static int after(void *context)
{
    struct summand__collective_work *work = context;
    if (work->shape.recv_staged)
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
    free((void *)work->request.counts.wide);
    free((void *)work->request.displacements.wide);
    free(work->send.memory);
    free(work->recv.memory);
    free(work->scratch.memory);
    free(work->offsets);
    free(work);
}

static void describe_call(const void *context, char *text, size_t room)
{
    const struct summand__collective_work *work = context;
    summand__request_describe(&work->request, text, room);
}

const struct summand__plan_hooks summand__collective_hooks = {before, after, drop, scratch,
                                                              describe_call};

/* What does not change when other buffers are bound. */
static void describe(struct summand__collective_work *work, const struct summand__state *state,
                     const struct summand__datatypes *types, int tag)
{
    struct summand__vector *vector = &work->vector;
    vector->bytes = !summand__has_operator(work->shape.collective);
    vector->self_copy = (struct summand__self_copy){summand__state_channel(state),
                                                    summand__state_peer(state, state->rank),
                                                    summand__state_tag(state, tag)};
    vector->datatype = types->recv;
    vector->layout.stride = types->recv.extent;
    if (!vector->bytes && !types->recv.spaced)
        vector->layout.stride = (types->recv.true_extent + ALIGNMENT) / ALIGNMENT * ALIGNMENT;
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
    return (!work->shape.send_staged || both ||
            store_make(&work->send, &work->vector, input.count)) &&
           (!work->shape.recv_staged || !output || store_make(&work->recv, &work->vector, output));
}

/* The request's arrays are the caller's, who may change them once the call is back. */
static bool own_numbers(struct summand__numbers *numbers, size_t ranks, bool has)
{
    MPI_Count *wide = has ? malloc(ranks * sizeof *wide) : NULL;
    *numbers = (struct summand__numbers){.wide = wide};
    return wide || !has;
}

struct summand__collective_work *summand__work_make(const struct summand__state *state,
                                                    const struct summand__request *request,
                                                    const struct summand__shape *shape,
                                                    const struct summand__datatypes *types, int tag)
{
    size_t ranks = (size_t)state->ranks;
    struct summand__collective_work *work = calloc(1, sizeof *work);
    if (!work)
        return NULL;
    work->shape = *shape;
    describe(work, state, types, tag);
    bool blocks = summand__has_offsets(shape->collective), good = true;
    bool displaced = shape->collective == SUMMAND__COLL_ALLGATHERV;
    good = own_numbers(&work->request.counts, ranks, blocks) && good;
    good = own_numbers(&work->request.displacements, ranks, displaced) && good;
    if (blocks && (work->offsets = calloc(ranks + 1, sizeof *work->offsets)))
        for (size_t r = 0; r < ranks; r++)
            work->offsets[r + 1] =
                work->offsets[r] + (size_t)summand__request_count(request, (int)r) * types->unit;
    work->shape.offsets = work->offsets;
    if (good && (work->offsets || !blocks)) {
        work->call = summand__shape_call(&work->shape, state);
        size_t element = work->vector.bytes ? 1 : (size_t)types->recv.extent;
        work->vector.streams = summand__vector_streams(summand__call_total(&work->call) * element,
                                                       state->nodes.node_size);
        if (make_stores(work))
            return work;
    }
    drop(work);
    return NULL;
}

static int make_wide(struct summand__collective_work *work, const struct summand__datatype *type)
{
    summand__datatype_free(&work->wide);
    int code = MPI_Type_create_resized(type->handle, type->true_lb, work->vector.layout.stride,
                                       &work->wide);
    return code == MPI_SUCCESS ? MPI_Type_commit(&work->wide) : code;
}

int summand__work_hold(struct summand__collective_work *work, struct summand__datatypes *types)
{
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

int summand__work_bind(struct summand__collective_work *work,
                       const struct summand__request *request,
                       const struct summand__datatypes *types)
{
    struct summand__vector *vector = &work->vector;
    struct summand__numbers counts = work->request.counts,
                            displacements = work->request.displacements;
    copy_numbers(&request->counts, &counts, work->call.ranks);
    copy_numbers(&request->displacements, &displacements, work->call.ranks);
    work->request = *request;
    work->request.counts = counts;
    work->request.displacements = displacements;
    vector->datatype = types->recv;
    work->user_recv = (struct summand__datatype_layout){types->recv.handle, types->recv.extent, 1};
    work->user_send = (struct summand__datatype_layout){types->send.handle, types->send.extent, 1};
    if (vector->bytes) {
        if (work->shape.send_staged)
            work->user_send.parts = (int)types->send.size;
        vector->layout =
            (struct summand__datatype_layout){MPI_PACKED, (MPI_Aint)types->recv.size,
                                              work->shape.recv_staged ? (int)types->recv.size : 1};
        return MPI_SUCCESS;
    }
    vector->layout.datatype = types->recv.handle;
    vector->layout.parts = 1;
    summand__vector_set_operator(vector, request->op);
    if (types->recv.spaced)
        return MPI_SUCCESS;
    int code = make_wide(work, &types->recv);
    vector->layout.datatype = work->wide;
    return code;
}

const void *summand__work_sendbuf(const struct summand__collective_work *work,
                                  const struct summand__datatypes *types)
{
    if (work->shape.send_staged)
        return work->send.origin;
    return (const char *)work->request.sendbuf + (work->vector.bytes ? types->send.true_lb : 0);
}

void *summand__work_recvbuf(const struct summand__collective_work *work,
                            const struct summand__datatypes *types)
{
    if (work->shape.recv_staged)
        return work->recv.origin;
    return (char *)work->request.recvbuf + (work->vector.bytes ? types->recv.true_lb : 0);
}
