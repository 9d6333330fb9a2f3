/* SPDX-License-Identifier: BSD-3-Clause */
/* Explains the error of a schedule: checks every pair of steps. */
#include "lab/verify/check.h"

#include "lab/verify/meaning.h"
#include "lab/verify/play.h"
#include "lab/verify/schedules.h"
#include "lab/verify/touch.h"

static bool check_region(struct summand__play *play, int rank, struct summand__region region,
                         bool write)
{
    const struct summand__memory *memory = &play->memories[rank];
    if (region.place >= memory->places)
        return summand__play_fault(play, "rank %d: there is no place %d", rank, (int)region.place);
    if (!summand__holds(memory, region, false))
        return summand__play_fault(play, "rank %d: [%zu, %zu) is outside of %s", rank,
                                   (size_t)region.first, region.first + region.count,
                                   summand__place_name(region.place));
    if (write && region.count && !memory->place[region.place].writable)
        return summand__play_fault(play, "rank %d: writes %s", rank,
                                   summand__place_name(region.place));
    return true;
}

static bool check_recv_reduce(struct summand__play *play, int rank, size_t i)
{
    const struct summand__step *step = &play->schedules[rank].steps[i];
    const char *what = NULL;
    if (!summand__is_near(play, rank, step->peer))
        what = "that does not combine";
    else if (step->lag)
        what = "which is late";
    else if (step->from.count != step->to.count || step->with.count != step->to.count)
        what = "of unequal regions";
    return !what ||
           summand__play_fault(play, "rank %d step %zu: receives and combines a message %s", rank,
                               i, what);
}

static bool check_message(struct summand__play *play, int rank, size_t i)
{
    const struct summand__step *step = &play->schedules[rank].steps[i];
    if (step->peer < 0 || step->peer >= play->ranks || step->peer == rank)
        return summand__play_fault(play, "rank %d step %zu: peer %d", rank, i, step->peer);
    if (step->action == SUMMAND__RECV_REDUCE)
        return check_recv_reduce(play, rank, i);
    if (step->from.count && step->to.count)
        return summand__play_fault(play, "rank %d step %zu: a message of two regions", rank, i);
    if (!summand__multicast_to_all(&play->schedules[rank], i, play->ranks))
        return summand__play_fault(play, "rank %d step %zu: no message to all", rank, i);
    return true;
}

static bool check_step(struct summand__play *play, int rank, size_t i)
{
    const struct summand__step *step = &play->schedules[rank].steps[i];
    bool combines = step->action == SUMMAND__RECV_REDUCE;
    if (summand__has_meaning(step)) {
        const char *wrong = summand__meaning_wrong(play, rank, i);
        return !wrong || summand__play_fault(play, "rank %d: step %zu (%s) %s", rank, i,
                                             summand__action_name(step->action), wrong);
    }
    if (!check_region(play, rank, step->from, combines) ||
        !check_region(play, rank, step->with, false) || !check_region(play, rank, step->to, true))
        return false;
    if (step->lag > SUMMAND__MOST_LAG)
        return summand__play_fault(play, "rank %d step %zu: is late by %d rounds", rank, i,
                                   step->lag);
    if (summand__is_message(step))
        return check_message(play, rank, i);
    if (step->action != SUMMAND__REDUCE && step->action != SUMMAND__COPY)
        return summand__play_fault(play, "rank %d step %zu: %s is not of a collective", rank, i,
                                   summand__action_name(step->action));
    return true;
}

/* The region that two steps share although one writes it and they are not ordered; NULL: none. The
 * first may be a message of a round `before`, still in flight. */
static const char *clash(const struct summand__play *play, int rank,
                         const struct summand__round_steps *round, size_t i, bool before, size_t j)
{
    const struct summand__step *steps = play->schedules[rank].steps;
    struct summand__touched a[SUMMAND__MOST_TOUCHED], b[SUMMAND__MOST_TOUCHED];
    const struct summand__round_steps own = {i, i + 1, false};
    int m = summand__touches(play, rank, before ? &own : round, i, a);
    int n = summand__touches(play, rank, round, j, b);
    for (int k = 0; k < m; k++)
        for (int l = 0; l < n; l++)
            if (a[k].touch & summand__clashes[b[l].touch] &&
                summand__regions_overlap(a[k].region, b[l].region))
                return summand__place_name(steps[j].to.count ? steps[j].to.place
                                                             : steps[j].from.place);
    return NULL;
}

/* True if receive j may end before receive i < j, both from one peer, which last this many more
 * rounds. */
static bool overtakes(const struct summand__step *i, const struct summand__step *j, size_t i_left,
                      size_t j_left)
{
    return i_left > j_left && summand__receives(i) && summand__receives(j) && i->peer == j->peer;
}

/* Checks step i, which is in use for `left` more rounds, against step j of this round. */
static bool check_pair(struct summand__play *play, int rank,
                       const struct summand__round_steps *round, size_t i, size_t left, size_t j)
{
    const struct summand__step *steps = play->schedules[rank].steps;
    bool before = i < round->begin;
    const char *shared = clash(play, rank, round, i, before, j);
    if (shared)
        return summand__play_fault(play, "rank %d: steps %zu (%s) and %zu (%s) of %s share %s",
                                   rank, i, summand__action_name(steps[i].action), j,
                                   summand__action_name(steps[j].action),
                                   before ? "a round that is not over" : "one round", shared);
    if (overtakes(&steps[i], &steps[j], left, steps[j].lag))
        return summand__play_fault(play, "rank %d: step %zu (recv) may overtake step %zu", rank, j,
                                   i);
    return true;
}

static bool check_among(struct summand__play *play, int rank,
                        const struct summand__round_steps *now)
{
    const struct summand__step *steps = play->schedules[rank].steps;
    for (size_t i = now->begin; i < now->end; i++)
        if (!check_step(play, rank, i))
            return false;
    for (size_t i = now->begin; i < now->end; i++)
        for (size_t j = i + 1; j < now->end; j++)
            if (!check_pair(play, rank, now, i, steps[i].lag, j))
                return false;
    return true;
}

/* Checks messages of earlier rounds whose lag keeps them in flight. */
static bool check_before(struct summand__play *play, int rank,
                         const struct summand__round_steps *now)
{
    const struct summand__step *steps = play->schedules[rank].steps;
    size_t ago = 0;
    for (size_t i = 0; i < now->begin; i++)
        ago += steps[i].action == SUMMAND__ROUND;
    for (size_t i = 0; i < now->begin; i++) {
        ago -= steps[i].action == SUMMAND__ROUND;
        for (size_t j = now->begin;
             summand__is_message(&steps[i]) && steps[i].lag >= ago && j < now->end; j++)
            if (!check_pair(play, rank, now, i, steps[i].lag - ago, j))
                return false;
    }
    return true;
}

bool summand__check_explain(struct summand__play *play, int rank, size_t round)
{
    const struct summand__schedule *schedule = &play->schedules[rank];
    struct summand__round_steps now = summand__round_from(schedule, 0);
    while (round--)
        now = summand__round_from(schedule, now.end + 1);
    if (!check_among(play, rank, &now) || !check_before(play, rank, &now))
        return false;
    return summand__play_fault(play, "rank %d: steps %zu to %zu clash (found only once)", rank,
                               now.begin, now.end);
}
