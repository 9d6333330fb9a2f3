/* SPDX-License-Identifier: BSD-3-Clause */
#include "gossip/mpi/runner.h"

#include "gossip/mpi/allreduce.h"

#include <stdlib.h>

void summand__gossip_take_tags(struct summand__state *state)
{
    for (int kind = 1; kind < SUMMAND__TAGS; kind++)
        summand__tags_call(&state->tags);
}

/* The tags of the call; the last one was taken last. */
static int tag_of(const struct summand__state *state, int kind)
{
    const struct summand__tags first = {.calls =
                                            state->tags.calls - SUMMAND__TAGS + 1 + (uint64_t)kind};
    return summand__channel_tag(&state->channel, summand__tags_last_call(&first));
}

bool summand__runner_open(struct summand__runner *r, struct summand__state *state,
                          const struct summand__guarded *constant, void *home)
{
    r->state = state;
    r->home[0] = (struct summand__guarded){home, (size_t)((char *)&r->guard - (char *)home) / 8};
    r->home[1] = *constant;
    for (int kind = 0; kind < SUMMAND__TAGS; kind++)
        r->tags[kind] = tag_of(state, kind);
    r->epoch = (int)(state->tags.calls & 0x7fffffff);
    r->receive = r->token = r->exchange_send = MPI_REQUEST_NULL;
    r->store = calloc(1, sizeof *r->store + (size_t)state->ranks * sizeof(struct summand__query));
    struct summand__gossip_message *room = malloc(4 * sizeof *room);
    r->outbox = (struct summand__gossip_outbox){0, room ? 4 : 0, room};
    return r->store && room;
}

static bool all_done(struct summand__runner *r)
{
    int sent = 1;
    if (r->exchange_send != MPI_REQUEST_NULL)
        PMPI_Test(&r->exchange_send, &sent, MPI_STATUS_IGNORE);
    return summand__runner_sent(r) && sent;
}

/* After a failure a message may never be received: its memory must stay. */
void summand__runner_close(struct summand__runner *r)
{
    summand__runner_stop_receiving(r);
    while (r->code == MPI_SUCCESS && !all_done(r))
        summand__runner_idle(r, false);
    summand__runner_farewell(r);
    summand__gossip_outbox_free(&r->outbox);
    summand__gossip_free(r->node);
    r->node = NULL;
    if (r->code == MPI_SUCCESS || all_done(r))
        free(r->store);
    r->store = NULL;
    summand__guard_free(&r->guard);
}
