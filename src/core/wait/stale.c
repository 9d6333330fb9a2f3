/* SPDX-License-Identifier: BSD-3-Clause */
#include "wait/stale.h"

#include <stdlib.h>
#include <string.h>

#include "wait/channel.h"

/* Longer messages are matched but not received: their sender may have aborted as well and freed its
 * memory. Once matched, they meet no other receive. */
enum { RECEIVED = 1024 };

bool summand__stale_take(MPI_Comm comm, int source, int tag)
{
    int there = 0;
#ifndef SMPI_H /* SimGrid has no MPI_Improbe */
    MPI_Message message;
    MPI_Status status;
    char bytes[RECEIVED];
    int count = 0;
    if (PMPI_Improbe(source, tag, comm, &there, &message, &status) != MPI_SUCCESS)
        return false;
    if (there && PMPI_Get_count(&status, MPI_BYTE, &count) == MPI_SUCCESS && count >= 0 &&
        count <= RECEIVED)
        PMPI_Mrecv(bytes, RECEIVED, MPI_BYTE, &message, MPI_STATUS_IGNORE);
#else
    (void)comm, (void)source, (void)tag;
#endif
    return there;
}

static void drop(const struct summand__channel *channel, int number)
{
    MPI_Comm comm = channel->comm;
    while (summand__stale_take(comm, MPI_ANY_SOURCE, summand__channel_tag(channel, number)))
        continue;
}

static bool make_room(struct summand__stale *stale)
{
    if (!stale->list) {
        stale->list = stale->few;
        stale->room = sizeof stale->few / sizeof *stale->few;
    }
    if (stale->count < stale->room)
        return true;
    bool few = stale->list == stale->few;
    struct summand__stale_tag *more =
        realloc(few ? NULL : stale->list, 2 * stale->room * sizeof *more);
    if (!more)
        return false;
    if (few)
        memcpy(more, stale->few, sizeof stale->few);
    stale->list = more;
    stale->room *= 2;
    return true;
}

void summand__stale_add(struct summand__channel *channel, int tag)
{
    struct summand__stale *stale = &channel->stale;
    uint64_t due = tag < SUMMAND__CALL_TAGS ? channel->tags->calls + SUMMAND__CALL_TAGS / 2 : 0;
    if (!make_room(stale)) {
        drop(channel, tag); /* messages that have arrived so far */
        return;
    }
    stale->list[stale->count++] = (struct summand__stale_tag){tag, due};
    if (due && !stale->due)
        stale->due = due;
}

void summand__stale_drop_calls(struct summand__channel *channel)
{
    struct summand__stale *stale = &channel->stale;
    size_t kept = 0;
    stale->due = 0;
    for (size_t i = 0; i < stale->count; i++) {
        struct summand__stale_tag entry = stale->list[i];
        if (entry.due && entry.due <= channel->tags->calls) {
            drop(channel, entry.tag);
            continue;
        }
        if (entry.due && (!stale->due || entry.due < stale->due))
            stale->due = entry.due;
        stale->list[kept++] = entry;
    }
    stale->count = kept;
}

/* The tag of a living plan is not given to another one. */
void summand__stale_drop_plans(struct summand__channel *channel)
{
    struct summand__stale *stale = &channel->stale;
    size_t kept = 0;
    for (size_t i = 0; i < stale->count; i++) {
        struct summand__stale_tag entry = stale->list[i];
        if (entry.due || summand__tags_lives(channel->tags, entry.tag))
            stale->list[kept++] = entry;
        else
            drop(channel, entry.tag);
    }
    stale->count = kept;
}

void summand__stale_free(struct summand__stale *stale)
{
    if (stale->list != stale->few)
        free(stale->list);
    stale->list = NULL;
    stale->count = stale->room = 0;
}
