#include "transport/route.h"

#include <stdlib.h>

#include "transport/shm/shm_domain.h"

/* On its own, as most communicators have no use for it. */
static bool open_far(struct summand__route *route, const struct summand__state *state,
                     MPI_Datatype datatype, int tag, const int *rank_of, size_t most)
{
    route->far = calloc(1, sizeof *route->far);
    if (!route->far)
        return false;
    struct summand__p2p *p2p = &route->far->p2p;
    bool good = summand__p2p_open(p2p, summand__state_channel(state), datatype, tag, rank_of, most);
    p2p->oversubscribed = state->nodes.node_size > state->nodes.processors;
    p2p->peers = state->context.members.member;
    p2p->first_tag = summand__state_tag(state, 0);
    return good;
}

bool summand__route_open(struct summand__route *route, const struct summand__state *state,
                         MPI_Datatype datatype, int tag, const int *rank_of, size_t most)
{
    struct summand__segment *segment = state->segment;
    *route = (struct summand__route){.near = segment && segment->lines};
    bool good = true;
    if (!segment || !segment->whole) {
        good = open_far(route, state, datatype, tag, rank_of, most);
        route->link = route->far ? &route->far->p2p.link : NULL;
    }
    if (route->near) {
        good = summand__shm_open(&route->shm, segment, datatype, tag, rank_of, most) && good;
        route->link = &route->shm.link;
    }
    if (route->far && route->near) {
        summand__mixed_open(&route->far->mixed, &route->far->p2p, &route->shm);
        route->link = &route->far->mixed.link;
    }
    return good;
}

void summand__route_carry(struct summand__route *route, MPI_Datatype datatype)
{
    if (route->far)
        summand__p2p_carry(&route->far->p2p, datatype);
    if (route->near)
        summand__shm_carry(&route->shm, datatype);
}

void summand__route_tag(struct summand__route *route, int tag)
{
    if (route->far)
        route->far->p2p.tag = tag;
    route->shm.tag = tag;
}

int summand__route_tag_of(const struct summand__route *route)
{
    return route->near ? route->shm.tag : route->far->p2p.tag;
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
    route->link->watch = watch;
    if (route->far)
        route->far->p2p.link.watch = watch;
    if (route->near)
        route->shm.link.watch = watch;
}

static void abort_operation(struct summand__state *state, int tag)
{
    state->spoiled = true;
    if (!state->segment || !state->segment->whole)
        summand__stale_add(state, tag);
    summand__tags_abort(&state->tags, tag);
    if (state->segment && state->segment->user)
        summand__shm_forget(state->segment->user, tag);
}

void summand__route_abort(struct summand__state *state, int tag)
{
    abort_operation(state, tag);
    summand__notices_send(state, state->calls, false, false);
}

void summand__route_abort_plan(struct summand__state *state, int tag, uint64_t number, bool heard)
{
    abort_operation(state, tag);
    if (!heard)
        summand__notices_send(state, number, tag >= SUMMAND__CALL_TAGS, false);
}

bool summand__route_close(struct summand__route *route)
{
    bool ended = !route->far || summand__p2p_close(&route->far->p2p);
    free(route->far);
    route->far = NULL;
    if (route->near)
        summand__shm_close(&route->shm);
    return ended;
}
