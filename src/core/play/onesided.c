/* SPDX-License-Identifier: BSD-3-Clause */
/* Computations, puts and counters in a prediction. */
#include <math.h>
#include <stdlib.h>

#include "algorithm/estimate.h"
#include "play/stage.h"

void summand__stage_keep(struct summand__stage *stage, int rank, struct summand__schedule *schedule)
{
    struct summand__actor *actor = &stage->actors[rank];
    if (!schedule->tables) {
        summand__schedule_free(schedule);
        return;
    }
    actor->schedule = *schedule;
    actor->counts = calloc(schedule->tables->n_counters + (size_t)1, sizeof *actor->counts);
    if (!actor->counts)
        summand__stage_fault(stage, "out of memory");
}

void summand__stage_forget(struct summand__actor *actor)
{
    summand__schedule_free(&actor->schedule);
    free(actor->counts);
    free(actor->busy);
    actor->counts = NULL;
    actor->busy = NULL;
    actor->busies = actor->busy_room = 0;
}

static size_t unit_of(const struct summand__stage *stage, const struct summand__schedule *schedule,
                      uint32_t place)
{
    return place < SUMMAND__PLACES ? stage->predict->element : summand__place_unit(schedule, place);
}

/* Ranks poll every 100 us, or after a kernel's grain of rows if that takes longer. */
static void keep_busy(struct summand__stage *stage, struct summand__actor *actor, double seconds,
                      size_t rows, size_t grain)
{
    static const double quantum = 1e-4;
    double part = rows ? seconds * (double)grain / (double)rows : seconds;
    if (actor->busies == actor->busy_room) {
        size_t room = 2 * actor->busy_room + 64;
        struct summand__busy *more = realloc(actor->busy, room * sizeof *more);
        if (!more) {
            summand__stage_fault(stage, "out of memory");
            return;
        }
        actor->busy = more;
        actor->busy_room = room;
    }
    actor->busy[actor->busies++] = (struct summand__busy){actor->clock - seconds, actor->clock,
                                                          part > quantum ? part : quantum};
}

double summand__stage_look(const struct summand__actor *actor, double now)
{
    for (size_t i = actor->busies; i-- > 0 && actor->busy[i].end > now;) {
        const struct summand__busy *busy = &actor->busy[i];
        if (busy->begin > now)
            continue;
        double look = busy->begin + ceil((now - busy->begin) / busy->part) * busy->part;
        return look < busy->end ? look : busy->end;
    }
    return now;
}

/* Takes the time of the operations or of the memory traffic, whichever is longer. */
static void compute(struct summand__stage *stage, int rank, const struct summand__step *step)
{
    const struct summand__schedule *schedule = &stage->actors[rank].schedule;
    const struct summand__computation *computation = &schedule->tables->computations[step->what];
    const struct summand__work work = {.from.shape = computation->from,
                                       .with.shape = computation->with,
                                       .to.shape = computation->to,
                                       .begins = computation->begins};
    size_t unit = unit_of(stage, schedule, step->to.place);
    struct summand__work_cost effort = computation->kernel->effort(&work, unit);
    double seconds = summand__work_time(stage->predict->model, effort.flops, effort.bytes,
                                        computation->kernel->single);
    summand__stage_work(stage, rank, SUMMAND__SPAN_COMPUTE, -1, seconds, (size_t)effort.bytes);
    if (stage->predict->model->put_asks > 0)
        keep_busy(stage, &stage->actors[rank], seconds, work.to.shape.rows,
                  computation->kernel->grain);
}

static bool notifies(const struct summand__schedule *schedule, size_t put)
{
    const struct summand__step *next = &schedule->steps[put + 1];
    return put + 1 < schedule->length && next->action == SUMMAND__NOTIFY &&
           next->peer == schedule->steps[put].peer;
}

/* Sends a put and its following notification as one message, as the executor does. */
static void send(struct summand__stage *stage, int rank, size_t i)
{
    struct summand__actor *actor = &stage->actors[rank];
    struct summand__predict *predict = stage->predict;
    const struct summand__schedule *schedule = &actor->schedule;
    const struct summand__step *step = &schedule->steps[i];
    bool put = step->action == SUMMAND__PUT;
    if (!put && i && schedule->steps[i - 1].action == SUMMAND__PUT && notifies(schedule, i - 1))
        return;
    enum summand__reach reach = summand__stage_reach(stage, rank, step->peer);
    size_t bytes = put ? step->from.count * unit_of(stage, schedule, step->from.place) : 0;
    uint32_t message = summand__mailbox_put(&stage->mailbox, rank, step->peer);
    if (message == SUMMAND__NO_MESSAGE || bytes > UINT32_MAX) {
        summand__stage_fault(stage,
                             bytes > UINT32_MAX ? "a put has 2^32 bytes or more" : "out of memory");
        return;
    }
    summand__stage_work(stage, rank, put ? SUMMAND__SPAN_PUT : SUMMAND__SPAN_NOTIFY, step->peer,
                        predict->model->level[reach].send, bytes);
    predict->messages[reach]++;
    predict->bytes[reach] += bytes;
    struct summand__message *m = &stage->mailbox.messages[message];
    m->reach = (uint8_t)reach;
    m->elements = (uint32_t)bytes;
    m->counter = !put                    ? step->what
                 : notifies(schedule, i) ? schedule->steps[i + 1].what
                                         : SUMMAND__NO_COUNT;
    m->send_span = actor->span;
    m->post_span = SUMMAND__NO_SPAN;
    m->asks = predict->model->put_asks > 0 && (double)bytes > predict->model->eager;
    summand__stage_push(stage, actor->clock + (m->asks ? predict->model->level[reach].latency : 0),
                        INJECT, message);
}

/* Predicts the first start: notifications of earlier starts count as there. */
static bool is_stalled(const struct summand__actor *actor, const struct summand__step *wait)
{
    return wait->value > 0 && actor->counts[wait->what] < (uint64_t)wait->value;
}

void summand__stage_onesided(struct summand__stage *stage, int rank, size_t i)
{
    struct summand__actor *actor = &stage->actors[rank];
    const struct summand__step *step = &actor->schedule.steps[i];
    switch (step->action) {
    case SUMMAND__COMPUTE:
        compute(stage, rank, step);
        break;
    case SUMMAND__WAIT_COUNTER:
        actor->stalled = is_stalled(actor, step);
        break;
    default:
        send(stage, rank, i);
    }
}

bool summand__stage_landed(struct summand__stage *stage, const struct summand__message *message,
                           double now)
{
    struct summand__actor *actor = &stage->actors[message->receiver];
    if (message->counter == SUMMAND__NO_COUNT || !actor->counts)
        return false;
    actor->counts[message->counter]++;
    if (!actor->stalled ||
        is_stalled(actor, &actor->schedule.steps[actor->plan.steps[actor->at].elements]))
        return false;
    actor->stalled = false;
    if (now > actor->clock) {
        actor->clock = now;
        actor->span = message->wire_span;
    }
    return true;
}
