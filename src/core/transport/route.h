/* SPDX-License-Identifier: BSD-3-Clause */
/* An operation's messages: a link of its communicator's transport, the operation's tag, and how
 * both end if the operation is aborted. */
#pragma once

#include "transport/table.h"

struct summand__route {
    struct summand__link *link; /* for the executor; NULL: out of memory */
    MPI_Datatype named;         /* of the link if predefined: other handles may be reused */
};

/* Opens a link, over the same transport on all ranks: with seals if spec->checked says so. False
 * when out of memory; close it then, too. */
bool summand__route_open(struct summand__route *route, const struct summand__link_spec *spec);
/* The same over a given transport, which must be available. */
bool summand__route_open_over(struct summand__route *route,
                              const struct summand__transport_entry *transport,
                              const struct summand__link_spec *spec);
/* Sets another datatype, or another tag, from the next message on. */
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
/* Sets the watch for waits of this operation; it stays the caller's. */
void summand__route_watch(struct summand__route *route, struct summand__watch *watch);
/* This rank leaves the operation with this tag, or never joins it: the current call, or, for
 * `_plan`, the plan that call `number` made. Ranks that wait for it abort as well
 * (SUMMAND_ERR_REMOTE). Ranks of the node learn of it at once, others by a notice (wait/notice.h),
 * unless they are `notified` otherwise. The operation's later messages are dropped. `code`: of this
 * rank, or MPI_SUCCESS. A known cause of SUMMAND_ERR_REMOTE is put into its words. */
void summand__route_abort(struct summand__state *state, int tag, int code);
void summand__route_abort_plan(struct summand__state *state, int tag, uint64_t number,
                               bool notified, int code);
/* What this rank tells others of a failed call, or of the plan that the call made. */
uint64_t summand__route_cause(struct summand__state *state, uint64_t number, int code);
/* False as `close` of struct summand__transport_entry. */
bool summand__route_close(struct summand__route *route);
