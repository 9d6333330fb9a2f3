/* SPDX-License-Identifier: BSD-3-Clause */
/* A link with late messages: sends are held back until some later call, and leave in any order that
 * keeps the order per peer. Groups appear complete late. */
#include <stdlib.h>

#include "late/late.h"
#include "transport/over.h"

struct late_link {
    struct summand__over over; /* first */
    struct lateness lateness;
    int broken; /* an error of an earlier late send, for `complete` */
    size_t n_held, room;
    struct summand__message held[]; /* sends, in their order */
};

static struct late_link *late_of(struct summand__link *link)
{
    return (struct late_link *)link;
}

/* Whether an earlier message must go first: to the same peer, or if both are multicasts. */
static bool is_behind(const struct late_link *own, size_t i)
{
    const struct summand__message *message = &own->held[i];
    bool behind = false;
    for (size_t j = 0; j < i && !behind; j++) {
        unsigned both = message->flags & own->held[j].flags,
                 one = message->flags ^ own->held[j].flags;
        behind = both & SUMMAND__MULTICAST ||
                 (!(one & SUMMAND__MULTICAST) && own->held[j].peer == message->peer);
    }
    return behind;
}

static int release(struct late_link *own, size_t i)
{
    struct summand__message message = own->held[i];
    own->n_held--;
    for (size_t j = i; j < own->n_held; j++)
        own->held[j] = own->held[j + 1];
    late_pause(&own->lateness);
    return own->over.lower->transport->send(own->over.lower, &message);
}

/* Some of the held messages, all of them, or all of a group; each after its predecessors. */
enum which { SOME, OF_GROUP, ALL };

static int release_some(struct late_link *own, enum which which, unsigned group)
{
    int code = MPI_SUCCESS;
    bool any = which != SOME;
    do {
        size_t i = 0;
        while (i < own->n_held && (is_behind(own, i) || late_below(&own->lateness, 3)))
            i++;
        if (i < own->n_held)
            code = release(own, i);
        any = which == ALL && own->n_held;
        for (size_t j = 0; which == OF_GROUP && j < own->n_held && !any; j++)
            any = own->held[j].group == group;
    } while (any && code == MPI_SUCCESS);
    return code;
}

static int late_send(struct summand__link *link, const struct summand__message *message)
{
    struct late_link *own = late_of(link);
    int code = own->n_held == own->room ? release_some(own, ALL, 0) : MPI_SUCCESS;
    own->held[own->n_held++] = *message;
    return code;
}

/* Sometimes an available message appears missing. */
static bool late_take(struct summand__link *link, const struct summand__message *message, bool soon)
{
    struct late_link *own = late_of(link);
    const struct summand__transport *lower = own->over.lower->transport;
    return own->broken == MPI_SUCCESS && !own->n_held && lower->take &&
           late_below(&own->lateness, 2) && lower->take(own->over.lower, message, soon);
}

/* A blocking call first sends everything, because others may wait for it. */
static int late_complete(struct summand__link *link, unsigned group, bool block, bool *done)
{
    struct late_link *own = late_of(link);
    bool sending;
    *done = false;
    if (own->broken != MPI_SUCCESS)
        return own->broken;
    if (!block && !late_below(&own->lateness, 3)) {
        int code = release_some(own, SOME, 0);
        own->over.lower->transport->progress(own->over.lower, &sending);
        return code;
    }
    int code = release_some(own, block ? ALL : OF_GROUP, group);
    if (code == MPI_SUCCESS)
        code = summand__over_complete(link, group, block, done);
    return code;
}

static bool late_progress(struct summand__link *link, bool *sending)
{
    struct late_link *own = late_of(link);
    if (own->broken == MPI_SUCCESS)
        own->broken = release_some(own, SOME, 0);
    bool moved = summand__over_progress(link, sending);
    *sending = *sending || own->n_held;
    return moved;
}

static bool late_close(struct summand__link *link)
{
    struct late_link *own = late_of(link);
    bool ended = summand__transport_of(own->over.lower)->close(own->over.lower);
    free(own);
    return ended;
}

static struct summand__link *late_open(const struct summand__link_spec *spec)
{
    size_t room = spec->most + 1;
    struct late_link *own = calloc(1, sizeof *own + room * sizeof *own->held);
    struct summand__link *lower = own ? summand__transport_below(spec->state)->open(spec) : NULL;
    if (!lower) {
        free(own);
        return NULL;
    }
    own->over.link = *lower;
    own->over.link.transport = &late_transport.transport;
    own->over.lower = lower;
    own->lateness = lateness_of(spec->state->rank);
    own->room = room;
    return &own->over.link;
}

const struct summand__transport_entry late_transport = {
    .transport = {.name = "late",
                  .send = late_send,
                  .recv = summand__over_recv,
                  .take = late_take,
                  .combines = summand__over_combines,
                  .complete = late_complete,
                  .progress = late_progress,
                  .awaited = summand__over_awaited},
    .available = summand__over_available,
    .abilities = summand__over_abilities,
    .open = late_open,
    .close = late_close,
    .set_datatype = summand__over_set_datatype,
    .set_tag = summand__over_set_tag,
    .set_watch = summand__over_set_watch,
    .abort = summand__over_abort};
