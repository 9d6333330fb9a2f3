/* SPDX-License-Identifier: BSD-3-Clause */
#include "transport/over.h"

static struct summand__link *lower_of(const struct summand__link *link)
{
    return ((const struct summand__over *)link)->lower;
}

int summand__over_recv(struct summand__link *link, const struct summand__message *message)
{
    struct summand__link *lower = lower_of(link);
    return lower->transport->recv(lower, message);
}

bool summand__over_combines(const struct summand__link *link, int peer)
{
    const struct summand__link *lower = lower_of(link);
    return lower->transport->combines(lower, peer);
}

int summand__over_complete(struct summand__link *link, unsigned group, bool block, bool *done)
{
    struct summand__link *lower = lower_of(link);
    int code = lower->transport->complete(lower, group, block, done);
    link->moves = lower->moves;
    return code;
}

bool summand__over_progress(struct summand__link *link, bool *sending)
{
    struct summand__link *lower = lower_of(link);
    bool moved = lower->transport->progress(lower, sending);
    link->moves = lower->moves;
    return moved;
}

void summand__over_awaited(const struct summand__link *link, void (*each)(void *, int),
                           void *context)
{
    const struct summand__link *lower = lower_of(link);
    lower->transport->awaited(lower, each, context);
}

void summand__over_set_datatype(struct summand__link *link, MPI_Datatype datatype)
{
    struct summand__link *lower = lower_of(link);
    summand__transport_of(lower)->set_datatype(lower, datatype);
}

void summand__over_set_tag(struct summand__link *link, int tag)
{
    summand__link_set_tag(lower_of(link), tag);
}

void summand__over_set_watch(struct summand__link *link, struct summand__watch *watch)
{
    struct summand__link *lower = lower_of(link);
    link->wait.watch = watch;
    summand__transport_of(lower)->set_watch(lower, watch);
}

bool summand__over_available(const struct summand__state *state)
{
    return summand__transport_below(state) != NULL;
}

unsigned summand__over_abilities(const struct summand__state *state)
{
    return summand__transport_below(state)->abilities(state);
}

void summand__over_abort(struct summand__state *state, int tag)
{
    summand__transport_below(state)->abort(state, tag);
}
