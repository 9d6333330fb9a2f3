/* SPDX-License-Identifier: BSD-3-Clause */
#include "lab/verify/play.h"

#include <stdio.h>
#include <stdlib.h>

#include "lab/verify/cells.h"
#include "lab/verify/check.h"
#include "lab/verify/clocks.h"
#include "lab/verify/meaning.h"
#include "lab/verify/schedules.h"
#include "lab/verify/touch.h"

#define NONE SUMMAND__NO_STEP

/* Rounds modulo a power of two: no division. */
enum { RING = 8 };
_Static_assert((int)RING >= (int)SUMMAND__GROUPS,
               "a slot for each round that a message may outlast");

/* Messages by the numbers of their steps, linked by their tickets. */
struct list {
    uint32_t first, last;
};

/* A rank's state: the steps of its current round, and the number of messages that each round
 * awaits. */
struct actor {
    size_t begin, end;      /* steps of the round */
    size_t at;              /* the step that waits for a counter, if `stalled` */
    size_t round;           /* its number */
    size_t bad;             /* the number of the first wrong round */
    size_t last;            /* the last round of a message so far */
    uint32_t open[RING];    /* by the round that waits for them, modulo */
    uint32_t chain[RING];   /* messages on the longest chain to those, if any is complete */
    size_t clock;           /* messages on the longest chain so far */
    struct list late[RING]; /* receives by their last round, modulo */
    struct list fresh;      /* posted messages that were not tried */
    uint32_t base;          /* the number of its first step */
    bool queued, stalled;
    bool combines; /* a receive of the round combines */
};

/* The state of a message. */
struct ticket {
    uint32_t round, clock; /* when its step was reached */
    uint32_t next;         /* in its list */
    uint32_t first;        /* for a send: the first send of its multicast */
    uint32_t waiting;      /* for a first send: parts with an end that is not posted */
    bool reached, met;     /* met: both ends are posted */
};

struct stage {
    struct summand__play *play;
    struct actor *actors;
    struct ticket *tickets;  /* per step of all schedules */
    const uint32_t *partner; /* per step: the other end of its message */
    int *queue;              /* ranks that may be able to proceed */
    int waiting;
};

/* One end of a message. */
struct message_end {
    struct actor *actor;
    struct ticket *ticket;
    const struct summand__step *step;
    int rank;
};

static struct message_end end_of(const struct stage *stage, int rank, uint32_t step)
{
    struct actor *actor = &stage->actors[rank];
    return (struct message_end){actor, &stage->tickets[step],
                                &stage->play->schedules[rank].steps[step - actor->base], rank};
}

static void enqueue(struct stage *stage, int rank)
{
    if (!stage->actors[rank].queued)
        stage->queue[stage->waiting++] = rank;
    stage->actors[rank].queued = true;
}

static void append(struct stage *stage, struct list *list, uint32_t step)
{
    stage->tickets[step].next = NONE;
    if (list->first == NONE)
        list->first = step;
    else
        stage->tickets[list->last].next = step;
    list->last = step;
}

/* Posts late receives: only in their last round, which is this one, are they certain to be
 * posted. */
static void post_late(struct stage *stage, struct actor *actor)
{
    struct list *late = &actor->late[actor->round % RING];
    if (late->first == NONE)
        return;
    if (actor->fresh.first == NONE)
        actor->fresh.first = late->first;
    else
        stage->tickets[actor->fresh.last].next = late->first;
    actor->fresh.last = late->last;
    late->first = NONE;
}

static uint32_t *open_now(struct actor *actor)
{
    return &actor->open[actor->round % RING];
}

static bool is_waiting(struct actor *actor)
{
    return actor->stalled || *open_now(actor);
}

/* Runs the round's local steps, from the current one to the end or to a wait. */
static bool run_steps(struct stage *stage, int rank)
{
    struct summand__play *play = stage->play;
    struct actor *actor = &stage->actors[rank];
    const struct summand__step *steps = play->schedules[rank].steps;
    for (; actor->at < actor->end; actor->at++) {
        const struct summand__step *step = &steps[actor->at];
        actor->stalled = step->action == SUMMAND__WAIT_COUNTER &&
                         !summand__clocks_wait(play->clocks, rank, actor->at);
        if (actor->stalled)
            return true;
        play->waits += step->action == SUMMAND__WAIT_COUNTER;
        if (!summand__is_message(step) &&
            !(summand__has_meaning(step) ? summand__play_meaning(play, rank, actor->at, actor->end)
                                         : summand__play_local(play, rank, actor->at)))
            return false;
        if (step->action == SUMMAND__NOTIFY && stage->actors[step->peer].stalled)
            enqueue(stage, step->peer);
    }
    return true;
}

static void post_message(struct stage *stage, struct actor *actor,
                         const struct summand__schedule *schedule, size_t i)
{
    const struct summand__step *step = &schedule->steps[i];
    uint32_t number = actor->base + (uint32_t)i;
    bool part = step->action == SUMMAND__SEND && !summand__begins_send(schedule, i);
    bool late = step->action == SUMMAND__RECV && step->lag;
    actor->combines = actor->combines || step->action == SUMMAND__RECV_REDUCE;
    size_t last = actor->round + step->lag;
    struct ticket *ticket = &stage->tickets[number];
    *ticket = (struct ticket){.round = (uint32_t)actor->round,
                              .clock = (uint32_t)actor->clock,
                              .first = part ? ticket[-1].first : number,
                              .reached = true};
    stage->tickets[ticket->first].waiting++;
    actor->open[last % RING]++;
    actor->last = actor->last > last ? actor->last : last;
    append(stage, late ? &actor->late[last % RING] : &actor->fresh, number);
}

static bool post_round(struct stage *stage, int rank)
{
    struct summand__play *play = stage->play;
    const struct summand__schedule *schedule = &play->schedules[rank];
    struct actor *actor = &stage->actors[rank];
    size_t i = actor->begin;
    if (actor->round == actor->bad)
        return summand__check_explain(play, rank, actor->round);
    post_late(stage, actor);
    for (; i < schedule->length && schedule->steps[i].action != SUMMAND__ROUND; i++)
        if (summand__is_message(&schedule->steps[i]))
            post_message(stage, actor, schedule, i);
        else if (!play->clocks && !summand__cells_step(play, rank, &schedule->steps[i]))
            return false;
    actor->end = i;
    actor->at = actor->begin;
    if (!play->clocks)
        return true;
    summand__clocks_enter(play->clocks, rank, actor->begin, actor->round);
    return summand__play_windows(play, rank, actor->begin, actor->end) && run_steps(stage, rank);
}

/* True if the last round has waited for all messages; otherwise their completion depends on
 * timing. */
static bool check_end(struct summand__play *play, int rank, const struct actor *actor)
{
    return actor->last <= actor->round ||
           summand__play_fault(play, "rank %d ends before its late messages", rank);
}

/* Ends a round: its clock is that of the last completed message. */
static void settle_round(struct actor *actor)
{
    uint32_t *chain = &actor->chain[actor->round % RING];
    if (*chain > actor->clock)
        actor->clock = *chain;
    *chain = 0;
}

/* Combines the receives of a completed round in the order of their steps. */
static bool combine_round(struct summand__play *play, int rank, struct actor *actor)
{
    const struct summand__step *steps = play->schedules[rank].steps;
    for (size_t i = actor->begin; actor->combines && i < actor->end; i++)
        if (steps[i].action == SUMMAND__RECV_REDUCE &&
            !summand__cells_combine(play, rank, &steps[i]))
            return false;
    actor->combines = false;
    return true;
}

/* Enters the next round that waits for messages, and runs rounds that do not on the way. */
static bool enter_round(struct stage *stage, int rank, bool first)
{
    struct summand__play *play = stage->play;
    struct actor *actor = &stage->actors[rank];
    for (; first || !is_waiting(actor); first = false) {
        if (!first) {
            settle_round(actor);
            if (play->clocks)
                summand__clocks_leave(play->clocks, rank,
                                      (unsigned)(actor->round % SUMMAND__GROUPS));
            if (!combine_round(play, rank, actor))
                return false;
            if (actor->end + 1 >= play->schedules[rank].length)
                return check_end(play, rank, actor);
            actor->begin = actor->end + 1;
            actor->round++;
        }
        if (!post_round(stage, rank))
            return false;
        if (actor->fresh.first != NONE)
            enqueue(stage, rank);
    }
    play->waits += *open_now(actor) > 0;
    return true;
}

static bool is_posted(const struct message_end *end)
{
    return end->ticket->reached && (end->step->action == SUMMAND__SEND ||
                                    end->ticket->round + end->step->lag <= end->actor->round);
}

static bool check_ends(struct summand__play *play, const struct message_end *send,
                       const struct message_end *recv)
{
    bool late = send->step->lag, awaited_late = recv->step->lag;
    if (send->step->from.count != summand__arrives(recv->step).count)
        return summand__play_fault(play, "rank %d sends %zu elements, rank %d expects %zu",
                                   send->rank, send->step->from.count, recv->rank,
                                   summand__arrives(recv->step).count);
    if (late != awaited_late && (awaited_late || !summand__is_near(play, send->rank, recv->rank)))
        return summand__play_fault(play, "rank %d's message to rank %d is late at one end only",
                                   send->rank, recv->rank);
    if (summand__is_multicast(send->step) != summand__is_multicast(recv->step))
        return summand__play_fault(play,
                                   "rank %d's message to rank %d is one to all at one end only",
                                   send->rank, recv->rank);
    return true;
}

/* Completes one end of a message. A message's chain length is the larger one of its ends when they
 * were reached, plus one. A rank's own clock moves at the end of its round. */
static void finish(struct stage *stage, const struct message_end *end, size_t clock)
{
    size_t group = (end->ticket->round + end->step->lag) % RING;
    end->actor->open[group]--;
    if (clock > end->actor->chain[group])
        end->actor->chain[group] = (uint32_t)clock;
    if (!*open_now(end->actor))
        enqueue(stage, end->rank);
}

static bool transfer(struct stage *stage, int sender, uint32_t step)
{
    struct summand__play *play = stage->play;
    struct message_end send = end_of(stage, sender, step);
    struct message_end recv = end_of(stage, send.step->peer, stage->partner[step]);
    uint32_t later =
        send.ticket->clock > recv.ticket->clock ? send.ticket->clock : recv.ticket->clock;
    size_t clock = (size_t)later + 1;
    if (!check_ends(play, &send, &recv) ||
        !summand__cells_message(play, sender, send.step, recv.rank, recv.step))
        return false;
    play->messages++;
    play->elements += send.step->from.count;
    if (send.ticket->first != step) {
        play->repeats++;
        play->repeated += send.step->from.count;
    }
    if (clock > play->depth)
        play->depth = clock;
    if (play->clocks)
        summand__clocks_message(play->clocks, sender, send.ticket->round, recv.rank,
                                (recv.ticket->round + recv.step->lag) % SUMMAND__GROUPS);
    finish(stage, &recv, clock);
    finish(stage, &send, clock);
    return true;
}

/* Tries a message that its rank has posted. A multicast may wait for the last of its receivers, so
 * it completes only when all have posted: the last one transfers it. */
static bool try_message(struct stage *stage, int rank, uint32_t step)
{
    struct message_end mine = end_of(stage, rank, step);
    uint32_t other = stage->partner[step];
    if (mine.ticket->met || other == NONE)
        return true;
    struct message_end theirs = end_of(stage, mine.step->peer, other);
    if (!is_posted(&theirs))
        return true;
    mine.ticket->met = theirs.ticket->met = true;
    bool sending = mine.step->action == SUMMAND__SEND;
    int sender = sending ? rank : theirs.rank;
    uint32_t first = sending ? mine.ticket->first : theirs.ticket->first;
    uint32_t part = sending ? step : other, parts = 1;
    if (summand__is_multicast((sending ? mine : theirs).step)) {
        if (--stage->tickets[first].waiting)
            return true;
        const struct summand__schedule *schedule = &stage->play->schedules[sender];
        uint32_t base = stage->actors[sender].base;
        part = first;
        parts = (uint32_t)summand__sends_end(schedule, first - base) + base - first;
    }
    for (; parts; parts--, part++)
        if (!transfer(stage, sender, part))
            return false;
    return true;
}

/* Tries the messages that a rank has posted since the last try. */
static bool try_fresh(struct stage *stage, int rank)
{
    struct actor *actor = &stage->actors[rank];
    uint32_t step = actor->fresh.first;
    actor->fresh.first = NONE;
    for (; step != NONE; step = stage->tickets[step].next)
        if (!try_message(stage, rank, step))
            return false;
    return true;
}

static bool run(struct stage *stage)
{
    struct summand__play *play = stage->play;
    for (int r = 0; r < play->ranks; r++)
        if (!enter_round(stage, r, true))
            return false;
    while (stage->waiting) {
        int rank = stage->queue[--stage->waiting];
        if (!try_fresh(stage, rank))
            return false;
        stage->actors[rank].queued = false;
        if (stage->actors[rank].stalled && !run_steps(stage, rank))
            return false;
        if (!is_waiting(&stage->actors[rank]) && !enter_round(stage, rank, false))
            return false;
    }
    for (int r = 0; r < play->ranks; r++)
        if (stage->actors[r].stalled)
            return summand__play_fault(play,
                                       "deadlock: rank %d waits for ever for a counter in step %zu",
                                       r, stage->actors[r].at);
        else if (*open_now(&stage->actors[r]))
            return summand__play_fault(play, "deadlock: rank %d waits for ever in steps %zu to %zu",
                                       r, stage->actors[r].begin, stage->actors[r].end);
    return !play->clocks || summand__play_counters(play);
}

static bool prepare(struct stage *stage)
{
    struct summand__play *play = stage->play;
    struct summand__checker checker;
    bool good = summand__checker_init(&checker, play);
    uint32_t used = 0;
    for (int r = 0; good && r < play->ranks; r++) {
        struct actor *actor = &stage->actors[r];
        actor->base = used;
        actor->fresh.first = NONE;
        for (int g = 0; g < RING; g++)
            actor->late[g].first = NONE;
        actor->bad = play->checked && play->checked[r] ? SUMMAND__NO_ROUND
                                                       : summand__check_rank(&checker, play, r);
        used += (uint32_t)play->schedules[r].length;
    }
    summand__checker_free(&checker);
    return good;
}

bool summand__play(struct summand__play *play)
{
    size_t total = 0, ranks = (unsigned)play->ranks;
    uint32_t *partner = summand__pair(play->schedules, play->ranks);
    for (int r = 0; r < play->ranks; r++)
        total += play->schedules[r].length;
    struct stage stage = {.play = play, .partner = partner};
    stage.actors = calloc(ranks, sizeof *stage.actors);
    stage.queue = calloc(ranks, sizeof *stage.queue);
    stage.tickets = calloc(total + 1, sizeof *stage.tickets);
    play->puts = play->waits = play->messages = play->elements = play->repeats = play->repeated =
        play->depth = 0;
    play->fault[0] = 0;
    bool good =
        (partner && stage.actors && stage.queue && stage.tickets && prepare(&stage)) ||
        summand__play_fault(play, total < SUMMAND__NO_STEP ? "out of memory" : "too many steps");
    const char *wrong = good && play->clocks ? summand__windows_wrong(play) : NULL;
    good = good && (!wrong || summand__play_fault(play, "%s", wrong)) && run(&stage);
    free(partner);
    free(stage.actors);
    free(stage.queue);
    free(stage.tickets);
    return good;
}
