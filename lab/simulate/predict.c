#include "lab/simulate/predict.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/pace.h"
#include "lab/simulate/compact.h"
#include "lab/simulate/event_queue.h"
#include "lab/simulate/mailbox.h"
#include "lab/simulate/share.h"

#define NO_SPAN SUMMAND__NO_SPAN

/* What happens to a message: it asks for its sender's card, its head reaches the receiver's card,
 * its last byte has arrived; from a card that is shared evenly (or would have, had no other message
 * come or gone meanwhile). */
enum event_kind { INJECT, HEAD, ARRIVED, DRAINED };

struct card {
    double out, in;             /* when free again */
    uint32_t out_span, in_span; /* the wires that made it busy */
};

struct actor {
    struct summand__compact plan;
    uint32_t next;  /* step after the current round */
    uint32_t round; /* the current one's number */
    uint32_t empty; /* rounds without steps before the next step */
    uint32_t
        open[SUMMAND__GROUPS]; /* messages that are not done, by the round that waits for them */
    double clock;              /* when its processor is free */
    uint32_t span;             /* what it did last */
};

struct stage {
    struct summand__predict *predict;
    struct actor *actors;
    struct card *cards;          /* one per rank for its node, then those of the network */
    struct summand__share share; /* of the cards of the network, where they are shared evenly */
    struct summand__event_queue queue;
    struct summand__mailbox mailbox;
    size_t kept; /* bytes of steps and spans */
    size_t span_capacity;
    int done;
    bool failed;
};

static void fault(struct stage *stage, const char *format, ...)
{
    va_list list;
    if (stage->failed)
        return;
    va_start(list, format);
    vsnprintf(stage->predict->fault, sizeof stage->predict->fault, format, list);
    va_end(list);
    stage->failed = true;
}

static void push(struct stage *stage, double time, enum event_kind kind, uint32_t message)
{
    if (!summand__event_push(&stage->queue, time, kind, message))
        fault(stage, "out of memory");
}

/* False, and a fault, where the play would keep more than it may. */
static bool keep(struct stage *stage, size_t bytes)
{
    stage->kept += bytes;
    if (stage->predict->most_bytes && stage->kept > stage->predict->most_bytes)
        fault(stage, "needs more than %zu MB of memory for its steps",
              stage->predict->most_bytes / 1000000);
    return !stage->failed;
}

static uint32_t trace(struct stage *stage, struct summand__span span)
{
    struct summand__predict *predict = stage->predict;
    if (!predict->trace)
        return NO_SPAN;
    if (predict->span_count == stage->span_capacity) {
        size_t capacity = stage->span_capacity ? 2 * stage->span_capacity : 256;
        struct summand__span *spans = NULL;
        if (keep(stage, (capacity - stage->span_capacity) * sizeof *spans) && capacity < NO_SPAN)
            spans = realloc(predict->spans, capacity * sizeof *spans);
        if (!spans) {
            fault(stage, "out of memory for the trace");
            return NO_SPAN;
        }
        predict->spans = spans;
        stage->span_capacity = capacity;
    }
    predict->spans[predict->span_count] = span;
    return (uint32_t)predict->span_count++;
}

/* The rank's processor works for `seconds` from when it is free. */
static void work(struct stage *stage, int rank, enum summand__span_kind kind, int peer,
                 double seconds, size_t bytes)
{
    struct actor *actor = &stage->actors[rank];
    double begin = actor->clock;
    actor->clock += seconds;
    if (stage->predict->trace)
        actor->span = trace(stage, (struct summand__span){.kind = kind,
                                                          .rank = rank,
                                                          .peer = peer,
                                                          .begin = begin,
                                                          .end = actor->clock,
                                                          .bytes = bytes,
                                                          .cause = actor->span,
                                                          .send = NO_SPAN,
                                                          .critical = false});
}

/* The processor of `rank` takes a message in that has arrived at `time`. */
static void take_in(struct stage *stage, int rank, const struct summand__message *m, double time)
{
    struct actor *actor = &stage->actors[rank];
    const struct summand__model *model = stage->predict->model;
    if (time > actor->clock) {
        actor->clock = time;
        actor->span = m->wire_span;
    }
    work(stage, rank, SUMMAND__SPAN_RECV, m->sender,
         model->level[summand__model_reach(model, m->sender, m->receiver)].recv,
         m->elements * stage->predict->element);
}

static bool is_eager(const struct stage *stage, const struct summand__message *m)
{
    return !m->waits &&
           (double)m->elements * (double)stage->predict->element <= stage->predict->model->eager;
}

/* Both ends of a message that waits for its receiver are there. */
static void start_rendezvous(struct stage *stage, uint32_t message)
{
    const struct summand__model *model = stage->predict->model;
    const struct summand__message *m = &stage->mailbox.messages[message];
    push(stage,
         m->ready + model->level[summand__model_reach(model, m->sender, m->receiver)].handshake,
         INJECT, message);
}

static struct summand__message *meet(struct stage *stage, int sender, int receiver, bool sending,
                                     uint32_t *message)
{
    *message = summand__mailbox_meet(&stage->mailbox, sender, receiver, sending);
    if (*message == SUMMAND__NO_MESSAGE) {
        fault(stage, "out of memory");
        return NULL;
    }
    return &stage->mailbox.messages[*message];
}

/* The round that waits for a message of the current one. */
static uint8_t due(const struct actor *actor, const struct summand__compact_step *step)
{
    return (uint8_t)((actor->round + step->lag) % SUMMAND__GROUPS);
}

static bool is_waiting(const struct actor *actor)
{
    return actor->open[actor->round % SUMMAND__GROUPS] > 0;
}

static void post_send(struct stage *stage, int rank, const struct summand__compact_step *step)
{
    struct summand__predict *predict = stage->predict;
    struct actor *actor = &stage->actors[rank];
    int peer = (int)step->peer;
    uint32_t message;
    struct summand__message *m = meet(stage, rank, peer, true, &message);
    if (!m)
        return;
    enum summand__reach reach = summand__model_reach(predict->model, rank, peer);
    size_t bytes = step->elements * predict->element;
    work(stage, rank, SUMMAND__SPAN_SEND, peer, predict->model->level[reach].send, bytes);
    predict->messages[reach]++;
    predict->bytes[reach] += bytes;
    if (m->posted && m->elements != step->elements)
        fault(stage, "rank %d sends %u elements, rank %d expects %u", rank, step->elements, peer,
              m->elements);
    m->sent = true;
    m->elements = step->elements;
    m->send_span = actor->span;
    m->waits = step->lag && bytes <= SUMMAND__PACED_BYTES;
    if (is_eager(stage, m)) {
        m->post_span = NO_SPAN;
        push(stage, actor->clock, INJECT, message);
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

/* Returns whether the message lies there already: it is then taken in after the round's local work.
 */
static bool post_recv(struct stage *stage, int rank, const struct summand__compact_step *step,
                      uint32_t *message)
{
    struct actor *actor = &stage->actors[rank];
    struct summand__message *m = meet(stage, (int)step->peer, rank, false, message);
    if (!m)
        return false;
    if (m->sent && m->elements != step->elements)
        fault(stage, "rank %d sends %u elements, rank %d expects %u", m->sender, m->elements, rank,
              step->elements);
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

static void run_local(struct stage *stage, int rank, const struct summand__compact_step *step)
{
    const struct summand__model *model = stage->predict->model;
    size_t bytes = step->elements * stage->predict->element;
    bool reduce = step->action != SUMMAND__COPY;
    work(stage, rank, reduce ? SUMMAND__SPAN_REDUCE : SUMMAND__SPAN_COPY, -1,
         (double)bytes * (reduce ? model->reduce_byte : model->copy_byte), bytes);
}

static void finish(struct stage *stage, int rank)
{
    struct actor *actor = &stage->actors[rank];
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
}

/* Takes in the messages of steps [begin, next) that lay there when their receive was posted. */
static void take_early(struct stage *stage, int rank, uint32_t early)
{
    while (early != SUMMAND__NO_MESSAGE) {
        const struct summand__message *m = &stage->mailbox.messages[early];
        uint32_t next = m->next;
        take_in(stage, rank, m, 0);
        summand__mailbox_drop(&stage->mailbox, early);
        early = next;
    }
}

static void run_round(struct stage *stage, int rank)
{
    struct actor *actor = &stage->actors[rank];
    const struct summand__compact_step *steps = actor->plan.steps;
    uint32_t begin = actor->next, early = SUMMAND__NO_MESSAGE, message;
    do {
        const struct summand__compact_step *step = &steps[actor->next];
        if (step->action == SUMMAND__SEND || step->action == SUMMAND__RECV_REDUCE) {
            (step->action == SUMMAND__SEND ? post_send : run_local)(stage, rank, step);
        } else if (step->action == SUMMAND__RECV && post_recv(stage, rank, step, &message)) {
            stage->mailbox.messages[message].next = early;
            early = message;
        }
    } while (!steps[actor->next++].ends && !stage->failed);
    actor->empty = steps[actor->next - 1].ends - 1;
    for (uint32_t i = begin; i < actor->next; i++)
        if (steps[i].action == SUMMAND__REDUCE || steps[i].action == SUMMAND__COPY)
            run_local(stage, rank, &steps[i]);
    take_early(stage, rank, early);
}

static void run_on(struct stage *stage, int rank)
{
    struct actor *actor = &stage->actors[rank];
    while (!is_waiting(actor) && !stage->failed) {
        actor->round++;
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

static struct card *card_of(struct stage *stage, int rank, enum summand__reach reach)
{
    const struct summand__model *model = stage->predict->model;
    if (reach == SUMMAND__WITHIN_NODE)
        return &stage->cards[rank];
    int card = model->shared_card > 0 ? rank / (int)model->per_node : rank;
    return &stage->cards[stage->predict->ranks + card];
}

static double busy(const struct stage *stage, const struct summand__message *m,
                   const struct summand__level *level, double *bytes)
{
    *bytes = (double)m->elements * (double)stage->predict->element * level->byte;
    return *bytes > level->gap ? *bytes : level->gap;
}

static void inject(struct stage *stage, uint32_t message, double now)
{
    struct summand__message *m = &stage->mailbox.messages[message];
    const struct summand__model *model = stage->predict->model;
    enum summand__reach reach = summand__model_reach(model, m->sender, m->receiver);
    struct card *card = card_of(stage, m->sender, reach);
    uint32_t cause = m->post_span == NO_SPAN ? m->send_span : m->post_span;
    double bytes;
    if (card->out > now && model->fair_card <= 0) {
        now = card->out;
        cause = card->out_span;
    }
    m->wire_span =
        trace(stage, (struct summand__span){.kind = SUMMAND__SPAN_WIRE,
                                            .rank = m->sender,
                                            .peer = m->receiver,
                                            .begin = now,
                                            .end = now,
                                            .bytes = m->elements * stage->predict->element,
                                            .cause = cause,
                                            .send = m->send_span,
                                            .critical = false});
    card->out = now + busy(stage, m, &model->level[reach], &bytes);
    card->out_span = m->wire_span;
    push(stage, now + model->level[reach].latency, HEAD, message);
}

/* Its flow begins on two cards that other messages share. */
static void share_cards(struct stage *stage, const struct summand__message *m, uint32_t message,
                        double seconds, double now)
{
    uint32_t ranks = (uint32_t)stage->predict->ranks;
    uint32_t out = (uint32_t)(card_of(stage, m->sender, SUMMAND__NETWORK) - stage->cards) - ranks;
    uint32_t in = (uint32_t)(card_of(stage, m->receiver, SUMMAND__NETWORK) - stage->cards);
    if (!summand__share_begin(&stage->share, &stage->queue, DRAINED, message, out, in, seconds,
                              now))
        fault(stage, "out of memory");
}

static void head(struct stage *stage, uint32_t message, double now)
{
    struct summand__message *m = &stage->mailbox.messages[message];
    const struct summand__model *model = stage->predict->model;
    enum summand__reach reach = summand__model_reach(model, m->sender, m->receiver);
    struct card *card = card_of(stage, m->receiver, reach);
    struct summand__span *wire =
        m->wire_span == NO_SPAN ? NULL : &stage->predict->spans[m->wire_span];
    double bytes, seconds = busy(stage, m, &model->level[reach], &bytes);
    if (model->fair_card > 0 && reach != SUMMAND__WITHIN_NODE) {
        share_cards(stage, m, message, seconds, now);
        return;
    }
    if (card->in > now && model->fair_card <= 0) {
        now = card->in;
        if (wire)
            wire->cause = card->in_span;
    }
    card->in = now + seconds;
    card->in_span = m->wire_span;
    if (wire)
        wire->end = now + bytes;
    push(stage, now + bytes, ARRIVED, message);
}

static void arrived(struct stage *stage, uint32_t message, double now)
{
    struct summand__message m = stage->mailbox.messages[message];
    struct actor *sender = &stage->actors[m.sender];
    if (!m.posted) {
        stage->mailbox.messages[message].arrived = true;
        return;
    }
    summand__mailbox_drop(&stage->mailbox, message);
    take_in(stage, m.receiver, &m, now);
    struct actor *receiver = &stage->actors[m.receiver];
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

static void drained(struct stage *stage, uint32_t message, double now)
{
    uint32_t wire = stage->mailbox.messages[message].wire_span;
    if (!summand__share_ends(&stage->share, message, now))
        return;
    if (!summand__share_end(&stage->share, &stage->queue, DRAINED, message, now))
        fault(stage, "out of memory");
    if (wire != NO_SPAN)
        stage->predict->spans[wire].end = now;
    arrived(stage, message, now);
}

/* The plan of a rank, made when its turn comes and freed when it ends. */
static void begin(struct stage *stage, int rank)
{
    struct summand__predict *predict = stage->predict;
    struct summand__schedule schedule = {0};
    struct actor *actor = &stage->actors[rank];
    actor->span = NO_SPAN;
    if (!predict->build(predict->context, rank, &schedule)) {
        fault(stage, "out of memory");
        return;
    }
    enum summand__compact_outcome outcome = summand__compact_make(&schedule, &actor->plan);
    summand__schedule_free(&schedule);
    if (outcome != SUMMAND__LEAN_MADE)
        fault(stage, outcome == SUMMAND__LEAN_TOO_LONG ? "a step has 2^32 elements or more"
                                                       : "out of memory");
    else if (keep(stage, actor->plan.length * sizeof *actor->plan.steps))
        run_on(stage, rank);
}

static bool keep_on(struct stage *stage)
{
    if (!stage->failed && stage->predict->stop &&
        stage->predict->stop(stage->predict->stop_context))
        fault(stage, "stopped: it takes too long");
    return !stage->failed;
}

static void play(struct stage *stage)
{
    enum { EVENTS_UNASKED = 1 << 14, RANKS_UNASKED = 1 << 6 };
    static void (*const handlers[])(struct stage *, uint32_t, double) = {
        [INJECT] = inject, [HEAD] = head, [ARRIVED] = arrived, [DRAINED] = drained};
    struct summand__predict *predict = stage->predict;
    for (int r = 0; r < predict->ranks && (r % RANKS_UNASKED ? !stage->failed : keep_on(stage));
         r++)
        begin(stage, r);
    for (size_t i = 1; stage->queue.length && !stage->failed; i++) {
        if (i % EVENTS_UNASKED == 0 && !keep_on(stage))
            break;
        struct summand__event event = summand__event_pop(&stage->queue);
        handlers[event.kind](stage, event.subject, event.time);
    }
    for (int r = 0; r < predict->ranks && stage->done < predict->ranks && !stage->failed; r++)
        if (is_waiting(&stage->actors[r]))
            fault(stage, "rank %d waits for ever for a message", r);
    for (uint32_t s = predict->trace && !stage->failed ? predict->last_span : NO_SPAN; s != NO_SPAN;
         s = predict->spans[s].cause)
        predict->spans[s].critical = true;
}

bool summand__predict(struct summand__predict *predict)
{
    struct stage stage = {.predict = predict};
    size_t ranks = (size_t)predict->ranks;
    stage.actors = calloc(ranks, sizeof *stage.actors);
    stage.cards = calloc(2 * ranks, sizeof *stage.cards);
    predict->fault[0] = 0;
    predict->time = 0;
    predict->span_count = 0;
    predict->spans = NULL;
    predict->last_span = NO_SPAN;
    for (int i = 0; i < SUMMAND__REACHES; i++)
        predict->messages[i] = predict->bytes[i] = 0;
    if (stage.actors && stage.cards &&
        summand__share_open(&stage.share, (uint32_t)ranks, predict->model->cross))
        play(&stage);
    else
        fault(&stage, "out of memory");
    for (size_t r = 0; stage.actors && r < ranks; r++)
        summand__compact_free(&stage.actors[r].plan);
    free(stage.actors);
    free(stage.cards);
    summand__share_free(&stage.share);
    summand__event_queue_free(&stage.queue);
    summand__mailbox_free(&stage.mailbox);
    return !stage.failed;
}
