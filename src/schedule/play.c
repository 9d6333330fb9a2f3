#include "schedule/play.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* Where a rank stands: the steps of its current round and how many of its messages are open. */
struct actor {
    size_t begin, end; /* steps of the round */
    size_t open;
    size_t clock; /* messages on the longest chain so far */
    bool *matched; /* per step of the schedule */
    bool queued;
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

/* Two steps of one round clash when one writes what the other touches. */
static bool clash(const struct summand__step *a, const struct summand__step *b)
{
    return summand__regions_overlap(a->to, b->to) || summand__regions_overlap(a->to, b->from) ||
           summand__regions_overlap(a->from, b->to);
}

static bool check_round(struct summand__play *play, int rank, const struct actor *actor)
{
    const struct summand__step *steps = play->schedules[rank].steps;
    for (size_t i = actor->begin; i < actor->end; i++) {
        if (!check_region(play, rank, steps[i].from, false) ||
            !check_region(play, rank, steps[i].to, true))
            return false;
        if (is_message(&steps[i]) && (steps[i].peer < 0 || steps[i].peer >= play->ranks ||
                                      steps[i].peer == rank))
            return fault(play, "rank %d step %zu: peer %d", rank, i, steps[i].peer);
        for (size_t j = i + 1; j < actor->end; j++)
            if ((is_message(&steps[i]) || is_message(&steps[j])) && clash(&steps[i], &steps[j]))
                return fault(play, "rank %d: steps %zu (%s) and %zu (%s) of one round share %s", rank,
                             i, summand__action_name(steps[i].action), j,
                             summand__action_name(steps[j].action),
                             place_name(steps[j].to.count ? steps[j].to.place
                                                          : steps[j].from.place));
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

static bool run_reduce(struct summand__play *play, int rank, const struct summand__step *step)
{
    struct summand__cell *from = cells(play, rank, step->from), *to = cells(play, rank, step->to);
    if (step->from.count != step->to.count || summand__regions_overlap(step->from, step->to))
        return fault(play, "rank %d: reduce of unequal or overlapping regions", rank);
    if (!read_cells(play, rank, step->from) || !read_cells(play, rank, step->to))
        return false;
    for (size_t i = 0; i < step->to.count; i++) {
        int twice;
        if (from[i].element != to[i].element)
            return fault(play, "rank %d combines elements %u and %u", rank, from[i].element,
                         to[i].element);
        to[i].expression =
            summand__combine(play->pool, from[i].expression, to[i].expression, &twice);
        if (to[i].expression == SUMMAND__UNDEFINED)
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

/* Enters the next round with messages, running rounds without any on the way. */
static bool enter_round(struct stage *stage, int rank)
{
    struct summand__play *play = stage->play;
    const struct summand__schedule *schedule = &play->schedules[rank];
    struct actor *actor = &stage->actors[rank];
    while (!actor->open && actor->end < schedule->length) {
        actor->begin = actor->end;
        while (actor->begin < schedule->length &&
               schedule->steps[actor->begin].action == SUMMAND__ROUND)
            actor->begin++;
        actor->end = actor->begin;
        while (actor->end < schedule->length && schedule->steps[actor->end].action != SUMMAND__ROUND)
            actor->end++;
        if (!check_round(play, rank, actor))
            return false;
        for (size_t i = actor->begin; i < actor->end; i++) {
            if (is_message(&schedule->steps[i]))
                actor->open++;
            else if (!run_local(play, rank, &schedule->steps[i]))
                return false;
        }
    }
    if (actor->open)
        enqueue(stage, rank);
    return true;
}

/* The first open step of `rank`'s round that talks to `peer` by `action`, or NULL. */
static const struct summand__step *open_step(const struct stage *stage, int rank, int peer,
                                             enum summand__action action)
{
    const struct actor *actor = &stage->actors[rank];
    const struct summand__step *steps = stage->play->schedules[rank].steps;
    for (size_t i = actor->begin; i < actor->end; i++)
        if (steps[i].action == action && steps[i].peer == peer && !actor->matched[i])
            return &steps[i];
    return NULL;
}

static bool transfer(struct stage *stage, int sender, const struct summand__step *send,
                     int receiver, const struct summand__step *recv, size_t clock)
{
    struct summand__play *play = stage->play;
    if (send->from.count != recv->to.count)
        return fault(play, "rank %d sends %zu elements, rank %d expects %zu", sender,
                     send->from.count, receiver, recv->to.count);
    if (!read_cells(play, sender, send->from))
        return false;
    memcpy(cells(play, receiver, recv->to), cells(play, sender, send->from),
           recv->to.count * sizeof(struct summand__cell));
    play->messages++;
    play->elements += send->from.count;
    const int ends[2] = {sender, receiver};
    const struct summand__step *const done[2] = {send, recv};
    for (int e = 0; e < 2; e++) {
        struct actor *actor = &stage->actors[ends[e]];
        actor->matched[done[e] - play->schedules[ends[e]].steps] = true;
        actor->open--;
    }
    if (clock > play->depth)
        play->depth = clock;
    return true;
}

/* Matches what it can of one rank's round. A message's chain length is its ends' plus one; a rank's
 * own clock moves when its round is over. */
static bool match_round(struct stage *stage, int rank, size_t *arrival)
{
    struct summand__play *play = stage->play;
    struct actor *actor = &stage->actors[rank];
    const struct summand__step *steps = play->schedules[rank].steps;
    for (size_t i = actor->begin; i < actor->end; i++) {
        const struct summand__step *mine = &steps[i];
        if (!is_message(mine) || actor->matched[i])
            continue;
        bool sending = mine->action == SUMMAND__SEND;
        const struct summand__step *theirs =
            open_step(stage, mine->peer, rank, sending ? SUMMAND__RECV : SUMMAND__SEND);
        if (!theirs || open_step(stage, rank, mine->peer, mine->action) != mine)
            continue;
        size_t other = stage->actors[mine->peer].clock;
        size_t clock = 1 + (actor->clock > other ? actor->clock : other);
        if (!(sending ? transfer(stage, rank, mine, mine->peer, theirs, clock)
                      : transfer(stage, mine->peer, theirs, rank, mine, clock)))
            return false;
        if (arrival[rank] < clock)
            arrival[rank] = clock;
        if (arrival[mine->peer] < clock)
            arrival[mine->peer] = clock;
        if (!stage->actors[mine->peer].open)
            enqueue(stage, mine->peer);
    }
    return true;
}

static bool run(struct stage *stage, size_t *arrival)
{
    struct summand__play *play = stage->play;
    for (int r = 0; r < play->ranks; r++)
        if (!enter_round(stage, r))
            return false;
    while (stage->waiting) {
        int rank = stage->queue[--stage->waiting];
        struct actor *actor = &stage->actors[rank];
        actor->queued = false;
        if (actor->open && !match_round(stage, rank, arrival))
            return false;
        if (actor->open)
            continue;
        actor->clock = arrival[rank];
        if (!enter_round(stage, rank))
            return false;
    }
    for (int r = 0; r < play->ranks; r++)
        if (stage->actors[r].open)
            return fault(play, "deadlock: rank %d waits for ever in steps %zu to %zu", r,
                         stage->actors[r].begin, stage->actors[r].end);
    return true;
}

bool summand__play(struct summand__play *play)
{
    size_t total = 0, used = 0;
    for (int r = 0; r < play->ranks; r++)
        total += play->schedules[r].length;
    struct stage stage = {.play = play};
    stage.actors = calloc((size_t)play->ranks, sizeof *stage.actors);
    stage.queue = calloc((size_t)play->ranks, sizeof *stage.queue);
    size_t *arrival = calloc((size_t)play->ranks, sizeof *arrival);
    bool *matched = calloc(total + 1, sizeof *matched);
    play->messages = play->elements = play->depth = 0;
    play->fault[0] = 0;
    bool good = stage.actors && stage.queue && arrival && matched;
    if (good) {
        for (int r = 0; r < play->ranks; r++) {
            stage.actors[r].matched = matched + used;
            used += play->schedules[r].length;
        }
        good = run(&stage, arrival);
    } else {
        fault(play, "out of memory");
    }
    free(stage.actors);
    free(stage.queue);
    free(arrival);
    free(matched);
    return good;
}
