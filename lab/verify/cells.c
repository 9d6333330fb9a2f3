/* SPDX-License-Identifier: BSD-3-Clause */
#include "lab/verify/cells.h"

#include <string.h>

#include "lab/verify/play.h"
#include "schedule/compute.h"

static struct summand__cell *cells(struct summand__play *play, int rank,
                                   struct summand__region region)
{
    return play->memories[rank].place[region.place].cells + region.first;
}

static bool read_cells(struct summand__play *play, int rank, struct summand__region region)
{
    const struct summand__cell *from = cells(play, rank, region);
    for (size_t i = 0; i < region.count; i++)
        if (from[i].expression == SUMMAND__UNDEFINED || from[i].element & SUMMAND__NOT_AGAIN)
            return summand__play_fault(play, "rank %d reads %s[%zu] %s", rank,
                                       summand__place_name(region.place), region.first + i,
                                       from[i].expression ? "that it said it would not"
                                                          : "before it is written");
    return true;
}

/* Marks cells that a step has written and declares nontemporal: nobody reads them again. */
static void mark(struct summand__play *play, int rank, const struct summand__step *step)
{
    struct summand__cell *to = cells(play, rank, step->to);
    for (size_t i = 0; step->flags & SUMMAND__STEP_NONTEMPORAL && i < step->to.count; i++)
        to[i].element |= SUMMAND__NOT_AGAIN;
}

/* to = left op right; `to` may be one of them. Neighbouring elements mostly have the same
 * bracketing, so the last result is cached. */
static bool combine(struct summand__play *play, int rank, struct summand__region left_region,
                    struct summand__region right_region, struct summand__region result)
{
    const struct summand__cell *lefts = cells(play, rank, left_region);
    const struct summand__cell *rights = cells(play, rank, right_region);
    struct summand__cell *to = cells(play, rank, result);
    uint32_t left = SUMMAND__UNDEFINED, right = SUMMAND__UNDEFINED, both = SUMMAND__UNDEFINED;
    if (!read_cells(play, rank, left_region) || !read_cells(play, rank, right_region))
        return false;
    for (size_t i = 0; i < result.count; i++) {
        int twice = -1;
        if (lefts[i].element != rights[i].element)
            return summand__play_fault(play, "rank %d combines elements %u and %u", rank,
                                       lefts[i].element, rights[i].element);
        if (lefts[i].expression != left || rights[i].expression != right) {
            left = lefts[i].expression;
            right = rights[i].expression;
            both = summand__combine(play->pool, left, right, &twice);
        }
        to[i] = (struct summand__cell){both, lefts[i].element};
        if (both == SUMMAND__UNDEFINED)
            return twice < 0 ? summand__play_fault(play, "out of memory")
                             : summand__play_fault(
                                   play, "rank %d: the contribution of rank %d is counted twice",
                                   rank, twice);
    }
    return true;
}

static bool move(struct summand__play *play, int sender, struct summand__region from, int receiver,
                 struct summand__region to)
{
    const struct summand__cell *source = cells(play, sender, from);
    struct summand__cell *target = cells(play, receiver, to);
    if (!read_cells(play, sender, from))
        return false;
    for (size_t i = 0; i < to.count; i++) /* usually few: no call */
        target[i] = source[i];
    return true;
}

bool summand__cells_step(struct summand__play *play, int rank, const struct summand__step *step)
{
    if (step->from.count != step->to.count || summand__regions_overlap(step->from, step->to))
        return summand__play_fault(play, "rank %d: %s of unequal or overlapping regions", rank,
                                   summand__action_name(step->action));
    bool good = step->action == SUMMAND__REDUCE
                    ? combine(play, rank, step->from, step->to, step->to)
                    : move(play, rank, step->from, rank, step->to);
    mark(play, rank, step);
    return good;
}

/* 0: the operator's. */
static size_t unit_of(const struct summand__play *play, int rank, struct summand__region region)
{
    unsigned place = (unsigned)region.place;
    return place < (unsigned)SUMMAND__PLACES ? 0
                                             : summand__place_unit(&play->schedules[rank], place);
}

bool summand__cells_message(struct summand__play *play, int sender,
                            const struct summand__step *send, int receiver,
                            const struct summand__step *recv)
{
    if (unit_of(play, sender, send->from) != unit_of(play, receiver, summand__arrives(recv)))
        return summand__play_fault(play, "rank %d sends rank %d elements of another size", sender,
                                   receiver);
    if (!move(play, sender, send->from, receiver, summand__arrives(recv)))
        return false;
    if (recv->action == SUMMAND__RECV)
        mark(play, receiver, recv);
    return true;
}

bool summand__cells_combine(struct summand__play *play, int rank, const struct summand__step *step)
{
    bool left = step->flags & SUMMAND__STEP_LEFT;
    if (!combine(play, rank, left ? step->from : step->with, left ? step->with : step->from,
                 step->to))
        return false;
    if (!summand__regions_equal(step->from, step->to))
        memset(cells(play, rank, step->from), 0, step->from.count * sizeof(struct summand__cell));
    mark(play, rank, step);
    return true;
}
