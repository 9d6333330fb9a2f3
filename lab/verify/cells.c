#include "lab/verify/cells.h"

#include <string.h>

#include "lab/verify/check.h"

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
            return summand__play_fault(play, "rank %d reads %s[%zu] before it is written", rank,
                                       summand__place_name(region.place), region.first + i);
    return true;
}

/* Neighbouring elements mostly have one bracketing: the last result is kept. */
static bool reduce(struct summand__play *play, int rank, const struct summand__step *step)
{
    struct summand__cell *from = cells(play, rank, step->from), *to = cells(play, rank, step->to);
    uint32_t left = SUMMAND__UNDEFINED, right = SUMMAND__UNDEFINED, result = SUMMAND__UNDEFINED;
    if (step->from.count != step->to.count || summand__regions_overlap(step->from, step->to))
        return summand__play_fault(play, "rank %d: reduce of unequal or overlapping regions", rank);
    if (!read_cells(play, rank, step->from) || !read_cells(play, rank, step->to))
        return false;
    for (size_t i = 0; i < step->to.count; i++) {
        int twice = -1;
        if (from[i].element != to[i].element)
            return summand__play_fault(play, "rank %d combines elements %u and %u", rank,
                                       from[i].element, to[i].element);
        if (from[i].expression != left || to[i].expression != right) {
            left = from[i].expression;
            right = to[i].expression;
            result = summand__combine(play->pool, left, right, &twice);
        }
        to[i].expression = result;
        if (result == SUMMAND__UNDEFINED)
            return twice < 0 ? summand__play_fault(play, "out of memory")
                             : summand__play_fault(
                                   play, "rank %d: the contribution of rank %d is counted twice",
                                   rank, twice);
    }
    return true;
}

bool summand__cells_step(struct summand__play *play, int rank, const struct summand__step *step)
{
    if (step->action == SUMMAND__REDUCE)
        return reduce(play, rank, step);
    if (step->action != SUMMAND__COPY)
        return true;
    if (step->from.count != step->to.count || summand__regions_overlap(step->from, step->to))
        return summand__play_fault(play, "rank %d: copy of unequal or overlapping regions", rank);
    return summand__cells_message(play, rank, step->from, rank, step->to);
}

bool summand__cells_message(struct summand__play *play, int sender, struct summand__region from,
                            int receiver, struct summand__region to)
{
    if (!read_cells(play, sender, from))
        return false;
    memcpy(cells(play, receiver, to), cells(play, sender, from),
           to.count * sizeof(struct summand__cell));
    return true;
}

bool summand__cells_join(struct summand__play *play, int rank, size_t recv)
{
    const struct summand__step *steps = play->schedules[rank].steps;
    const struct summand__fused *fused = &play->fused[rank][recv];
    const struct summand__step *step = &steps[fused->reduce - 1];
    struct summand__region arrived = steps[recv].to;
    if (fused->copy && !summand__cells_step(play, rank, &steps[fused->copy - 1]))
        return false;
    if (!summand__cells_step(play, rank, step))
        return false;
    if (!summand__regions_overlap(arrived, step->to))
        memset(cells(play, rank, arrived), 0, arrived.count * sizeof(struct summand__cell));
    return true;
}
