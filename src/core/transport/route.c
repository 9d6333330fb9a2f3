/* SPDX-License-Identifier: BSD-3-Clause */
#include "transport/route.h"

#include <summand/error.h>

#include "op/predefined.h"
#include "transport/injected.h"

bool summand__route_open_over(struct summand__route *route,
                              const struct summand__transport_entry *transport,
                              const struct summand__link_spec *spec)
{
    *route = (struct summand__route){.link = transport->open(spec), .named = MPI_DATATYPE_NULL};
    return route->link != NULL;
}

bool summand__route_open(struct summand__route *route, const struct summand__link_spec *spec)
{
    summand__inject_as_set();
    return summand__route_open_over(
        route, spec->checked ? &summand__sealed_transport : summand__transport_for(spec->state),
        spec);
}

void summand__route_carry_other(struct summand__route *route, MPI_Datatype datatype)
{
    summand__transport_of(route->link)->set_datatype(route->link, datatype);
    route->named = summand__datatype_predefined(datatype) ? datatype : MPI_DATATYPE_NULL;
}

static void awaited(const void *of, summand__each_rank *each, void *context)
{
    const struct summand__link *link = of;
    link->transport->awaited(link, each, context);
}

void summand__route_watch(struct summand__route *route, struct summand__watch *watch)
{
    watch->awaited = awaited;
    watch->of = route->link;
    summand__transport_of(route->link)->set_watch(route->link, watch);
}

uint64_t summand__route_cause(struct summand__state *state, uint64_t number, int code)
{
    const struct summand__segment *segment = state->segment;
    uint64_t cause = 0;
    if (code != MPI_SUCCESS && summand_error_of(code) != SUMMAND_ERR_REMOTE)
        cause = summand__cause(state->rank, code);
    if (!cause)
        cause = summand__notices_cause(&state->channel, number);
    for (int r = 0; segment && segment->pages && r < segment->ranks && !cause; r++)
        cause = summand__causes_find(&summand__segment_aborted(segment, r)->causes, &state->channel,
                                     number);
    /* Words so far may be of a plan of another communicator, which failed during this call. */
    if (summand_error_of(code) == SUMMAND_ERR_REMOTE && cause)
        summand__cause_explain(cause);
    if (state->tags.aborted)
        summand__causes_keep(&state->tags.aborted->causes, &state->channel, number, cause);
    return cause;
}

static void abort_operation(struct summand__state *state, int tag)
{
    state->spoiled = true;
    summand__tags_abort(&state->tags, tag);
    summand__transport_for(state)->abort(state, tag);
}

void summand__route_abort(struct summand__state *state, int tag, int code)
{
    const uint64_t cause = summand__route_cause(state, state->channel.calls, code);
    abort_operation(state, tag);
    summand__notices_send(&state->channel, state->channel.calls, false, false, cause);
}

void summand__route_abort_plan(struct summand__state *state, int tag, uint64_t number,
                               bool notified, int code)
{
    const uint64_t cause = summand__route_cause(state, number, code);
    abort_operation(state, tag);
    if (!notified)
        summand__notices_send(&state->channel, number, tag >= SUMMAND__CALL_TAGS, false, cause);
}

bool summand__route_close(struct summand__route *route)
{
    bool ended = !route->link || summand__transport_of(route->link)->close(route->link);
    route->link = NULL;
    return ended;
}
