/* SPDX-License-Identifier: BSD-3-Clause */
/* Combines two transports: shared memory to the ranks of this node, MPI messages to the others. */
#include <stdlib.h>

#include "transport/table.h"

static const struct summand__transport_entry *const shm = &summand__shm_transport,
                                                    *const p2p = &summand__p2p_transport;

struct mixed {
    struct summand__link link; /* first */
    struct summand__link *intra, *inter;
    const struct summand__segment *segment;
    const int *rank_of;
};

static struct mixed *of(struct summand__link *link)
{
    return (struct mixed *)link;
}

static bool is_intra(const struct mixed *mixed, int peer)
{
    const int *rank_of = mixed->rank_of;
    return summand__segment_rank(mixed->segment, rank_of ? rank_of[peer] : peer) >= 0;
}

static struct summand__link *next_transport(struct mixed *mixed, int peer)
{
    return is_intra(mixed, peer) ? mixed->intra : mixed->inter;
}

static int mixed_send(struct summand__link *link, const struct summand__message *message)
{
    struct summand__link *next = next_transport(of(link), message->peer);
    return next->transport->send(next, message);
}

static int mixed_recv(struct summand__link *link, const struct summand__message *message)
{
    struct summand__link *next = next_transport(of(link), message->peer);
    return next->transport->recv(next, message);
}

static bool mixed_combines(const struct summand__link *link, int peer)
{
    return is_intra((const struct mixed *)link, peer);
}

static bool mixed_progress(struct summand__link *link, bool *sending)
{
    struct summand__link *intra = of(link)->intra, *inter = of(link)->inter;
    bool inter_sends;
    bool moved = inter->transport->progress(inter, &inter_sends);
    moved = intra->transport->progress(intra, sending) || moved;
    *sending = *sending || inter_sends;
    link->moves = intra->moves + inter->moves;
    return moved;
}

/* Waits for both transports. While both wait, each is polled without blocking, and failed polls of
 * shared memory yield. Once one is complete and has nothing in flight, the other blocks. Messages
 * of other groups still progress, because the awaited rank may wait for them. */
static int mixed_complete(struct summand__link *link, unsigned group, bool block, bool *done)
{
    struct mixed *mixed = of(link);
    struct summand__link *intra = mixed->intra, *inter = mixed->inter;
    bool intra_done = false, inter_done = false;
    int code = MPI_SUCCESS;
    do {
        code = intra->transport->complete(intra, group, block && inter_done, &intra_done);
        bool behind = false, moved = false;
        if (intra_done && !inter_done)
            moved = intra->transport->progress(intra, &behind);
        unsigned before = inter->moves;
        if (code == MPI_SUCCESS && !inter_done)
            code = inter->transport->complete(inter, group, block && intra_done && !behind,
                                              &inter_done);
        if (inter->moves != before)
            summand__backoff_reset(&intra->wait.backoff);
        *done = intra_done && inter_done;
        if (block && behind && !moved && !*done)
            summand__backoff_turn(&link->wait.backoff);
        else
            summand__backoff_reset(&link->wait.backoff);
        link->moves = intra->moves + inter->moves;
        if (block && code == MPI_SUCCESS && !*done)
            code = summand__wait_look(intra_done ? &link->wait : &intra->wait);
    } while (block && !*done && code == MPI_SUCCESS);
    return code;
}

static void mixed_awaited(const struct summand__link *link, void (*each)(void *, int),
                          void *context)
{
    const struct mixed *mixed = (const struct mixed *)link;
    mixed->intra->transport->awaited(mixed->intra, each, context);
    mixed->inter->transport->awaited(mixed->inter, each, context);
}

static bool mixed_available(const struct summand__state *state)
{
    return state->segment && state->segment->lines;
}

static unsigned mixed_abilities(const struct summand__state *state)
{
    return (shm->abilities(state) & (SUMMAND__COMBINES | SUMMAND__RENDEZVOUS_READ)) |
           (p2p->abilities(state) & SUMMAND__LITTERS) |
           (shm->abilities(state) & p2p->abilities(state));
}

static void mixed_set_datatype(struct summand__link *link, MPI_Datatype datatype)
{
    shm->set_datatype(of(link)->intra, datatype);
    p2p->set_datatype(of(link)->inter, datatype);
}

static void mixed_set_tag(struct summand__link *link, int tag)
{
    summand__link_set_tag(of(link)->intra, tag);
    summand__link_set_tag(of(link)->inter, tag);
}

static void mixed_set_watch(struct summand__link *link, struct summand__watch *watch)
{
    link->wait.watch = watch;
    shm->set_watch(of(link)->intra, watch);
    p2p->set_watch(of(link)->inter, watch);
}

static void mixed_abort(struct summand__state *state, int tag)
{
    p2p->abort(state, tag);
    shm->abort(state, tag);
}

static bool mixed_close(struct summand__link *link)
{
    struct mixed *mixed = of(link);
    bool ended = !mixed->inter || p2p->close(mixed->inter);
    if (mixed->intra)
        ended = shm->close(mixed->intra) && ended;
    free(mixed);
    return ended;
}

static struct summand__link *mixed_open(const struct summand__link_spec *spec)
{
    const struct summand__state *state = spec->state;
    struct mixed *mixed = calloc(1, sizeof *mixed);
    if (!mixed)
        return NULL;
    *mixed = (struct mixed){.link = {.transport = &summand__mixed_transport.transport,
                                     .abilities = mixed_abilities(state),
                                     .tag = spec->tag,
                                     .wait.backoff = {.oversubscribed = state->segment->members >
                                                                        state->segment->processors,
                                                      .awake = true}},
                            .intra = shm->open(spec),
                            .inter = p2p->open(spec),
                            .segment = state->segment,
                            .rank_of = spec->rank_of};
    if (mixed->intra && mixed->inter)
        return &mixed->link;
    mixed_close(&mixed->link);
    return NULL;
}

const struct summand__transport_entry summand__mixed_transport = {
    .transport = {.name = "shm and p2p",
                  .send = mixed_send,
                  .recv = mixed_recv,
                  .combines = mixed_combines,
                  .complete = mixed_complete,
                  .progress = mixed_progress,
                  .awaited = mixed_awaited},
    .available = mixed_available,
    .abilities = mixed_abilities,
    .open = mixed_open,
    .close = mixed_close,
    .set_datatype = mixed_set_datatype,
    .set_tag = mixed_set_tag,
    .set_watch = mixed_set_watch,
    .abort = mixed_abort};
