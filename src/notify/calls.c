/* SPDX-License-Identifier: BSD-3-Clause */
/* The calls of summand/notify.h: each checks the arguments, acts, and raises the error. */
#include <math.h>
#include <summand/notify.h>

#include "kernel/fpenv_call.h"
#include "notify/segment.h"
#include "op/buffer.h"
#include "plan/agree.h"
#include "plan/plan.h"
#include "process/error.h"

/* Outcomes are not raised. */
static int end(const char *call, const struct summand_segment *segment, int code)
{
    if (segment)
        summand__leave(segment->state);
    if (code == MPI_SUCCESS || code == SUMMAND_NOTIFY_NOT_YET || code == SUMMAND_QUEUE_FULL)
        return code;
    return segment ? summand__state_raise(call, segment->state, code)
                   : summand__raise(call, MPI_COMM_NULL, code);
}

/* Refuses a required argument that is NULL. */
static int refuse_null(const char *what)
{
    return summand__refuse(SUMMAND_ERR_ARGUMENT, "%s is NULL", what);
}

/* Checks that the segment may be used. */
static int usable(const struct summand_segment *segment)
{
    if (!segment)
        return summand__mpi_runs() ? refuse_null("segment") : SUMMAND__NO_MPI;
    return segment->state->over ? SUMMAND__NO_MPI : segment->broken;
}

static int check_rank(const struct summand_segment *segment, const char *what, int rank)
{
    if (rank >= 0 && rank < segment->state->ranks)
        return MPI_SUCCESS;
    return summand__refuse_as(MPI_ERR_RANK, "%s is %d, not 0 to %d", what, rank,
                              segment->state->ranks - 1);
}

static int check_source(const struct summand_segment *segment, int source)
{
    if (source == MPI_ANY_SOURCE || (source >= 0 && source < segment->state->ranks))
        return MPI_SUCCESS;
    return summand__refuse_as(MPI_ERR_RANK, "source is %d, not 0 to %d or MPI_ANY_SOURCE", source,
                              segment->state->ranks - 1);
}

static inline bool has_id(const struct summand_segment *segment, int id)
{
    return id >= 0 && id < segment->ids && segment->range[id];
}

static int check_id(const struct summand_segment *segment, int id)
{
    if (has_id(segment, id))
        return MPI_SUCCESS;
    return summand__refuse(SUMMAND_ERR_ARGUMENT, "id is %d, in no reserved range of the %d ids", id,
                           segment->ids);
}

static int check_timeout(double timeout)
{
    return isnan(timeout) ? summand__refuse(SUMMAND_ERR_ARGUMENT, "timeout is not a number")
                          : MPI_SUCCESS;
}

static int check_queue(const struct summand_segment *segment, int queue)
{
    if (queue >= 0 && queue < segment->queues)
        return MPI_SUCCESS;
    return summand__refuse(SUMMAND_ERR_ARGUMENT, "queue is %d, not 0 to %d", queue,
                           segment->queues - 1);
}

/* Counters never decrease. One rank adds to a counter, so it knows the counter's value. */
static int check_add(const struct summand_segment *segment, int target, int id, uint64_t add)
{
    uint64_t sent = segment->sent[summand__base_of(segment, id, target)];
    if (add <= UINT64_MAX - sent)
        return MPI_SUCCESS;
    return summand__refuse(
        SUMMAND_ERR_ARGUMENT,
        "add is %llu; this rank has added %llu to id %d of rank %d, and a counter ends at 2^64 - 1",
        (unsigned long long)add, (unsigned long long)sent, id, target);
}

int summand_segment_create(MPI_Count bytes, int ids, MPI_Comm comm,
                           const summand_segment_options *options, summand_segment **segment)
{
    SUMMAND__IN_DEFAULT_FPENV;
    static const char name[] = "summand_segment_create";
    const summand_segment_options usual = {.queues = 0};
    struct summand__state *state;
    struct summand_segment *made = NULL;
    int code = summand__state_of(comm, &state);
    if (code == MPI_SUCCESS) {
        summand__enter(state, SUMMAND__ENTERED_SEGMENT_CREATE);
        code = summand__segment_make(state, bytes, ids, options ? options : &usual,
                                     segment ? MPI_SUCCESS : refuse_null("segment"), &made);
        summand__leave(state);
    }
    if (segment)
        *segment = made;
    return summand__raise(name, comm, code);
}

int summand_segment_free(summand_segment **segment)
{
    SUMMAND__IN_DEFAULT_FPENV;
    if (!segment || !*segment)
        return MPI_SUCCESS;
    struct summand_segment *own = *segment;
    struct summand__state *state = own->state;
    int code = MPI_SUCCESS;
    *segment = NULL;
    if (state->over) {
        summand__segment_drop(own);
        return MPI_SUCCESS;
    }
    summand__enter(state, SUMMAND__ENTERED_SEGMENT_FREE);
    summand__state_hold(state);
    code = summand__segment_part(own);
    summand__segment_drop(own);
    code = summand__state_raise("summand_segment_free", state, code);
    summand__state_release(state);
    return code;
}

int summand_segment_memory(const summand_segment *segment, void **address, MPI_Count *bytes,
                           const char **transport)
{
    SUMMAND__IN_DEFAULT_FPENV;
    int code = usable(segment);
    if (code == MPI_SUCCESS && !address)
        code = refuse_null("address");
    if (code == MPI_SUCCESS) {
        *address = segment->window->slot[0].data;
        if (bytes)
            *bytes = (MPI_Count)segment->window->slot[0].bytes;
        if (transport)
            *transport = segment->window->transport->name;
    }
    return end("summand_segment_memory", segment, code);
}

int summand_segment_address(const summand_segment *segment, int rank, void **address)
{
    SUMMAND__IN_DEFAULT_FPENV;
    int code = usable(segment);
    if (code == MPI_SUCCESS && !address)
        code = refuse_null("address");
    if (code == MPI_SUCCESS)
        code = check_rank(segment, "rank", rank);
    if (address)
        *address = NULL;
    if (code == MPI_SUCCESS) {
        const struct summand__window *window = segment->window;
        if (rank == segment->state->rank)
            *address = window->slot[0].data;
        else if (window->transport->address)
            *address = window->transport->address(window, rank, 0);
    }
    return end("summand_segment_address", segment, code);
}

/* All ranks meet in a barrier before they agree, because a rank in an agreement progresses no
 * puts. */
static int agree(struct summand_segment *segment, int code, enum summand__barrier_kind kind,
                 const char *call, const char *what, int value)
{
    struct summand__state *state = segment->state;
    struct summand__signature signature = {.count = 0};
    if (state->comm == MPI_COMM_NULL)
        return MPI_ERR_COMM;
    int met = summand__segment_barrier(segment, kind, SUMMAND_TIMEOUT_FOREVER);
    if (met != MPI_SUCCESS)
        return code != MPI_SUCCESS ? code : met;
    summand__sign_call(&signature, call);
    summand__sign_number(&signature, what, value);
    code = summand__agree(state, code, &signature);
    if (code != MPI_SUCCESS)
        summand__plan_abandon(state, summand__call_tag(state));
    return code;
}

int summand_notify_range(int count, int *first, summand_segment *segment)
{
    SUMMAND__IN_DEFAULT_FPENV;
    static const char name[] = "summand_notify_range";
    int code = usable(segment), found = -1;
    if (code != MPI_SUCCESS)
        return end(name, segment, code);
    summand__enter(segment->state, SUMMAND__ENTERED_NOTIFY_RANGE);
    if (count < 1)
        code = summand__refuse(SUMMAND_ERR_ARGUMENT, "count is %d, not 1 or more", count);
    else if (!first)
        code = refuse_null("first");
    code = agree(segment, code, SUMMAND__BARRIER_RANGE, name, "count", count);
    if (code == MPI_SUCCESS && (found = summand__range_find(segment, count)) < 0)
        code = summand__refuse(SUMMAND_ERR_ARGUMENT,
                               "count is %d: no free range of that many among the %d ids", count,
                               segment->ids);
    if (code == MPI_SUCCESS) {
        summand__range_take(segment, found, count);
        *first = found;
    }
    return end(name, segment, code);
}

int summand_notify_range_free(int first, summand_segment *segment)
{
    SUMMAND__IN_DEFAULT_FPENV;
    static const char name[] = "summand_notify_range_free";
    int code = usable(segment);
    if (code != MPI_SUCCESS)
        return end(name, segment, code);
    summand__enter(segment->state, SUMMAND__ENTERED_NOTIFY_RANGE_FREE);
    if (!has_id(segment, first) || segment->range[first] < 0)
        code = summand__refuse(SUMMAND_ERR_ARGUMENT, "first is %d, where no range begins", first);
    code = agree(segment, code, SUMMAND__BARRIER_RANGE_FREE, name, "first", first);
    if (code == MPI_SUCCESS)
        code = summand__range_drop(segment, first);
    return end(name, segment, code);
}

static int check_place(const struct summand_segment *segment, MPI_Count bytes,
                       MPI_Count displacement)
{
    const size_t all = segment->window->slot[0].bytes;
    if (bytes >= 0 && displacement >= 0 && (uint64_t)displacement <= all &&
        (uint64_t)bytes <= all - (uint64_t)displacement)
        return MPI_SUCCESS;
    return summand__refuse_as(MPI_ERR_RMA_RANGE,
                              "bytes is %lld at displacement %lld, not within the segment's %zu",
                              (long long)bytes, (long long)displacement, all);
}

/* MPI_SUCCESS: there is room in the queue, which puts without data do not need. */
static inline int check_put(const void *origin, MPI_Count bytes, int target, MPI_Count displacement,
                            int queue, struct summand_segment *segment)
{
    int code = usable(segment);
    if (code == MPI_SUCCESS)
        code = check_rank(segment, "target", target);
    if (code == MPI_SUCCESS)
        code = check_place(segment, bytes, displacement);
    if (code == MPI_SUCCESS && bytes && summand__no_buffer(origin))
        code = origin ? summand__refuse_as(MPI_ERR_BUFFER, "origin is MPI_IN_PLACE")
                      : refuse_null("origin");
    if (code == MPI_SUCCESS)
        code = check_queue(segment, queue);
    if (code != MPI_SUCCESS)
        return code;
    return !bytes || summand__segment_has_room(segment, queue, &code) ? code
           : code == MPI_SUCCESS                                      ? SUMMAND_QUEUE_FULL
                                                                      : code;
}

static inline int put(struct summand_segment *segment, const struct summand__put *put, int queue)
{
    int code = segment->window->transport->put(segment->window, put);
    if (code != MPI_SUCCESS)
        return summand__segment_note(segment, code);
    segment->reached[put->rank] = true;
    segment->queue[queue].to[put->rank] += put->bytes > 0;
    segment->queue[queue].under_way += put->bytes > 0;
    return MPI_SUCCESS;
}

/* A put that adds to a counter, unless it adds 0. */
static inline int put_and_add(struct summand_segment *segment, struct summand__put *what, int id,
                              uint64_t add, int queue)
{
    what->counter =
        add ? summand__user_lane(segment, id, segment->state->rank) : SUMMAND__NO_COUNTER;
    what->more = add - 1;
    int code = put(segment, what, queue);
    if (code == MPI_SUCCESS)
        segment->sent[summand__base_of(segment, id, what->rank)] += add;
    return code;
}

int summand_put(const void *origin, MPI_Count bytes, int target, MPI_Count displacement, int queue,
                summand_segment *segment)
{
    SUMMAND__IN_DEFAULT_FPENV;
    int code = check_put(origin, bytes, target, displacement, queue, segment);
    if (code == MPI_SUCCESS)
        code = put(segment,
                   &(struct summand__put){.data = origin,
                                          .bytes = (size_t)bytes,
                                          .rank = target,
                                          .offset = (ptrdiff_t)displacement,
                                          .counter = SUMMAND__NO_COUNTER,
                                          .flags = SUMMAND__PUT_NO_WAIT},
                   queue);
    return end("summand_put", segment, code);
}

int summand_put_notify(const void *origin, MPI_Count bytes, int target, MPI_Count displacement,
                       int id, uint64_t add, int queue, summand_segment *segment)
{
    SUMMAND__IN_DEFAULT_FPENV;
    int code = check_put(origin, bytes, target, displacement, queue, segment);
    if (code == MPI_SUCCESS)
        code = check_id(segment, id);
    if (code == MPI_SUCCESS)
        code = check_add(segment, target, id, add);
    if (code == MPI_SUCCESS)
        code = put_and_add(segment,
                           &(struct summand__put){.data = origin,
                                                  .bytes = (size_t)bytes,
                                                  .rank = target,
                                                  .offset = (ptrdiff_t)displacement,
                                                  .flags = SUMMAND__PUT_NO_WAIT},
                           id, add, queue);
    return end("summand_put_notify", segment, code);
}

int summand_notify(int target, int id, uint64_t add, summand_segment *segment)
{
    SUMMAND__IN_DEFAULT_FPENV;
    int code = usable(segment);
    if (code == MPI_SUCCESS)
        code = check_rank(segment, "target", target);
    if (code == MPI_SUCCESS)
        code = check_id(segment, id);
    if (code == MPI_SUCCESS)
        code = check_add(segment, target, id, add);
    if (code == MPI_SUCCESS)
        code = put_and_add(segment, &(struct summand__put){.rank = target}, id, add, 0);
    return end("summand_notify", segment, code);
}

/* The ids first .. first + count - 1 lie in one range. */
static int check_ids(const struct summand_segment *segment, int first, int count)
{
    bool one = first >= 0 && count <= segment->ids && first <= segment->ids - count;
    for (int i = 0; i < count && one; i++)
        one = has_id(segment, first + i) && (!i || segment->range[first + i] < 0);
    return one ? MPI_SUCCESS
               : summand__refuse(
                     SUMMAND_ERR_ARGUMENT,
                     "first is %d and count %d: these ids are not in one reserved range", first,
                     count);
}

int summand_notify_wait_any(int source, int first, int count, const uint64_t *values,
                            double timeout, int *which, summand_segment *segment)
{
    SUMMAND__IN_DEFAULT_FPENV;
    int code = usable(segment), found = -1;
    if (code == MPI_SUCCESS)
        code = check_source(segment, source);
    if (code == MPI_SUCCESS && count < 1)
        code = summand__refuse(SUMMAND_ERR_ARGUMENT, "count is %d, not 1 or more", count);
    if (code == MPI_SUCCESS && (!values || !which))
        code = refuse_null(values ? "which" : "values");
    if (code == MPI_SUCCESS)
        code = check_timeout(timeout);
    if (code == MPI_SUCCESS)
        code = check_ids(segment, first, count);
    if (code == MPI_SUCCESS)
        code = summand__segment_wait_any(segment, source, first, count, values, timeout, &found);
    if (which)
        *which = found;
    return end("summand_notify_wait_any", segment, code);
}

int summand_notify_wait(int source, int id, uint64_t value, double timeout,
                        summand_segment *segment)
{
    SUMMAND__IN_DEFAULT_FPENV;
    int code = usable(segment);
    if (code == MPI_SUCCESS)
        code = check_source(segment, source);
    if (code == MPI_SUCCESS)
        code = check_id(segment, id);
    if (code == MPI_SUCCESS)
        code = check_timeout(timeout);
    if (code == MPI_SUCCESS)
        code = summand__segment_wait(segment, source, id, value, timeout);
    return end("summand_notify_wait", segment, code);
}

int summand_notify_value(int source, int id, uint64_t *value, summand_segment *segment)
{
    SUMMAND__IN_DEFAULT_FPENV;
    int code = usable(segment);
    if (code == MPI_SUCCESS)
        code = check_source(segment, source);
    if (code == MPI_SUCCESS)
        code = value ? check_id(segment, id) : refuse_null("value");
    if (code == MPI_SUCCESS)
        code = summand__segment_note(segment, summand__segment_value(segment, source, id, value));
    return end("summand_notify_value", segment, code);
}

int summand_queue_wait(int queue, double timeout, summand_segment *segment)
{
    SUMMAND__IN_DEFAULT_FPENV;
    int code = usable(segment);
    if (code == MPI_SUCCESS)
        code = check_queue(segment, queue);
    if (code == MPI_SUCCESS)
        code = check_timeout(timeout);
    if (code == MPI_SUCCESS)
        code = summand__segment_queue_wait(segment, queue, timeout);
    return end("summand_queue_wait", segment, code);
}

int summand_segment_barrier(int fence, double timeout, summand_segment *segment)
{
    SUMMAND__IN_DEFAULT_FPENV;
    int code = usable(segment);
    if (code == MPI_SUCCESS)
        code = check_timeout(timeout);
    if (code == MPI_SUCCESS) {
        code = summand__segment_barrier(
            segment, fence ? SUMMAND__BARRIER_FENCE : SUMMAND__BARRIER_PLAIN, timeout);
        /* Those ranks have counted a call of the communicator, so all ranks must. */
        if (summand_error_of(code) == SUMMAND_ERR_MISMATCH &&
            summand__segment_barrier_met_ranges(segment))
            summand__enter(segment->state, SUMMAND__ENTERED_NOTIFY_RANGE);
    }
    return end("summand_segment_barrier", segment, code);
}
