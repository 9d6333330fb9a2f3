/* What the check of a schedule found: looks at every pair of steps. */
#include "lab/verify/check.h"

#include <stdarg.h>
#include <stdio.h>

#include "lab/verify/meaning.h"

bool summand__play_fault(struct summand__play *play, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    vsnprintf(play->fault, sizeof play->fault, format, list);
    va_end(list);
    return false;
}

const char *summand__place_name(enum summand__place place)
{
    static const char *const names[SUMMAND__MOST_PLACES] = {
        "sendbuf",  "recvbuf",  "scratch",  "place 3", "place 4",  "place 5",
        "place 6",  "place 7",  "place 8",  "place 9", "place 10", "place 11",
        "place 12", "place 13", "place 14", "place 15"};
    return names[place];
}

struct span {
    size_t begin, end;
};

static bool check_region(struct summand__play *play, int rank, struct summand__region region,
                         bool write)
{
    const struct summand__memory *memory = &play->memories[rank];
    if (region.first + region.count > memory->count[region.place])
        return summand__play_fault(play, "rank %d: [%zu, %zu) is outside of %s", rank, region.first,
                                   region.first + region.count, summand__place_name(region.place));
    if (write && region.count && !memory->writable[region.place])
        return summand__play_fault(play, "rank %d: writes %s", rank,
                                   summand__place_name(region.place));
    return true;
}

static bool check_step(struct summand__play *play, int rank, size_t i)
{
    const struct summand__step *step = &play->schedules[rank].steps[i];
    if (summand__has_meaning(step)) {
        const char *wrong = summand__meaning_wrong(play, rank, i);
        return !wrong || summand__play_fault(play, "rank %d: step %zu (%s) %s", rank, i,
                                             summand__action_name(step->action), wrong);
    }
    if (!check_region(play, rank, step->from, false) || !check_region(play, rank, step->to, true))
        return false;
    if (!summand__is_message(step))
        return true;
    if (step->peer < 0 || step->peer >= play->ranks || step->peer == rank)
        return summand__play_fault(play, "rank %d step %zu: peer %d", rank, i, step->peer);
    if (step->from.count && step->to.count)
        return summand__play_fault(play, "rank %d step %zu: a message of two regions", rank, i);
    if (!summand__multicast_to_all(&play->schedules[rank], i, play->ranks))
        return summand__play_fault(play, "rank %d step %zu: no message to all", rank, i);
    return true;
}

/* Two steps clash when one writes what the other touches, and one of them is a message. */
static bool clash(const struct summand__step *a, const struct summand__step *b)
{
    return (summand__is_message(a) || summand__is_message(b)) &&
           (summand__regions_overlap(a->to, b->to) || summand__regions_overlap(a->to, b->from) ||
            summand__regions_overlap(a->from, b->to));
}

/* Whether, of receives i before j from one peer that last so many more rounds, j may end first. */
static bool overtakes(const struct summand__step *i, const struct summand__step *j, size_t i_left,
                      size_t j_left)
{
    return i_left > j_left && i->action == SUMMAND__RECV && j->action == SUMMAND__RECV &&
           i->peer == j->peer;
}

/* Step i, which is in use for `left` more rounds, against step j of this one. */
static bool check_pair(struct summand__play *play, int rank, size_t i, size_t left, size_t j,
                       const char *where)
{
    const struct summand__step *steps = play->schedules[rank].steps;
    if (clash(&steps[i], &steps[j]))
        return summand__play_fault(
            play, "rank %d: steps %zu (%s) and %zu (%s) of %s share %s", rank, i,
            summand__action_name(steps[i].action), j, summand__action_name(steps[j].action), where,
            summand__place_name(steps[j].to.count ? steps[j].to.place : steps[j].from.place));
    if (overtakes(&steps[i], &steps[j], left, steps[j].lag))
        return summand__play_fault(play, "rank %d: step %zu (recv) may overtake step %zu", rank, j,
                                   i);
    return true;
}

static bool check_among(struct summand__play *play, int rank, struct span now)
{
    const struct summand__step *steps = play->schedules[rank].steps;
    for (size_t i = now.begin; i < now.end; i++) {
        if (!check_step(play, rank, i))
            return false;
        for (size_t j = i + 1; j < now.end; j++)
            if (!check_pair(play, rank, i, steps[i].lag, j, "one round"))
                return false;
    }
    return true;
}

/* Messages of rounds before that are late by as much as to be under way. */
static bool check_before(struct summand__play *play, int rank, struct span now)
{
    const struct summand__step *steps = play->schedules[rank].steps;
    size_t ago = 0;
    for (size_t i = 0; i < now.begin; i++)
        ago += steps[i].action == SUMMAND__ROUND;
    for (size_t i = 0; i < now.begin; i++) {
        ago -= steps[i].action == SUMMAND__ROUND;
        for (size_t j = now.begin;
             summand__is_message(&steps[i]) && steps[i].lag >= ago && j < now.end; j++)
            if (!check_pair(play, rank, i, steps[i].lag - ago, j, "a round that is not over"))
                return false;
    }
    return true;
}

bool summand__check_explain(struct summand__play *play, int rank, size_t round)
{
    const struct summand__schedule *schedule = &play->schedules[rank];
    struct span now = {0, 0};
    for (;; now.begin = ++now.end) {
        while (now.end < schedule->length && schedule->steps[now.end].action != SUMMAND__ROUND)
            now.end++;
        if (!round--)
            break;
    }
    if (!check_among(play, rank, now) || !check_before(play, rank, now))
        return false;
    return summand__play_fault(play,
                               play->fused ? "rank %d: what is joined in steps %zu to %zu clashes"
                                           : "rank %d: steps %zu to %zu clash (found only once)",
                               rank, now.begin, now.end);
}
