/* SPDX-License-Identifier: BSD-3-Clause */
#include "play/predict.h"

#include <stdlib.h>

#include "base/pace.h"
#include "play/stage.h"

#define NO_SPAN SUMMAND__NO_SPAN

/* The processor of `rank` receives a message that arrived at `time`. */
static void take_in(struct summand__stage *stage, int rank, const struct summand__message *m,
                    double time)
{
    struct summand__actor *actor = &stage->actors[rank];
    const struct summand__model *model = stage->predict->model;
    if (time > actor->clock) {
        actor->clock = time;
        actor->span = m->wire_span;
    }
    summand__stage_work(stage, rank, SUMMAND__SPAN_RECV, m->sender, model->level[m->reach].recv,
                        summand__stage_bytes(stage, m));
}

static bool is_eager(const struct summand__stage *stage, const struct summand__message *m)
{
    return !m->waits && (double)summand__stage_bytes(stage, m) <= stage->predict->model->eager;
}

/* Both ends of a message that waits for its receiver are posted. */
static void start_rendezvous(struct summand__stage *stage, uint32_t message)
{
    const struct summand__model *model = stage->predict->model;
    const struct summand__message *m = &stage->mailbox.messages[message];
    summand__wire_request(stage, message, m->ready + model->level[m->reach].handshake);
}

static struct summand__message *meet(struct summand__stage *stage, int sender, int receiver,
                                     bool sending, uint32_t *message)
{
    *message = summand__mailbox_meet(&stage->mailbox, sender, receiver, sending);
    if (*message == SUMMAND__NO_MESSAGE) {
        summand__stage_fault(stage, "out of memory");
        return NULL;
    }
    struct summand__message *m = &stage->mailbox.messages[*message];
    m->reach = (uint8_t)summand__stage_reach(stage, sender, receiver);
    return m;
}

/* The round that waits for a message of the current one. */
static uint8_t due(const struct summand__actor *actor, const struct summand__compact_step *step)
{
    uint32_t round = actor->round + step->lag;
    return (uint8_t)(round < SUMMAND__GROUPS ? round : round - SUMMAND__GROUPS);
}

static bool is_waiting(const struct summand__actor *actor)
{
    return actor->stalled || actor->open[actor->round] > 0;
}

static void post_send(struct summand__stage *stage, int rank,
                      const struct summand__compact_step *step)
{
    struct summand__predict *predict = stage->predict;
    struct summand__actor *actor = &stage->actors[rank];
    int peer = (int)step->peer;
    uint32_t message;
    struct summand__message *m = meet(stage, rank, peer, true, &message);
    if (!m)
        return;
    enum summand__reach reach = (enum summand__reach)m->reach;
    size_t bytes = step->elements * predict->element;
    summand__stage_work(stage, rank, SUMMAND__SPAN_SEND, peer, predict->model->level[reach].send,
                        bytes);
    predict->messages[reach]++;
    predict->bytes[reach] += bytes;
    if (m->posted && m->elements != step->elements)
        summand__stage_fault(stage, "rank %d sends %u elements, rank %d expects %u", rank,
                             step->elements, peer, m->elements);
    m->sent = true;
    m->elements = step->elements;
    m->send_span = actor->span;
    m->waits = step->lag && bytes <= SUMMAND__PACED_BYTES;
    if (is_eager(stage, m)) {
        m->post_span = NO_SPAN;
        summand__wire_request(stage, message, actor->clock);
        return;
    }
    m->send_due = due(actor, step);
    actor->open[m->send_due]++;
    if (!m->posted || actor->clock >= m->ready) {
        m->ready = actor->clock;
        m->post_span = NO_SPAN; /* the receiver does not delay it */
    }
    if (m->posted)
        start_rendezvous(stage, message);
}

/* True if the message has already arrived: the rank takes it in after the round's local work. */
static bool post_recv(struct summand__stage *stage, int rank,
                      const struct summand__compact_step *step, uint32_t *message)
{
    struct summand__actor *actor = &stage->actors[rank];
    struct summand__message *m = meet(stage, (int)step->peer, rank, false, message);
    if (!m)
        return false;
    if (m->sent && m->elements != step->elements)
        summand__stage_fault(stage, "rank %d sends %u elements, rank %d expects %u", m->sender,
                             m->elements, rank, step->elements);
    m->posted = true;
    m->elements = step->elements;
    if (m->arrived)
        return true;
    m->recv_due = due(actor, step);
    actor->open[m->recv_due]++;
    if (!m->sent || (!is_eager(stage, m) && actor->clock > m->ready)) {
        m->ready = actor->clock;
        m->post_span = actor->span;
    }
    if (m->sent && !is_eager(stage, m))
        start_rendezvous(stage, *message);
    return false;
}

static void run_local(struct summand__stage *stage, int rank,
                      const struct summand__compact_step *step)
{
    const struct summand__model *model = stage->predict->model;
    size_t bytes = step->elements * stage->predict->element;
    bool reduce = step->action != SUMMAND__COPY;
    summand__stage_work(stage, rank, reduce ? SUMMAND__SPAN_REDUCE : SUMMAND__SPAN_COPY, -1,
                        (double)bytes * (reduce ? model->reduce_byte : model->copy_byte), bytes);
}

static void finish(struct summand__stage *stage, int rank)
{
    struct summand__actor *actor = &stage->actors[rank];
    struct summand__predict *predict = stage->predict;
    if (predict->finish)
        predict->finish[rank] = actor->clock;
    if (!stage->done || actor->clock > predict->time) {
        predict->time = actor->clock;
        predict->last = rank;
        predict->last_span = actor->span;
    }
    stage->done++;
    stage->kept -= actor->plan.length * sizeof *actor->plan.steps;
    summand__compact_free(&actor->plan);
    summand__stage_forget(actor);
}

/* Takes in the listed messages, which had arrived before their receives were posted. */
static void take_early(struct summand__stage *stage, int rank, uint32_t early)
{
    while (early != SUMMAND__NO_MESSAGE) {
        const struct summand__message *m = &stage->mailbox.messages[early];
        uint32_t next = m->next;
        take_in(stage, rank, m, 0);
        summand__mailbox_drop(&stage->mailbox, early);
        early = next;
    }
}

/* Runs the round's local steps, from the current one on, up to a wait that cannot end yet. */
static void run_steps(struct summand__stage *stage, int rank)
{
    struct summand__actor *actor = &stage->actors[rank];
    for (; actor->at < actor->next && !stage->failed; actor->at++) {
        const struct summand__compact_step *step = &actor->plan.steps[actor->at];
        if (step->action == SUMMAND__REDUCE || step->action == SUMMAND__COPY)
            run_local(stage, rank, step);
        else if (step->action != SUMMAND__SEND && step->action != SUMMAND__RECV &&
                 step->action != SUMMAND__RECV_REDUCE)
            summand__stage_onesided(stage, rank, step->elements);
        if (actor->stalled)
            return;
    }
    take_early(stage, rank, actor->early);
}

static void run_round(struct summand__stage *stage, int rank)
{
    struct summand__actor *actor = &stage->actors[rank];
    const struct summand__compact_step *steps = actor->plan.steps;
    uint32_t message;
    actor->at = actor->next;
    actor->early = SUMMAND__NO_MESSAGE;
    do {
        const struct summand__compact_step *step = &steps[actor->next];
        if (step->action == SUMMAND__SEND || step->action == SUMMAND__RECV_REDUCE) {
            (step->action == SUMMAND__SEND ? post_send : run_local)(stage, rank, step);
        } else if (step->action == SUMMAND__RECV && post_recv(stage, rank, step, &message)) {
            stage->mailbox.messages[message].next = actor->early;
            actor->early = message;
        }
    } while (!steps[actor->next++].ends && !stage->failed);
    actor->empty = steps[actor->next - 1].ends - 1;
    run_steps(stage, rank);
}

static void run_on(struct summand__stage *stage, int rank)
{
    struct summand__actor *actor = &stage->actors[rank];
    while (!is_waiting(actor) && !stage->failed) {
        actor->round = actor->round + 1 < SUMMAND__GROUPS ? actor->round + 1 : 0;
        if (actor->empty) {
            actor->empty--;
        } else if (actor->next < actor->plan.length) {
            run_round(stage, rank);
        } else {
            finish(stage, rank);
            return;
        }
    }
}

static void arrived(struct summand__stage *stage, uint32_t message, double now)
{
    struct summand__message m = stage->mailbox.messages[message];
    struct summand__actor *sender = &stage->actors[m.sender];
    if (!m.posted) {
        stage->mailbox.messages[message].arrived = true;
        return;
    }
    summand__mailbox_drop(&stage->mailbox, message);
    struct summand__actor *receiver = &stage->actors[m.receiver];
    if (m.put) {
        if (!summand__stage_landed(stage, &m, now))
            return;
        run_steps(stage, m.receiver);
        if (!is_waiting(receiver))
            run_on(stage, m.receiver);
        return;
    }
    take_in(stage, m.receiver, &m, now);
    receiver->open[m.recv_due]--;
    if (!is_waiting(receiver))
        run_on(stage, m.receiver);
    if (is_eager(stage, &m))
        return;
    if (now > sender->clock) {
        sender->clock = now;
        sender->span = m.wire_span;
    }
    sender->open[m.send_due]--;
    if (!is_waiting(sender))
        run_on(stage, m.sender);
}

/* A message ends on evenly shared cards, unless the end of its lane has moved meanwhile. */
static void drained(struct summand__stage *stage, uint32_t lane, double now)
{
    uint32_t message;
    if (!summand__share_end(&stage->share, &stage->queue, DRAINED, lane, now, &message))
        summand__stage_fault(stage, "out of memory");
    if (message == SUMMAND__NO_FLOW)
        return;
    uint32_t wire = stage->mailbox.messages[message].wire_span;
    if (wire != NO_SPAN)
        stage->predict->spans[wire].end = now;
    arrived(stage, message, now);
}

/* Makes the plan of a rank when its turn comes; finish() frees it. Returns its number of steps. */
static size_t begin(struct summand__stage *stage, int rank)
{
    struct summand__predict *predict = stage->predict;
    struct summand__schedule schedule = {0};
    struct summand__actor *actor = &stage->actors[rank];
    actor->span = NO_SPAN;
    if (!predict->build(predict->context, rank, &schedule)) {
        summand__stage_fault(stage, "out of memory");
        return 0;
    }
    enum summand__compact_outcome outcome = summand__compact_make(&schedule, &actor->plan);
    size_t steps = actor->plan.length;
    summand__stage_keep(stage, rank, &schedule);
    if (outcome != SUMMAND__COMPACT_MADE)
        summand__stage_fault(stage, outcome == SUMMAND__COMPACT_TOO_LONG
                                        ? "a step has 2^32 elements or more"
                                        : "out of memory");
    else if (summand__stage_charge(stage, steps * sizeof *actor->plan.steps))
        run_on(stage, rank);
    return steps;
}

static bool keep_on(struct summand__stage *stage)
{
    if (!stage->failed && stage->predict->stop &&
        stage->predict->stop(stage->predict->stop_context))
        summand__stage_fault(stage, "stopped: it takes too long");
    return !stage->failed;
}

/* Asking whether to go on costs about as much as RANK steps. */
static void begin_all(struct summand__stage *stage)
{
    enum { STEPS_UNASKED = 1 << 14, RANK = 1 << 8 };
    size_t steps = STEPS_UNASKED;
    for (int r = 0; r < stage->predict->ranks && !stage->failed; r++) {
        if (steps >= STEPS_UNASKED) {
            if (!keep_on(stage))
                return;
            steps = 0;
        }
        steps += RANK + begin(stage, r);
    }
}

/* Takes the event after `event`; before time goes on, cards are shared anew. */
static bool next_event(struct summand__stage *stage, struct summand__event *event)
{
    const struct summand__event *first = NULL;
    while (!stage->failed && (stage->queue.length || stage->share.changes)) {
        if (stage->queue.length && !(first = summand__event_first(&stage->queue))) {
            summand__stage_fault(stage, "out of memory");
        } else if (stage->share.changes && (!stage->queue.length || first->time > event->time)) {
            if (!summand__share_settle(&stage->share, &stage->queue, DRAINED, event->time))
                summand__stage_fault(stage, "out of memory");
        } else {
            *event = *first;
            summand__event_drop(&stage->queue);
            return true;
        }
    }
    return false;
}

static void play(struct summand__stage *stage)
{
    enum { EVENTS_UNASKED = 1 << 14 };
    static void (*const handlers[])(struct summand__stage *, uint32_t,
                                    double) = {[INJECT] = summand__wire_requested,
                                               [HEAD] = summand__wire_head,
                                               [ARRIVED] = arrived,
                                               [DRAINED] = drained};
    struct summand__predict *predict = stage->predict;
    begin_all(stage);
    struct summand__event event = {0};
    for (size_t i = 1; next_event(stage, &event); i++) {
        if (i % EVENTS_UNASKED == 0 && !keep_on(stage))
            break;
        if (predict->enough > 0 && event.time > predict->enough) {
            predict->slow = true;
            summand__stage_fault(stage, "takes longer than asked for");
            break;
        }
        handlers[event.kind](stage, event.subject, event.time);
    }
    for (int r = 0; r < predict->ranks && stage->done < predict->ranks && !stage->failed; r++)
        if (is_waiting(&stage->actors[r]))
            summand__stage_fault(stage, "rank %d waits for ever for a %s", r,
                                 stage->actors[r].stalled ? "counter" : "message");
    for (uint32_t s = predict->trace && !stage->failed ? predict->last_span : NO_SPAN; s != NO_SPAN;
         s = predict->spans[s].cause)
        predict->spans[s].critical = true;
}

/* Puts ranks on nodes, under switches. */
static void place_all(struct summand__stage *stage)
{
    const struct summand__model *model = stage->predict->model;
    for (int r = 0; r < stage->predict->ranks; r++) {
        struct summand__actor *actor = &stage->actors[r];
        actor->node = stage->predict->node ? stage->predict->node[r] : r / (int)model->per_node;
        actor->under = model->per_switch >= 1 ? actor->node / (int)model->per_switch : 0;
        actor->card = (uint32_t)(model->shared_card > 0 ? actor->node : r);
    }
}

bool summand__predict(struct summand__predict *predict)
{
    struct summand__stage stage = {.predict = predict};
    size_t ranks = (size_t)predict->ranks;
    stage.actors = calloc(ranks, sizeof *stage.actors);
    stage.cards = calloc(2 * ranks, sizeof *stage.cards);
    predict->fault[0] = 0;
    predict->slow = false;
    predict->time = 0;
    predict->span_count = 0;
    predict->spans = NULL;
    predict->last_span = NO_SPAN;
    for (int i = 0; i < SUMMAND__REACHES; i++)
        predict->messages[i] = predict->bytes[i] = 0;
    if (stage.actors)
        place_all(&stage);
    if (stage.actors && stage.cards &&
        summand__share_open(&stage.share, (uint32_t)ranks, summand__wire_links(&stage),
                            predict->model->per_switch / predict->model->oversubscription,
                            predict->model->cross))
        play(&stage);
    else
        summand__stage_fault(&stage, "out of memory");
    for (size_t r = 0; stage.actors && r < ranks; r++) {
        summand__compact_free(&stage.actors[r].plan);
        summand__stage_forget(&stage.actors[r]);
    }
    free(stage.actors);
    free(stage.cards);
    summand__share_free(&stage.share);
    summand__event_queue_free(&stage.queue);
    summand__mailbox_free(&stage.mailbox);
    return !stage.failed;
}
