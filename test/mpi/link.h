/* SPDX-License-Identifier: BSD-3-Clause */
/* Shorthands for messages of a link: the transports' tests post them without a schedule. */
#pragma once

#include "transport/route.h"

/* Opens a route for all ranks, with seals if the environment says so. */
static inline bool link_open(struct summand__route *route, const struct summand__state *state,
                             MPI_Datatype datatype, int tag, size_t most)
{
    const struct summand__link_spec spec = {
        .state = state, .datatype = datatype, .tag = tag, .most = most, .checked = state->checked};
    return summand__route_open(route, &spec);
}

static inline int link_send(struct summand__link *link, unsigned group, unsigned flags, int peer,
                            const void *data, size_t count)
{
    struct summand__message message = {.data = (void *)data,
                                       .count = count,
                                       .peer = peer,
                                       .group = (uint8_t)group,
                                       .flags = (uint8_t)flags};
    return link->transport->send(link, &message);
}

static inline int link_recv(struct summand__link *link, unsigned group, unsigned flags, int peer,
                            void *data, size_t count, const struct summand__arrival *combine)
{
    struct summand__message message = {.data = data,
                                       .count = count,
                                       .peer = peer,
                                       .group = (uint8_t)group,
                                       .flags = (uint8_t)flags,
                                       .combine = combine};
    return link->transport->recv(link, &message);
}

static inline bool link_take(struct summand__link *link, unsigned group, int peer, void *data,
                             size_t count, const struct summand__arrival *combine, bool soon)
{
    struct summand__message message = {
        .data = data, .count = count, .peer = peer, .group = (uint8_t)group, .combine = combine};
    return link->transport->take && link->transport->take(link, &message, soon);
}

static inline int link_complete(struct summand__link *link, unsigned group, bool block, bool *done)
{
    return link->transport->complete(link, group, block, done);
}
