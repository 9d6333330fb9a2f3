/* SPDX-License-Identifier: BSD-3-Clause */
#include "gossip/mpi/guard.h"

#include "kernel/seal.h"

#include <stdlib.h>

enum { LANES = 8 };

/* As summand__seal, in more lanes, whose multiplications overlap better. Starts with the lanes of
 * the words before. */
static void seal_on(uint64_t *lane, const uint64_t *words, size_t count)
{
    size_t k = 0;
    for (; k + LANES <= count; k += LANES)
        for (int l = 0; l < LANES; l++)
            lane[l] = summand__seal_step(lane[l], words[k + (size_t)l]);
    for (int l = 0; k < count; k++, l++)
        lane[l] = summand__seal_step(lane[l], words[k]);
}

static uint64_t seal_of_lanes(const uint64_t *lane)
{
    uint64_t h = LANES;
    for (int l = 0; l < LANES; l++)
        h = summand__seal_step(h, lane[l]);
    return h;
}

static uint64_t seal_of_list(const struct summand__guard_list *list)
{
    return summand__seal(1, list, offsetof(struct summand__guard_list, seal) / 8);
}

static uint64_t seal_of_parts(const struct summand__guard_list *list)
{
    uint64_t lane[LANES] = {0, 1, 2, 3, 4, 5, 6, 7};
    for (size_t k = 0; k < list->count; k++)
        seal_on(lane, list->part[k].at, list->part[k].words);
    return seal_of_lanes(lane);
}

static uint64_t seal_of_copy(const struct summand__guard_list *list)
{
    const uint64_t *at = list->copy;
    uint64_t lane[LANES] = {0, 1, 2, 3, 4, 5, 6, 7};
    for (size_t k = 0; k < list->count; k++) {
        seal_on(lane, at, list->part[k].words);
        at += list->part[k].words;
    }
    return seal_of_lanes(lane);
}

static bool make_room(struct summand__guard_list *list, size_t words)
{
    if (words <= list->room)
        return true;
    uint64_t *grown = realloc(list->copy, 2 * words * sizeof *grown);
    if (!grown)
        return false;
    list->copy = grown;
    list->room = 2 * words;
    return true;
}

bool summand__guard_close(struct summand__guard *guard, const struct summand__guarded *parts,
                          int count)
{
    struct summand__guard_list *list = &guard->list[0];
    size_t words = 0;
    for (int k = 0; k < count; k++)
        words += parts[k].words;
    if (!make_room(list, words))
        return false;
    uint64_t *to = list->copy;
    for (int k = 0; k < count; k++) {
        list->part[k] = parts[k];
        if (parts[k].words) /* else the address may be invalid */
            memcpy(to, parts[k].at, parts[k].words * sizeof *to);
        to += parts[k].words;
    }
    list->count = (uint64_t)count;
    list->content = seal_of_parts(list);
    list->seal = seal_of_list(list);
    guard->list[1] = *list;
    return true;
}

/* Makes the two lists the same again. */
static enum summand__guard_state mend_list(struct summand__guard *guard)
{
    bool same = !memcmp(&guard->list[0], &guard->list[1], sizeof guard->list[0]);
    if (same && (!guard->list[0].copy || guard->list[0].seal == seal_of_list(&guard->list[0])))
        return SUMMAND__GUARD_SAME; /* or nothing is guarded yet */
    for (int k = 0; k < 2; k++)
        if (guard->list[k].seal == seal_of_list(&guard->list[k])) {
            guard->list[1 - k] = guard->list[k];
            return SUMMAND__GUARD_MENDED;
        }
    return SUMMAND__GUARD_LOST;
}

enum summand__guard_state summand__guard_open(struct summand__guard *guard)
{
    enum summand__guard_state state = mend_list(guard);
    const struct summand__guard_list *list = &guard->list[0];
    if (state == SUMMAND__GUARD_LOST || seal_of_parts(list) == list->content)
        return state;
    if (seal_of_copy(list) != list->content)
        return SUMMAND__GUARD_LOST;
    const uint64_t *from = list->copy;
    for (size_t k = 0; k < list->count; k++) {
        if (list->part[k].words)
            memcpy(list->part[k].at, from, list->part[k].words * sizeof *from);
        from += list->part[k].words;
    }
    return SUMMAND__GUARD_MENDED;
}

void summand__guard_free(struct summand__guard *guard)
{
    free(guard->list[0].copy);
    memset(guard, 0, sizeof *guard);
}
