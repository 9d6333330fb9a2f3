#include "schedule/execute.h"

#include <stdlib.h>

/* Room for a packed message at the least, touched only where a message is that long. Ranks that
 * disagree on an operation then still receive each other's messages, and say so, instead of failing
 * in the MPI (MPICH aborts on a message that does not fit, whatever the error handler). */
enum { LEAST_SLOT = 65536 };

/* The largest number of elements of one message. */
static size_t largest_message(const struct summand__schedule *schedule)
{
    size_t largest = 0;
    for (size_t i = 0; i < schedule->length; i++) {
        const struct summand__step *step = &schedule->steps[i];
        size_t count = step->action == SUMMAND__SEND   ? step->from.count
                       : step->action == SUMMAND__RECV ? step->to.count
                                                       : 0;
        if (count > largest)
            largest = count;
    }
    return largest;
}

static bool may_combine(const void *context, int peer)
{
    const struct summand__link *link = context;
    return link->transport->combines(link, peer);
}

static bool fuse(struct summand__execution *execution)
{
    const struct summand__schedule *schedule = execution->schedule;
    if (!execution->link->transport->recv_combine || execution->operator->pack)
        return true;
    execution->fused = malloc((schedule->length + 1) * sizeof *execution->fused);
    if (!execution->fused)
        return false;
    summand__fuse(schedule, may_combine, execution->link, execution->fused);
    return true;
}

bool summand__execution_init(struct summand__execution *execution,
                             const struct summand__schedule *schedule,
                             const struct summand__operator *operator, struct summand__link * link,
                             const void *sendbuf, void *recvbuf, void *scratch)
{
    *execution =
        (struct summand__execution){.schedule = schedule, .operator= operator, .link = link };
    execution->place[SUMMAND__SENDBUF] = (unsigned char *)sendbuf; /* never written: proved */
    execution->place[SUMMAND__RECVBUF] = recvbuf;
    execution->place[SUMMAND__SCRATCH] = scratch;
    link->streams = schedule->streams;
    if (operator->pack) {
        execution->slot = largest_message(schedule) * operator->packed;
        if (execution->slot < LEAST_SLOT)
            execution->slot = LEAST_SLOT;
        execution->wire = malloc(execution->slot * summand__schedule_width(schedule) + 1);
        return execution->wire != NULL;
    }
    return fuse(execution);
}

void summand__execution_free(struct summand__execution *execution)
{
    free(execution->wire);
    free(execution->fused);
    execution->wire = NULL;
    execution->fused = NULL;
}

static void *address(const struct summand__execution *execution, struct summand__region region)
{
    return execution->place[region.place] + region.first * execution->operator->extent;
}

static int post_send(struct summand__execution *execution, const struct summand__step *step,
                     unsigned char *wire)
{
    const struct summand__operator *op = execution->operator;
    struct summand__link *link = execution->link;
    const void *data = address(execution, step->from);
    if (!op->pack)
        return link->transport->send(link, step->peer, data, step->from.count);
    size_t bytes = op->pack(op->context, data, step->from.count, wire);
    return link->transport->send(link, step->peer, wire, bytes);
}

static void combine(const void *context, const void *left, const void *right, void *out,
                    size_t count)
{
    summand__combine_by_copy(context, left, right, out, count);
}

static int post_joined(struct summand__execution *execution, const struct summand__step *recv,
                       const struct summand__fused *fused)
{
    const struct summand__operator *op = execution->operator;
    struct summand__link *link = execution->link;
    const struct summand__step *steps = execution->schedule->steps;
    const struct summand__step *reduce = &steps[fused->reduce - 1];
    bool left = reduce->from.place == recv->to.place && reduce->from.first == recv->to.first;
    struct summand__region with = !left         ? reduce->from
                                  : fused->copy ? steps[fused->copy - 1].from
                                                : reduce->to;
    struct summand__arrival arrival = {.combine = op->combine ? op->combine : combine,
                                       .context = op->combine ? op->context : op,
                                       .with = address(execution, with),
                                       .out = address(execution, reduce->to),
                                       .left = left};
    return link->transport->recv_combine(link, recv->peer, address(execution, recv->to),
                                         recv->to.count, &arrival);
}

static int post_recv(struct summand__execution *execution, const struct summand__step *step,
                     unsigned char *wire)
{
    const struct summand__operator *op = execution->operator;
    struct summand__link *link = execution->link;
    const struct summand__fused *fused =
        execution->fused ? &execution->fused[step - execution->schedule->steps] : NULL;
    if (fused && fused->reduce)
        return post_joined(execution, step, fused);
    if (!op->pack)
        return link->transport->recv(link, step->peer, address(execution, step->to),
                                     step->to.count);
    return link->transport->recv(link, step->peer, wire, execution->slot);
}

static void run_local(const struct summand__execution *execution, const struct summand__step *step)
{
    const struct summand__operator *op = execution->operator;
    if (execution->fused && execution->fused[step - execution->schedule->steps].joined)
        return;
    (step->action == SUMMAND__REDUCE ? op->reduce : op->copy)(
        op->context, address(execution, step->from), address(execution, step->to), step->to.count);
}

/* Posts the messages of the round that begins at `next` and runs its local steps meanwhile. */
static int run_round(struct summand__execution *execution, bool *messages)
{
    const struct summand__schedule *schedule = execution->schedule;
    unsigned char *wire = execution->wire;
    size_t i = execution->begin = execution->next;
    bool local = false;
    *messages = false;
    for (; i < schedule->length && schedule->steps[i].action != SUMMAND__ROUND; i++) {
        const struct summand__step *step = &schedule->steps[i];
        if (step->action == SUMMAND__REDUCE || step->action == SUMMAND__COPY) {
            local = true;
            continue;
        }
        int code = step->action == SUMMAND__SEND ? post_send(execution, step, wire)
                                                 : post_recv(execution, step, wire);
        if (code)
            return code;
        wire += execution->slot;
        *messages = true;
    }
    execution->next = i < schedule->length ? i + 1 : i;
    for (size_t j = execution->begin; local && j < i; j++)
        if (schedule->steps[j].action == SUMMAND__REDUCE ||
            schedule->steps[j].action == SUMMAND__COPY)
            run_local(execution, &schedule->steps[j]);
    return 0;
}

static void unpack_round(struct summand__execution *execution)
{
    const struct summand__operator *op = execution->operator;
    const unsigned char *wire = execution->wire;
    for (size_t i = execution->begin; i < execution->next; i++) {
        const struct summand__step *step = &execution->schedule->steps[i];
        if (step->action == SUMMAND__RECV)
            op->unpack(op->context, wire, address(execution, step->to), step->to.count);
        if (step->action == SUMMAND__RECV || step->action == SUMMAND__SEND)
            wire += execution->slot;
    }
}

/* Runs rounds until one has messages to wait for, or the end. */
static int run_on(struct summand__execution *execution)
{
    bool messages = false;
    while (!messages && execution->next < execution->schedule->length) {
        int code = run_round(execution, &messages);
        if (code) {
            execution->active = false;
            return code;
        }
    }
    execution->active = messages;
    return 0;
}

static int progress(struct summand__execution *execution, bool block)
{
    while (execution->active) {
        bool done = false;
        int code = execution->link->transport->complete(execution->link, block, &done);
        if (code) {
            execution->active = false;
            return code;
        }
        if (!done)
            return 0;
        if (execution->wire)
            unpack_round(execution);
        code = run_on(execution);
        if (code)
            return code;
    }
    return 0;
}

int summand__execution_start(struct summand__execution *execution)
{
    execution->next = 0;
    execution->active = true;
    return run_on(execution);
}

int summand__execution_test(struct summand__execution *execution, bool *done)
{
    int code = progress(execution, false);
    *done = !execution->active;
    return code;
}

int summand__execution_wait(struct summand__execution *execution)
{
    return progress(execution, true);
}
