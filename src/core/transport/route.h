/* SPDX-License-Identifier: BSD-3-Clause */
/* An operation's messages: a link of the transport that the table has for its communicator, the
 * operation's tag, and what becomes of both when the operation is aborted. */
#ifndef SUMMAND_TRANSPORT_ROUTE_H
#define SUMMAND_TRANSPORT_ROUTE_H

#include "transport/table.h"

struct summand__route {
    struct summand__link *link; /* what the executor sees; NULL: out of memory */
    MPI_Datatype named;         /* that it carries, if predefined: other handles may come back */
};

/* The same on all ranks of the communicator. `rank_of` stays the caller's; `most` is the largest
 * number of messages in flight. False when out of memory; to be closed all the same. */
bool summand__route_open(struct summand__route *route, const struct summand__state *state,
                         MPI_Datatype datatype, int tag, const int *rank_of, size_t most);
/* Over a transport that is available. */
bool summand__route_open_over(struct summand__route *route,
                              const struct summand__transport_entry *transport,
                              const struct summand__link_spec *spec);
/* Elements of another datatype, and another tag, from the next message on. */
void summand__route_carry_other(struct summand__route *route, MPI_Datatype datatype);
static inline void summand__route_carry(struct summand__route *route, MPI_Datatype datatype)
{
    if (datatype != route->named)
        summand__route_carry_other(route, datatype);
}
static inline void summand__route_tag(struct summand__route *route, int tag)
{
    summand__link_set_tag(route->link, tag);
}
static inline int summand__route_tag_of(const struct summand__route *route)
{
    return route->link->tag;
}
/* What is looked at while an operation's messages are waited for; stays the caller's. */
void summand__route_watch(struct summand__route *route, struct summand__watch *watch);
/* This rank will take no more part in the operation with this tag, nor has it perhaps taken any:
 * the call that is under way, or, for `_plan`, the plan that call `number` made. Ranks that wait
 * for it learn of it and abort as well (SUMMAND_ERR_REMOTE): those of the node at once, others by
 * a notice (wait/notice.h), unless these are `notified` of it. Its messages that are still to
 * come are dropped. */
void summand__route_abort(struct summand__state *state, int tag);
void summand__route_abort_plan(struct summand__state *state, int tag, uint64_t number,
                               bool notified);
/* False: see `close` of struct summand__transport_entry. */
bool summand__route_close(struct summand__route *route);

#endif
