#include "transport/mixed.h"

#include "comm/wait/watch.h"

static struct summand__mixed *of(struct summand__link *link)
{
    return (struct summand__mixed *)link;
}

static bool is_near(const struct summand__mixed *mixed, int peer)
{
    const int *rank_of = mixed->shm->rank_of;
    return summand__segment_rank(mixed->shm->segment, rank_of ? rank_of[peer] : peer) >= 0;
}

static struct summand__link *next_transport(struct summand__mixed *mixed, int peer)
{
    return is_near(mixed, peer) ? &mixed->shm->link : &mixed->p2p->link;
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
    return is_near((const struct summand__mixed *)link, peer);
}

/* Late messages of other groups, which the MPI would leave lying while it waits: whoever is waited
 * for may wait for them. */
static bool has_sends(const struct summand__shm *shm)
{
    return shm->first_send < shm->n_sends;
}

/* Since when nothing has moved: as the one knows that has just waited a turn. */
static int keep_watch(struct summand__mixed *mixed, bool near_done)
{
    uint64_t since = near_done ? mixed->backoff.yielded : mixed->shm->backoff.yielded;
    if (!since || !mixed->link.watch)
        return 0;
    return summand__watch_look(mixed->link.watch, since, true);
}

/* While both wait, each must let the other move on, and looking in vain yields; where one is
 * through and has nothing under way, the other knows best how to wait. */
static int mixed_complete(struct summand__link *link, unsigned group, bool block, bool *done)
{
    struct summand__mixed *mixed = of(link);
    struct summand__link *near = &mixed->shm->link, *far = &mixed->p2p->link;
    bool near_done = false, far_done = false;
    int code = MPI_SUCCESS;
    do {
        code = near->transport->complete(near, group, block && far_done, &near_done);
        bool behind = near_done && !far_done && has_sends(mixed->shm);
        bool moved = behind && summand__shm_progress(mixed->shm);
        unsigned before = far->moves;
        if (code == MPI_SUCCESS && !far_done)
            code = far->transport->complete(far, group, block && near_done && !behind, &far_done);
        if (far->moves != before)
            summand__wait_anew(&mixed->shm->backoff);
        *done = near_done && far_done;
        if (block && behind && !moved && !*done)
            summand__wait_a_turn(&mixed->backoff);
        else
            summand__wait_anew(&mixed->backoff);
        link->moves = near->moves + far->moves;
        if (block && code == MPI_SUCCESS && !*done)
            code = keep_watch(mixed, near_done);
    } while (block && !*done && code == MPI_SUCCESS);
    return code;
}

static void mixed_awaited(const struct summand__link *link, void (*each)(void *, int),
                          void *context)
{
    const struct summand__mixed *mixed = (const struct summand__mixed *)link;
    mixed->shm->link.transport->awaited(&mixed->shm->link, each, context);
    mixed->p2p->link.transport->awaited(&mixed->p2p->link, each, context);
}

static const struct summand__transport mixed_transport = {.name = "shm and p2p",
                                                          .send = mixed_send,
                                                          .recv = mixed_recv,
                                                          .combines = mixed_combines,
                                                          .complete = mixed_complete,
                                                          .awaited = mixed_awaited};

void summand__mixed_open(struct summand__mixed *mixed, struct summand__p2p *p2p,
                         struct summand__shm *shm)
{
    *mixed = (struct summand__mixed){
        .link = {.transport = &mixed_transport},
        .p2p = p2p,
        .shm = shm,
        .backoff = {.oversubscribed = shm->backoff.oversubscribed, .awake = true}};
}
