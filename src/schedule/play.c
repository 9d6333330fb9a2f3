#include "schedule/play.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "schedule/hull.h"

/* Where a rank stands: the steps of its current round, those of the rounds before whose messages
 * may be under way, and how many messages each round has to wait for. */
struct actor {
    size_t begin, end; /* steps of the round */
    size_t round;      /* its number */
    size_t last;       /* the last round of a message so far */
    size_t window;     /* the first step of the first round that may have open messages */
    size_t unmatched;  /* no message before this step is open */
    unsigned lag;      /* the most in the schedule */
    size_t open[SUMMAND__GROUPS];  /* by the round that waits for them, modulo */
    size_t chain[SUMMAND__GROUPS]; /* messages on the longest chain to those, if any is through */
    size_t clock;                  /* messages on the longest chain so far */
    struct ticket *tickets;        /* per step of the schedule */
    bool queued;
};

/* What becomes of a message. */
struct ticket {
    size_t round, clock; /* when it was posted */
    bool matched;
};

struct stage {
    struct summand__play *play;
    struct actor *actors;
    int *queue; /* ranks that may be able to move */
    int waiting;
};

static bool fault(struct summand__play *play, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    vsnprintf(play->fault, sizeof play->fault, format, list);
    va_end(list);
    return false;
}

static const char *place_name(enum summand__place place)
{
    static const char *const names[SUMMAND__PLACES] = {"sendbuf", "recvbuf", "scratch"};
    return names[place];
}

static bool is_message(const struct summand__step *step)
{
    return step->action == SUMMAND__SEND || step->action == SUMMAND__RECV;
}

static bool check_region(struct summand__play *play, int rank, struct summand__region region,
                         bool write)
{
    const struct summand__memory *memory = &play->memories[rank];
    if (region.first + region.count > memory->count[region.place])
        return fault(play, "rank %d: [%zu, %zu) is outside of %s", rank, region.first,
                     region.first + region.count, place_name(region.place));
    if (write && region.count && !memory->writable[region.place])
        return fault(play, "rank %d: writes %s", rank, place_name(region.place));
    return true;
}

/* As summand__regions_overlap, here for speed: this is what proofs spend most time on. */
static inline bool overlap(struct summand__region a, struct summand__region b)
{
    return a.place == b.place && a.first < b.first + b.count && b.first < a.first + a.count &&
           a.count && b.count;
}

/* Two steps of one round clash when one writes what the other touches. */
static inline bool clash(const struct summand__step *a, const struct summand__step *b)
{
    return overlap(a->to, b->to) || overlap(a->to, b->from) || overlap(a->from, b->to);
}

static bool check_step(struct summand__play *play, int rank, size_t i)
{
    const struct summand__step *step = &play->schedules[rank].steps[i];
    if (!check_region(play, rank, step->from, false) || !check_region(play, rank, step->to, true))
        return false;
    if (is_message(step) && (step->peer < 0 || step->peer >= play->ranks || step->peer == rank))
        return fault(play, "rank %d step %zu: peer %d", rank, i, step->peer);
    return true;
}

static bool clash_fault(struct summand__play *play, int rank, size_t i, size_t j, const char *where)
{
    const struct summand__step *steps = play->schedules[rank].steps;
    return fault(play, "rank %d: steps %zu (%s) and %zu (%s) of %s share %s", rank, i,
                 summand__action_name(steps[i].action), j, summand__action_name(steps[j].action),
                 where, place_name(steps[j].to.count ? steps[j].to.place : steps[j].from.place));
}

/* Whether, of receives i before j from one peer that last so many more rounds, j may end first. */
static bool overtakes(const struct summand__step *i, const struct summand__step *j, size_t i_left,
                      size_t j_left)
{
    return i_left > j_left && i->action == SUMMAND__RECV && j->action == SUMMAND__RECV &&
           i->peer == j->peer;
}

/* Steps of the round against those behind them. */
static bool check_among(struct summand__play *play, int rank, const struct actor *actor)
{
    const struct summand__step *steps = play->schedules[rank].steps;
    for (size_t i = actor->begin; i < actor->end; i++) {
        if (!check_step(play, rank, i))
            return false;
        if (!summand__sends_to_all(&play->schedules[rank], i, play->ranks))
            return fault(play, "rank %d step %zu: no message to all", rank, i);
        for (size_t j = i + 1; j < actor->end; j++) {
            if ((steps[i].to.count || steps[j].to.count) &&
                (is_message(&steps[i]) || is_message(&steps[j])) && clash(&steps[i], &steps[j]))
                return clash_fault(play, rank, i, j, "one round");
            if (actor->lag && overtakes(&steps[i], &steps[j], steps[i].lag, steps[j].lag))
                return fault(play, "rank %d: step %zu (recv) may overtake step %zu", rank, j, i);
        }
    }
    return true;
}

/* A late message of a round before against the steps of this one. */
static bool check_late(struct summand__play *play, int rank, const struct actor *actor, size_t i)
{
    const struct summand__step *steps = play->schedules[rank].steps;
    size_t left = actor->tickets[i].round + steps[i].lag - actor->round;
    for (size_t j = actor->begin; j < actor->end; j++) {
        if (clash(&steps[i], &steps[j]))
            return clash_fault(play, rank, i, j, "a round that is not over");
        if (overtakes(&steps[i], &steps[j], left, steps[j].lag))
            return fault(play, "rank %d: step %zu (recv) may overtake step %zu", rank, j, i);
    }
    return true;
}

/* Most late messages are told apart from messages, and from local steps, by what these touch in
 * all; as are those that are not overtaken by the least that a receive lasts. */
static bool check_round(struct summand__play *play, int rank, const struct actor *actor)
{
    const struct summand__step *steps = play->schedules[rank].steps;
    struct summand__hull hulls[2] = {{{0}, {0}}};
    unsigned least = SUMMAND__MOST_LAG;
    if (!check_among(play, rank, actor))
        return false;
    for (size_t j = actor->begin; actor->window < actor->begin && j < actor->end; j++) {
        summand__hull_cover(&hulls[is_message(&steps[j])], steps[j].from);
        summand__hull_cover(&hulls[is_message(&steps[j])], steps[j].to);
        if (steps[j].action == SUMMAND__RECV && steps[j].lag < least)
            least = steps[j].lag;
    }
    for (size_t i = actor->window; i < actor->begin; i++) {
        size_t last = actor->tickets[i].round + steps[i].lag;
        if (!is_message(&steps[i]) || last < actor->round)
            continue;
        struct summand__region used = steps[i].to.count ? steps[i].to : steps[i].from;
        bool apart =
            !summand__hull_reaches(&hulls[0], used) && !summand__hull_reaches(&hulls[1], used);
        if ((!apart || last > actor->round + least) && !check_late(play, rank, actor, i))
            return false;
    }
    return true;
}

static struct summand__cell *cells(struct summand__play *play, int rank,
                                   struct summand__region region)
{
    return play->memories[rank].place[region.place] + region.first;
}

static bool read_cells(struct summand__play *play, int rank, struct summand__region region)
{
    const struct summand__cell *from = cells(play, rank, region);
    for (size_t i = 0; i < region.count; i++)
        if (from[i].expression == SUMMAND__UNDEFINED)
            return fault(play, "rank %d reads %s[%zu] before it is written", rank,
                         place_name(region.place), region.first + i);
    return true;
}

/* Neighbouring elements mostly have one bracketing: the last result is kept. */
static bool run_reduce(struct summand__play *play, int rank, const struct summand__step *step)
{
    struct summand__cell *from = cells(play, rank, step->from), *to = cells(play, rank, step->to);
    uint32_t left = SUMMAND__UNDEFINED, right = SUMMAND__UNDEFINED, result = SUMMAND__UNDEFINED;
    if (step->from.count != step->to.count || summand__regions_overlap(step->from, step->to))
        return fault(play, "rank %d: reduce of unequal or overlapping regions", rank);
    if (!read_cells(play, rank, step->from) || !read_cells(play, rank, step->to))
        return false;
    for (size_t i = 0; i < step->to.count; i++) {
        int twice = -1;
        if (from[i].element != to[i].element)
            return fault(play, "rank %d combines elements %u and %u", rank, from[i].element,
                         to[i].element);
        if (from[i].expression != left || to[i].expression != right) {
            left = from[i].expression;
            right = to[i].expression;
            result = summand__combine(play->pool, left, right, &twice);
        }
        to[i].expression = result;
        if (result == SUMMAND__UNDEFINED)
            return twice < 0 ? fault(play, "out of memory")
                             : fault(play, "rank %d: the contribution of rank %d is counted twice",
                                     rank, twice);
    }
    return true;
}

static bool run_local(struct summand__play *play, int rank, const struct summand__step *step)
{
    if (step->action == SUMMAND__REDUCE)
        return run_reduce(play, rank, step);
    if (step->action != SUMMAND__COPY)
        return true;
    if (step->from.count != step->to.count || summand__regions_overlap(step->from, step->to))
        return fault(play, "rank %d: copy of unequal or overlapping regions", rank);
    if (!read_cells(play, rank, step->from))
        return false;
    memcpy(cells(play, rank, step->to), cells(play, rank, step->from),
           step->to.count * sizeof(struct summand__cell));
    return true;
}

static void enqueue(struct stage *stage, int rank)
{
    if (!stage->actors[rank].queued)
        stage->queue[stage->waiting++] = rank;
    stage->actors[rank].queued = true;
}

static size_t *open_now(struct actor *actor)
{
    return &actor->open[actor->round % SUMMAND__GROUPS];
}

static size_t round_end(const struct summand__schedule *schedule, size_t begin)
{
    while (begin < schedule->length && schedule->steps[begin].action != SUMMAND__ROUND)
        begin++;
    return begin;
}

/* Moves on by one round, of which the first begins at step 0. */
static void next_round(const struct summand__schedule *schedule, struct actor *actor, bool first)
{
    if (!first) {
        actor->begin = actor->end + 1;
        actor->round++;
    }
    actor->end = round_end(schedule, actor->begin);
    if (!actor->lag)
        actor->window = actor->begin;
    while (actor->window < actor->begin &&
           actor->tickets[actor->window].round + actor->lag < actor->round)
        actor->window++;
}

static bool post_round(struct stage *stage, int rank)
{
    struct summand__play *play = stage->play;
    struct actor *actor = &stage->actors[rank];
    const struct summand__step *steps = play->schedules[rank].steps;
    if (!check_round(play, rank, actor))
        return false;
    for (size_t i = actor->begin; i <= actor->end && i < play->schedules[rank].length; i++) {
        actor->tickets[i].round = actor->round;
        actor->tickets[i].clock = actor->clock;
        if (is_message(&steps[i])) {
            size_t last = actor->round + steps[i].lag;
            actor->open[last % SUMMAND__GROUPS]++;
            actor->last = actor->last > last ? actor->last : last;
        } else if (!run_local(play, rank, &steps[i])) {
            return false;
        }
    }
    return true;
}

/* Whether the last round has waited for all messages; that they may be through by then is luck. */
static bool check_end(struct summand__play *play, int rank, const struct actor *actor)
{
    return actor->last <= actor->round ||
           fault(play, "rank %d ends before its late messages", rank);
}

/* The round is over: its clock is that of the last message through. */
static void settle_round(struct actor *actor)
{
    size_t *chain = &actor->chain[actor->round % SUMMAND__GROUPS];
    if (*chain > actor->clock)
        actor->clock = *chain;
    *chain = 0;
}

/* Enters the next round that waits for messages, running those that do not on the way. */
static bool enter_round(struct stage *stage, int rank, bool first)
{
    struct summand__play *play = stage->play;
    const struct summand__schedule *schedule = &play->schedules[rank];
    struct actor *actor = &stage->actors[rank];
    for (; first || !*open_now(actor); first = false) {
        if (!first)
            settle_round(actor);
        if (!first && actor->end + 1 >= schedule->length)
            return check_end(play, rank, actor);
        next_round(schedule, actor, first);
        if (!post_round(stage, rank))
            return false;
        if (actor->unmatched < actor->end)
            enqueue(stage, rank);
    }
    return true;
}

/* Whether a message is certain to be posted: a late receive is in its last round. */
static bool is_posted(const struct actor *actor, const struct summand__step *steps, size_t i)
{
    return steps[i].action == SUMMAND__SEND ||
           actor->tickets[i].round + steps[i].lag <= actor->round;
}

/* The first open message between `rank` and `peer`, if it is posted, or NULL. */
static const struct summand__step *open_step(const struct stage *stage, int rank, int peer,
                                             enum summand__action action)
{
    const struct actor *actor = &stage->actors[rank];
    const struct summand__step *steps = stage->play->schedules[rank].steps;
    for (size_t i = actor->unmatched; i < actor->end; i++)
        if (steps[i].peer == peer && steps[i].action == action && !actor->tickets[i].matched)
            return is_posted(actor, steps, i) ? &steps[i] : NULL;
    return NULL;
}

/* A message to all may wait for the last of its receivers, and so for none until all receive it.
 * Whoever comes last lets the others know. */
static bool is_ready(struct stage *stage, int sender, const struct summand__step *send)
{
    const struct summand__schedule *schedule = &stage->play->schedules[sender];
    const struct ticket *tickets = stage->actors[sender].tickets;
    size_t first = (size_t)(send - schedule->steps), end = summand__sends_end(schedule, first);
    if (!send->to_all)
        return true;
    while (!summand__begins_send(schedule, first))
        first--;
    for (size_t i = first; i < end; i++)
        if (!tickets[i].matched &&
            !open_step(stage, schedule->steps[i].peer, sender, SUMMAND__RECV))
            return false;
    for (size_t i = first; i < end; i++)
        if (!tickets[i].matched)
            enqueue(stage, schedule->steps[i].peer);
    return true;
}

static bool transfer(struct stage *stage, int sender, const struct summand__step *send,
                     int receiver, const struct summand__step *recv, size_t clock)
{
    struct summand__play *play = stage->play;
    if (send->from.count != recv->to.count)
        return fault(play, "rank %d sends %zu elements, rank %d expects %zu", sender,
                     send->from.count, receiver, recv->to.count);
    if (!send->lag != !recv->lag)
        return fault(play, "rank %d's message to rank %d is late at one end only", sender,
                     receiver);
    if (send->to_all != recv->to_all)
        return fault(play, "rank %d's message to rank %d is one to all at one end only", sender,
                     receiver);
    if (!read_cells(play, sender, send->from))
        return false;
    memcpy(cells(play, receiver, recv->to), cells(play, sender, send->from),
           recv->to.count * sizeof(struct summand__cell));
    play->messages++;
    play->elements += send->from.count;
    if (!summand__begins_send(&play->schedules[sender],
                              (size_t)(send - play->schedules[sender].steps))) {
        play->repeats++;
        play->repeated += send->from.count;
    }
    const int ends[2] = {sender, receiver};
    const struct summand__step *const done[2] = {send, recv};
    for (int e = 0; e < 2; e++) {
        struct actor *actor = &stage->actors[ends[e]];
        struct ticket *ticket = &actor->tickets[done[e] - play->schedules[ends[e]].steps];
        size_t group = (ticket->round + done[e]->lag) % SUMMAND__GROUPS;
        ticket->matched = true;
        actor->open[group]--;
        if (clock > actor->chain[group])
            actor->chain[group] = clock;
    }
    if (clock > play->depth)
        play->depth = clock;
    return true;
}

static size_t clock_of(const struct stage *stage, int rank, const struct summand__step *step)
{
    return stage->actors[rank].tickets[step - stage->play->schedules[rank].steps].clock;
}

/* Matches what it can of one rank's open messages. A message's chain length is its ends' when they
 * were posted, plus one; a rank's own clock moves when its round is over. */
static bool match_round(struct stage *stage, int rank)
{
    struct summand__play *play = stage->play;
    struct actor *actor = &stage->actors[rank];
    const struct summand__step *steps = play->schedules[rank].steps;
    while (actor->unmatched < actor->end &&
           (!is_message(&steps[actor->unmatched]) || actor->tickets[actor->unmatched].matched))
        actor->unmatched++;
    for (size_t i = actor->unmatched; i < actor->end; i++) {
        const struct summand__step *mine = &steps[i];
        if (!is_message(mine) || actor->tickets[i].matched || !is_posted(actor, steps, i))
            continue;
        bool sending = mine->action == SUMMAND__SEND;
        const struct summand__step *theirs =
            open_step(stage, mine->peer, rank, sending ? SUMMAND__RECV : SUMMAND__SEND);
        if (!theirs || open_step(stage, rank, mine->peer, mine->action) != mine ||
            !is_ready(stage, sending ? rank : mine->peer, sending ? mine : theirs))
            continue;
        size_t own = clock_of(stage, rank, mine), other = clock_of(stage, mine->peer, theirs);
        size_t clock = 1 + (own > other ? own : other);
        if (!(sending ? transfer(stage, rank, mine, mine->peer, theirs, clock)
                      : transfer(stage, mine->peer, theirs, rank, mine, clock)))
            return false;
        if (!*open_now(&stage->actors[mine->peer]))
            enqueue(stage, mine->peer);
    }
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
        struct actor *actor = &stage->actors[rank];
        actor->queued = false;
        if (!match_round(stage, rank))
            return false;
        if (!*open_now(actor) && !enter_round(stage, rank, false))
            return false;
    }
    for (int r = 0; r < play->ranks; r++)
        if (*open_now(&stage->actors[r]))
            return fault(play, "deadlock: rank %d waits for ever in steps %zu to %zu", r,
                         stage->actors[r].begin, stage->actors[r].end);
    return true;
}

bool summand__play(struct summand__play *play)
{
    size_t total = 0, used = 0, ranks = (unsigned)play->ranks;
    for (int r = 0; r < play->ranks; r++)
        total += play->schedules[r].length;
    struct stage stage = {.play = play};
    stage.actors = calloc(ranks, sizeof *stage.actors);
    stage.queue = calloc(ranks, sizeof *stage.queue);
    struct ticket *tickets = calloc(total + 1, sizeof *tickets);
    play->messages = play->elements = play->repeats = play->repeated = play->depth = 0;
    play->fault[0] = 0;
    bool good = stage.actors && stage.queue && tickets;
    if (good) {
        for (int r = 0; r < play->ranks; r++) {
            stage.actors[r].tickets = tickets + used;
            stage.actors[r].lag = summand__schedule_lag(&play->schedules[r]);
            used += play->schedules[r].length;
        }
        good = run(&stage);
    } else {
        fault(play, "out of memory");
    }
    free(stage.actors);
    free(stage.queue);
    free(tickets);
    return good;
}
