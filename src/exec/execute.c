#include "exec/execute.h"

#include <stdlib.h>

#include "base/backoff.h"
#include "schedule/passes/passes.h"

/* Room for a packed message at the least, touched only where a message is that long. Ranks that
 * disagree on an operation then still receive each other's messages, and say so, instead of failing
 * in the MPI (MPICH aborts on a message that does not fit, whatever the error handler). */
enum { LEAST_SLOT = 65536 };

_Static_assert((int)SUMMAND__GROUPS <= (int)SUMMAND__LINK_GROUPS,
               "each round's messages are a group");

/* The largest number of elements of one message. */
static size_t largest_message(const struct summand__schedule *schedule)
{
    size_t largest = 0;
    for (size_t i = 0; i < schedule->length; i++) {
        const struct summand__step *step = &schedule->steps[i];
        size_t count = step->action == SUMMAND__SEND ? step->from.count
                       : summand__receives(step)     ? step->to.count
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

/* The schedule as this link and operator run it. Packed elements are combined once they are
 * unpacked, which is behind their arrival. */
static bool make_schedule(struct summand__execution *execution,
                          const struct summand__schedule *schedule)
{
    const struct summand__operator *op = execution->operator;
    const struct summand__link *link = execution->link;
    const struct summand__abilities abilities = {
        .combines = link->abilities & SUMMAND__COMBINES && !op->pack ? may_combine : NULL,
        .context = link,
        .nontemporal = op->copy_last && !op->pack};
    return summand__schedule_copy(&execution->schedule, schedule) &&
           summand__passes(&execution->schedule, &abilities);
}

static bool make_wire(struct summand__execution *execution)
{
    execution->slot = largest_message(&execution->schedule) * execution->operator->packed;
    if (execution->slot < LEAST_SLOT)
        execution->slot = LEAST_SLOT;
    execution->width = summand__schedule_width(&execution->schedule);
    execution->wire = malloc(execution->slot * execution->width + 1);
    execution->arriving = calloc(execution->width + 1, sizeof *execution->arriving);
    return execution->wire && execution->arriving;
}

bool summand__execution_init(struct summand__execution *execution,
                             const struct summand__schedule *schedule,
                             const struct summand__operator *operator, struct summand__link * link,
                             const void *sendbuf, void *recvbuf, void *scratch)
{
    *execution = (struct summand__execution){.operator= operator, .link = link };
    execution->place[SUMMAND__SENDBUF] = (unsigned char *)sendbuf; /* never written: proved */
    execution->place[SUMMAND__RECVBUF] = recvbuf;
    execution->place[SUMMAND__SCRATCH] = scratch;
    execution->multicasts = !operator->pack && link->abilities & SUMMAND__MULTICASTS;
    if (!make_schedule(execution, schedule))
        return false;
    execution->groups = summand__schedule_lag(&execution->schedule) + 1;
    return !operator->pack || make_wire(execution);
}

void summand__execution_bind(struct summand__execution *execution,
                             struct summand__onesided *onesided)
{
    const struct summand__schedule *schedule = &execution->schedule;
    execution->onesided = onesided;
    summand__onesided_init(onesided, schedule);
    for (unsigned p = 0; p < SUMMAND__MOST_PLACES; p++)
        execution->unit[p] = execution->operator->extent;
    for (unsigned p = 0; p < schedule->places; p++) {
        execution->place[SUMMAND__PLACES + p] = onesided->place[p];
        execution->unit[SUMMAND__PLACES + p] = schedule->info[p].unit;
    }
}

void summand__execution_free(struct summand__execution *execution)
{
    summand__schedule_free(&execution->schedule);
    free(execution->wire);
    free(execution->arriving);
    execution->wire = NULL;
    execution->arriving = NULL;
}

static void *address(const struct summand__execution *execution, struct summand__region region)
{
    return execution->place[region.place] + region.first * execution->operator->extent;
}

static int post_send(struct summand__execution *execution, const struct summand__step *step,
                     struct summand__message *message, unsigned char *wire)
{
    const struct summand__operator *op = execution->operator;
    struct summand__link *link = execution->link;
    message->data = address(execution, step->from);
    message->count = step->from.count;
    if (op->pack) {
        message->count = op->pack(op->context, message->data, step->from.count, wire);
        message->data = wire;
    }
    return link->transport->send(link, message);
}

static void combine(const void *context, const void *left, const void *right, void *out,
                    size_t count)
{
    summand__combine_by_copy(context, left, right, out, count);
}

static struct summand__arrival arrival_of(const struct summand__execution *execution,
                                          const struct summand__step *step)
{
    const struct summand__operator *op = execution->operator;
    return (struct summand__arrival){.combine = op->combine ? op->combine : combine,
                                     .context = op->combine ? op->context : op,
                                     .with = address(execution, step->with),
                                     .out = address(execution, step->to),
                                     .left = step->flags & SUMMAND__STEP_LEFT};
}

static int post_recv(struct summand__execution *execution, const struct summand__step *step,
                     struct summand__message *message, unsigned char *wire)
{
    struct summand__link *link = execution->link;
    bool combines = step->action == SUMMAND__RECV_REDUCE;
    struct summand__region to = summand__arrives(step);
    struct summand__arrival arrival;
    message->data = wire ? wire : address(execution, to);
    message->count = wire ? execution->slot : to.count;
    if (combines) {
        arrival = arrival_of(execution, step);
        message->combine = &arrival;
    } else if (step->flags & SUMMAND__STEP_NONTEMPORAL) {
        message->flags |= SUMMAND__NONTEMPORAL;
    }
    return link->transport->recv(link, message);
}

/* A step that is no message: `*done` is false where it waits in vain or has more to do. */
static int run_local(struct summand__execution *execution, size_t i, bool *done)
{
    const struct summand__operator *op = execution->operator;
    const struct summand__step *step = &execution->schedule.steps[i];
    const struct summand__step_memory memory = {execution->place, execution->unit};
    *done = true;
    if (step->action != SUMMAND__REDUCE && step->action != SUMMAND__COPY)
        return summand__onesided_step(execution->onesided, &execution->schedule, i, &memory, done);
    (step->action == SUMMAND__REDUCE           ? op->reduce
     : step->flags & SUMMAND__STEP_NONTEMPORAL ? op->copy_last
                                               : op->copy)(
        op->context, address(execution, step->from), address(execution, step->to), step->to.count);
    return 0;
}

static int post(struct summand__execution *execution, const struct summand__step *step)
{
    bool sends = step->action == SUMMAND__SEND;
    bool multicast = summand__is_multicast(step) && execution->multicasts;
    unsigned char *wire = NULL;
    unsigned group = (execution->round + step->lag) % execution->groups;
    if (sends && multicast &&
        !summand__begins_send(&execution->schedule, (size_t)(step - execution->schedule.steps)))
        return 0;
    struct summand__message message = {.peer = step->peer,
                                       .group = (uint8_t)group,
                                       .flags = (uint8_t)((step->lag ? SUMMAND__PACED : 0) |
                                                          (multicast ? SUMMAND__MULTICAST : 0))};
    if (execution->wire) {
        size_t slot = execution->messages++ % execution->width;
        wire = execution->wire + slot * execution->slot;
        execution->arriving[slot] = (struct summand__arrived){sends ? NULL : step, group};
    }
    execution->open[group]++;
    return sends ? post_send(execution, step, &message, wire)
                 : post_recv(execution, step, &message, wire);
}

/* Issues the steps of the round from `next` on: up to its end, or to a step that is to be run
 * again, where `next` then stays. */
static int run_round(struct summand__execution *execution)
{
    const struct summand__schedule *schedule = &execution->schedule;
    size_t i = execution->next;
    execution->moves++;
    for (; i < schedule->length && schedule->steps[i].action != SUMMAND__ROUND; i++) {
        const struct summand__step *step = &schedule->steps[i];
        bool done = true;
        int code =
            summand__is_message(step) ? post(execution, step) : run_local(execution, i, &done);
        if (code)
            return code;
        execution->stalled = !done;
        if (!done) {
            execution->moves -= i == execution->next && step->action == SUMMAND__WAIT_COUNTER;
            execution->next = i;
            return 0;
        }
    }
    execution->next = i < schedule->length ? i + 1 : i;
    return execution->onesided ? summand__onesided_end(execution->onesided) : 0;
}

/* What the current round has waited for. */
static void unpack_round(struct summand__execution *execution)
{
    const struct summand__operator *op = execution->operator;
    for (size_t slot = 0; slot < execution->width; slot++) {
        const struct summand__step *step = execution->arriving[slot].step;
        if (!step || execution->arriving[slot].round != execution->round)
            continue;
        op->unpack(op->context, execution->wire + slot * execution->slot,
                   address(execution, step->to), step->to.count);
        execution->arriving[slot].step = NULL;
    }
}

static bool waits(const struct summand__execution *execution)
{
    return execution->stalled || execution->open[execution->round] > 0;
}

/* Runs rounds until one has messages to wait for, or the end. */
static int run_on(struct summand__execution *execution)
{
    while (!waits(execution) && execution->next < execution->schedule.length) {
        if (++execution->round == execution->groups)
            execution->round = 0;
        int code = run_round(execution);
        if (code) {
            execution->active = false;
            return code;
        }
    }
    execution->active = waits(execution);
    if (!execution->active && execution->onesided)
        execution->onesided->starts++;
    return 0;
}

/* Another turn for a step that waits in vain or has more to do; messages move meanwhile. Who waits
 * for other ranks lets them run. */
static int run_stalled(struct summand__execution *execution, struct summand__backoff *backoff)
{
    const struct summand__step *step = &execution->schedule.steps[execution->next];
    bool waits = step->action == SUMMAND__WAIT_COUNTER, done;
    int code = 0;
    if (execution->open[execution->round])
        code =
            execution->link->transport->complete(execution->link, execution->round, false, &done);
    if (!code)
        code = run_round(execution);
    if (!execution->stalled || !waits)
        summand__wait_anew(backoff);
    else if (backoff->awake)
        summand__wait_a_turn(backoff);
    return code;
}

/* Whether the messages that the round waits for are through. */
static int run_to_end(struct summand__execution *execution, bool block, bool *over)
{
    *over = !execution->open[execution->round];
    if (*over)
        return 0;
    int code = execution->link->transport->complete(execution->link, execution->round, block, over);
    if (code || !*over)
        return code;
    execution->open[execution->round] = 0;
    if (execution->wire)
        unpack_round(execution);
    return 0;
}

static int progress(struct summand__execution *execution, bool block)
{
    struct summand__backoff backoff = {.oversubscribed = true, .awake = block};
    while (execution->active) {
        bool over = false;
        int code = execution->stalled ? run_stalled(execution, &backoff) : 0;
        if (!code && !execution->stalled)
            code = run_to_end(execution, block, &over);
        if (!code && over)
            code = run_on(execution);
        if (code)
            execution->active = false;
        if (code || (!over && !block))
            return code;
    }
    return 0;
}

int summand__execution_start(struct summand__execution *execution)
{
    execution->next = 0;
    execution->active = true;
    execution->stalled = false;
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
