/* Messages of the state machines over MPI. */
#include "gossip/mpi/runner.h"

#include <math.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static void note(struct summand__runner *r, int code)
{
    if (r->code == MPI_SUCCESS)
        r->code = code;
}

/* Ranks may be more than cores: who waits leaves the processor to the others. SimGrid's MPI goes on
 * to another rank only when time passes on this one: a little at first, more the longer it waits.
 */
void summand__runner_idle(struct summand__runner *r, bool busy)
{
    r->idle = busy ? 0 : r->idle + 1;
    if (busy)
        return;
#ifdef SMPI_H
    struct timespec pause = {0, r->idle < 16 ? 1000 : 4000};
    nanosleep(&pause, NULL);
#else
    sched_yield();
#endif
}

void summand__runner_free(struct summand__runner *r)
{
    summand__runner_deaf(r);
    while (r->under_way) {
        struct summand__parcel *parcel = r->under_way;
        r->under_way = parcel->next;
        MPI_Wait(&parcel->request, MPI_STATUS_IGNORE);
        free(parcel);
    }
    summand__gossip_outbox_free(&r->outbox);
    summand__gossip_free(r->node);
    free(r->questions);
    r->node = NULL;
    r->questions = NULL;
}

static void spoil(struct summand__runner *r, struct summand__gossip_message *message)
{
    struct summand__fault fault = {.component =
                                       (enum summand__fault_component)r->spoil_how.component,
                                   .bit = r->spoil_how.bit};
    summand__fault_mass(&fault, r->node->arith, message->body, r->width, &r->faults);
    r->spoil = false;
}

static void send_one(struct summand__runner *r, struct summand__gossip_message *message,
                     bool synchronous)
{
    struct summand__parcel *parcel = malloc(sizeof *parcel);
    if (!parcel) {
        note(r, MPI_ERR_NO_MEM);
        return;
    }
    if (r->spoil && message->kind != SUMMAND__ASK)
        spoil(r, message);
    int count = SUMMAND__CHANNEL_HEAD + (message->kind == SUMMAND__ASK ? 0 : r->width);
    parcel->words[0] = r->round;
    parcel->words[1] = r->view;
    memcpy(parcel->words + SUMMAND__CHANNEL_HEAD, message->body, r->width * sizeof *message->body);
    int code = (synchronous ? MPI_Issend : MPI_Isend)(
        parcel->words, count, MPI_INT64_T, summand__state_peer(r->state, (int)message->peer),
        r->tags[message->kind], summand__state_channel(r->state), &parcel->request);
    if (code != MPI_SUCCESS) {
        note(r, code);
        free(parcel);
        return;
    }
    r->waiting += message->kind == SUMMAND__ASK;
    r->messages++;
    r->bytes += (uint64_t)count * 8;
    parcel->next = r->under_way;
    r->under_way = parcel;
}

void summand__runner_flush(struct summand__runner *r, bool synchronous)
{
    for (int m = 0; m < r->outbox.count; m++)
        send_one(r, &r->outbox.messages[m], synchronous);
    r->outbox.count = 0;
}

bool summand__runner_sent(struct summand__runner *r)
{
    for (struct summand__parcel **link = &r->under_way; *link;) {
        struct summand__parcel *parcel = *link;
        int done = 0;
        int code = MPI_Test(&parcel->request, &done, MPI_STATUS_IGNORE);
        if (code != MPI_SUCCESS)
            note(r, code);
        if (done || code != MPI_SUCCESS) {
            *link = parcel->next;
            free(parcel);
        } else
            link = &parcel->next;
    }
    return !r->under_way;
}

bool summand__runner_take(struct summand__runner *r, int from, enum summand__gossip_kind kind,
                          struct summand__question *sender, struct summand__gossip_message *message)
{
    int there = 0;
    int64_t words[SUMMAND__CHANNEL_WORDS] = {0};
    MPI_Status status;
    if (from != MPI_ANY_SOURCE)
        from = summand__state_peer(r->state, from);
    int code = MPI_Iprobe(from, r->tags[kind], summand__state_channel(r->state), &there, &status);
    if (code == MPI_SUCCESS && there)
        code = MPI_Recv(words, SUMMAND__CHANNEL_WORDS, MPI_INT64_T, status.MPI_SOURCE,
                        r->tags[kind], summand__state_channel(r->state), &status);
    if (code != MPI_SUCCESS) {
        note(r, code);
        return false;
    }
    if (!there)
        return false;
    *sender = (struct summand__question){summand__state_rank_of(r->state, status.MPI_SOURCE),
                                         words[0], words[1]};
    message->kind = kind;
    memcpy(message->body, words + SUMMAND__CHANNEL_HEAD, r->width * sizeof *message->body);
    return true;
}

static void keep_question(struct summand__runner *r, const struct summand__question *question)
{
    if (r->question_count == r->question_room) {
        int room = r->question_room ? 2 * r->question_room : 8;
        void *grown = realloc(r->questions, room * sizeof *r->questions);
        if (!grown) {
            note(r, MPI_ERR_NO_MEM);
            return;
        }
        r->questions = grown;
        r->question_room = room;
    }
    r->questions[r->question_count++] = *question;
}

/* The flow to the one that asks as it was at the earliest push that is not wanted. */
static const union summand__word *earlier_flow(const struct summand__runner *r,
                                               const struct summand__question *question)
{
    const struct summand__journal *found = NULL;
    for (int k = 0; k < SUMMAND__JOURNAL; k++) {
        const struct summand__journal *entry = &r->journal[k];
        if (entry->to == question->from && entry->round >= question->view &&
            (!found || entry->round < found->round))
            found = entry;
    }
    return found ? found->flow : NULL;
}

/* A rank that asks in round t has sent what it had to send in the rounds before; an answer is right
 * only when this rank has received that. */
static bool answer_ready(struct summand__runner *r)
{
    struct summand__gossip_message message = {.kind = SUMMAND__ASK};
    bool any = false;
    for (int q = 0; q < r->question_count; q++)
        if (r->questions[q].round <= r->round) {
            struct summand__question question = r->questions[q];
            r->questions[q--] = r->questions[--r->question_count];
            r->node->algorithm->receive(r->node, question.from, &message, &r->outbox);
            const union summand__word *earlier = earlier_flow(r, &question);
            if (earlier && r->outbox.count)
                memcpy(r->outbox.messages[r->outbox.count - 1].body, earlier,
                       r->width * sizeof *earlier);
            summand__runner_flush(r, false);
            any = true;
        }
    return any;
}

bool summand__runner_serve(struct summand__runner *r)
{
    struct summand__gossip_message message;
    struct summand__question sender;
    bool any = false;
    while (summand__runner_take(r, MPI_ANY_SOURCE, SUMMAND__ASK, &sender, &message)) {
        keep_question(r, &sender);
        any = true;
    }
    any |= answer_ready(r);
    while (r->waiting &&
           summand__runner_take(r, MPI_ANY_SOURCE, SUMMAND__GIVE, &sender, &message)) {
        r->waiting--;
        r->node->algorithm->receive(r->node, sender.from, &message, &r->outbox);
        summand__runner_flush(r, false);
        any = true;
    }
    summand__runner_sent(r);
    return any;
}

static void flip(struct summand__runner *r, const summand_gossip_fault *how)
{
    struct summand__fault fault = {.variable = (enum summand__fault_variable)how->variable,
                                   .component = (enum summand__fault_component)how->component,
                                   .bit = how->bit};
    if (how->variable == SUMMAND_GOSSIP_MESSAGE) {
        r->spoil = true;
        r->spoil_how = *how;
    } else
        summand__fault_node(&fault, r->node, &r->faults);
}

void summand__runner_strike(struct summand__runner *r)
{
    const summand_gossip_options *o = r->options;
    summand_gossip_fault fault = {0};
    for (int f = 0; f < o->faults; f++)
        if (o->fault[f].rank == r->state->rank && o->fault[f].round == r->round)
            flip(r, &o->fault[f]);
    if (o->strike && o->strike(o->context, r->round, &fault))
        flip(r, &fault);
}

void summand__runner_watch(struct summand__runner *r)
{
    double y[SUMMAND__GOSSIP_MOST];
    if (!r->options->watch)
        return;
    r->node->algorithm->estimate(r->node, y);
    for (int k = 0; k < r->values; k++)
        y[k] = ldexp(y[k] * r->factor, r->exponent[k]);
    r->options->watch(r->options->context, r->round, y, r->values);
}
