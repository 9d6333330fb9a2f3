/* SPDX-License-Identifier: BSD-3-Clause */
/* A link with late messages: sends are held back until some later call, and leave in any order that
 * keeps the order per peer. Groups appear complete late. */
#include <stdlib.h>

#include "late/late.h"
#include "transport/table.h"

struct late_link {
    struct summand__link link; /* first */
    struct summand__link *lower;
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
    return own->lower->transport->send(own->lower, &message);
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

static int late_recv(struct summand__link *link, const struct summand__message *message)
{
    struct late_link *own = late_of(link);
    return own->lower->transport->recv(own->lower, message);
}

/* Sometimes an available message appears missing. */
static bool late_take(struct summand__link *link, const struct summand__message *message, bool soon)
{
    struct late_link *own = late_of(link);
    const struct summand__transport *lower = own->lower->transport;
    return own->broken == MPI_SUCCESS && !own->n_held && lower->take &&
           late_below(&own->lateness, 2) && lower->take(own->lower, message, soon);
}

static bool late_combines(const struct summand__link *link, int peer)
{
    const struct late_link *own = (const struct late_link *)link;
    return own->lower->transport->combines(own->lower, peer);
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
        own->lower->transport->progress(own->lower, &sending);
        return code;
    }
    int code = release_some(own, block ? ALL : OF_GROUP, group);
    if (code == MPI_SUCCESS)
        code = own->lower->transport->complete(own->lower, group, block, done);
    link->moves = own->lower->moves;
    return code;
}

static bool late_progress(struct summand__link *link, bool *sending)
{
    struct late_link *own = late_of(link);
    if (own->broken == MPI_SUCCESS)
        own->broken = release_some(own, SOME, 0);
    bool moved = own->lower->transport->progress(own->lower, sending);
    link->moves = own->lower->moves;
    *sending = *sending || own->n_held;
    return moved;
}

static void late_awaited(const struct summand__link *link, void (*each)(void *, int), void *context)
{
    const struct late_link *own = (const struct late_link *)link;
    own->lower->transport->awaited(own->lower, each, context);
}

static bool late_available(const struct summand__state *state)
{
    return summand__transport_below(state) != NULL;
}

static unsigned late_abilities(const struct summand__state *state)
{
    return summand__transport_below(state)->abilities(state);
}

static void late_set_datatype(struct summand__link *link, MPI_Datatype datatype)
{
    struct late_link *own = late_of(link);
    summand__transport_of(own->lower)->set_datatype(own->lower, datatype);
}

static void late_set_tag(struct summand__link *link, int tag)
{
    summand__link_set_tag(late_of(link)->lower, tag);
}

static void late_set_watch(struct summand__link *link, struct summand__watch *watch)
{
    struct late_link *own = late_of(link);
    link->wait.watch = watch;
    summand__transport_of(own->lower)->set_watch(own->lower, watch);
}

static void late_abort(struct summand__state *state, int tag)
{
    summand__transport_below(state)->abort(state, tag);
}

static bool late_close(struct summand__link *link)
{
    struct late_link *own = late_of(link);
    bool ended = summand__transport_of(own->lower)->close(own->lower);
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
    own->link = *lower;
    own->link.transport = &late_transport.transport;
    own->lower = lower;
    own->lateness = lateness_of(spec->state->rank);
    own->room = room;
    return &own->link;
}

const struct summand__transport_entry late_transport = {.transport = {.name = "late",
                                                                      .send = late_send,
                                                                      .recv = late_recv,
                                                                      .take = late_take,
                                                                      .combines = late_combines,
                                                                      .complete = late_complete,
                                                                      .progress = late_progress,
                                                                      .awaited = late_awaited},
                                                        .available = late_available,
                                                        .abilities = late_abilities,
                                                        .open = late_open,
                                                        .close = late_close,
                                                        .set_datatype = late_set_datatype,
                                                        .set_tag = late_set_tag,
                                                        .set_watch = late_set_watch,
                                                        .abort = late_abort};
