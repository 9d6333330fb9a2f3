/* SPDX-License-Identifier: BSD-3-Clause */
/* Views: accesses of one rank to places of another, in that rank's memory. */
#include <string.h>

#include "lab/verify/clocks_inside.h"

static uint64_t *viewed_by(const struct summand__clocks *clocks, int viewer, int owner)
{
    return &clocks->viewed[(size_t)viewer * (size_t)clocks->ranks + (size_t)owner];
}

/* True if the rank knows that all others' accesses to the owner's places through views are over. */
static bool knows_views(const struct summand__clocks *clocks, int rank, int owner)
{
    for (int viewer = 0; viewer < clocks->ranks; viewer++)
        if (viewer != rank && *viewed_by(clocks, viewer, owner) > clock_of(clocks, rank)[viewer])
            return false;
    return true;
}

/* True if a rank's access to an element of a shared place clashes. Reads through views are not
 * recorded per element: a write must know that all of them are over. */
bool summand__clocks_clash(const struct summand__clocks *clocks, int rank, int owner,
                           const struct summand__shadow *shadow, bool write)
{
    const uint64_t *known = clock_of(clocks, rank);
    bool others = shadow->writer >= 0 && shadow->writer != rank;
    return (others && shadow->wrote > known[shadow->writer]) ||
           (write && rank != owner && shadow->read > known[owner]) ||
           (write && shadow->touched & SUMMAND__VIEW_READS && !knows_views(clocks, rank, owner));
}

/* The access also clashes if the rank does not know that the owner has begun this start. */
size_t summand__clocks_touch_view(struct summand__clocks *clocks, int rank,
                                  struct summand__region what, size_t end, bool write)
{
    const struct summand__place_info *view =
        &clocks->schedules[rank].info[what.place - SUMMAND__PLACES];
    uint64_t over = base_of(clocks, rank) + end + 1;
    uint64_t *last = viewed_by(clocks, rank, view->peer);
    struct summand__region there =
        summand__region((enum summand__place)view->of, what.first, what.count);
    struct summand__shadow *shadow = shadows_of(clocks, view->peer, there);
    if (what.count && clock_of(clocks, rank)[view->peer] <= base_of(clocks, view->peer))
        return what.first;
    for (size_t i = 0; shadow && i < what.count; i++) {
        if (summand__clocks_clash(clocks, rank, view->peer, &shadow[i], write))
            return what.first + i;
        shadow[i].touched |= write ? SUMMAND__VIEW_WRITES : SUMMAND__VIEW_READS;
        if (write) {
            shadow[i].writer = rank;
            shadow[i].wrote = over;
        }
    }
    *last = what.count && over > *last ? over : *last;
    return SIZE_MAX;
}

int summand__clocks_viewed(const struct summand__clocks *clocks, int *viewer)
{
    for (int owner = 0; owner < clocks->ranks; owner++)
        for (*viewer = 0; *viewer < clocks->ranks; ++*viewer)
            if (*viewed_by(clocks, *viewer, owner) > clock_of(clocks, owner)[*viewer])
                return owner;
    return -1;
}

void summand__clocks_forget_views(struct summand__clocks *clocks)
{
    struct summand__shadow *shadow = clocks->shadows;
    for (int r = 0; r < clocks->ranks; r++)
        for (unsigned place = 0; place < SUMMAND__MOST_PLACES; place++) {
            size_t count = watched(&clocks->schedules[r], place);
            for (size_t i = 0; i < count; i++, shadow++)
                if (is_shared(&clocks->schedules[r], place)) {
                    shadow->writer = -1;
                    shadow->wrote = shadow->read = 0;
                }
        }
    memset(clocks->viewed, 0,
           (size_t)clocks->ranks * (size_t)clocks->ranks * sizeof *clocks->viewed);
}
