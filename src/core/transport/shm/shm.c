/* SPDX-License-Identifier: BSD-3-Clause */
/* The transport between ranks of one node, through shared memory. A short message takes one cell of
 * a queue. A long one goes through the queue in pieces, which the receiver combines in place, or
 * the receiver reads it from the sender's memory (shm_rendezvous.h). */
#include <stdlib.h>
#include <string.h>
#include <summand/error.h>

#include "op/datatype_layout.h"
#include "transport/shm/shm_domain.h"
#include "transport/shm/shm_recv.h"
#include "transport/table.h"
#include "wait/tags.h"

/* After so many failed polls, pieces that cannot be combined yet are copied out of the queue. */
enum { TURNS_IN_QUEUE = 64, OVERSUBSCRIBED_TURNS_IN_QUEUE = 2 };

/* In its first turns, a rank with its own core polls the queue of the awaited receive so many times
 * before it looks at all else. A turn takes some 20 ns, which would delay a short message. */
enum { QUICK_TURNS = 4, QUICK_LOOKS = 64 };

/* A waiting process also progresses the MPI once in so many turns. */
enum { TURNS_PER_LOOK = 16 };

static struct summand__shm *of(struct summand__link *link)
{
    return (struct summand__shm *)link;
}

static struct summand__shm_domain *domain_of(const struct summand__shm *shm)
{
    return shm->segment->user;
}

static int local_rank(const struct summand__shm *shm, int peer)
{
    return summand__segment_rank(shm->segment, shm->rank_of ? shm->rank_of[peer] : peer);
}

static void enlist(struct summand__shm *shm, struct summand__shm_domain *domain)
{
    shm->next = domain->active;
    shm->self = &domain->active;
    if (shm->next)
        shm->next->self = &shm->next;
    domain->active = shm;
}

static void delist(struct summand__shm *shm)
{
    if (!shm->self)
        return;
    *shm->self = shm->next;
    if (shm->next)
        shm->next->self = shm->self;
    shm->self = NULL;
}

static int pack(const struct summand__shm *shm, const unsigned char *data, size_t count,
                struct summand__shm_send *send)
{
    const struct summand__packing packing = summand__shm_packing(shm);
    send->packed = malloc(send->bytes + 1);
    send->data = send->packed;
    if (!send->packed)
        return summand_error_code(SUMMAND_ERR_MEMORY);
    int code = summand__pack(&packing, data, count, send->packed);
    if (code != MPI_SUCCESS) {
        free(send->packed);
        send->packed = NULL;
    }
    return code;
}

static __attribute__((noinline)) int send_later(struct summand__shm *shm,
                                                struct summand__shm_out *out,
                                                const struct summand__message *message)
{
    const unsigned char *data = message->data;
    struct summand__shm_send *send = summand__shm_send_at(shm, shm->n_sends);
    *send = (struct summand__shm_send){.shm = shm,
                                       .rank = (int)(out - domain_of(shm)->out),
                                       .data = data + shm->offset,
                                       .group = message->group,
                                       .bytes = message->count * shm->size};
    if (message->combine)
        send->seen = *message->combine;
    if (!shm->dense) {
        int code = pack(shm, data, message->count, send);
        if (code != MPI_SUCCESS)
            return code;
    }
    shm->n_sends++;
    shm->open[message->group]++;
    *out->last = send;
    out->last = &send->next;
    summand__shm_push(out);
    return MPI_SUCCESS;
}

static int shm_send(struct summand__link *link, const struct summand__message *message)
{
    struct summand__shm *shm = of(link);
    size_t bytes = message->count * shm->size;
    int rank =
        message->flags & SUMMAND__MULTICAST ? shm->segment->ranks : local_rank(shm, message->peer);
    if (rank < 0)
        return MPI_ERR_RANK;
    struct summand__shm_out *out = &domain_of(shm)->out[rank];
    if (bytes > shm->short_most || out->first || out->announced || out->broken || !shm->dense ||
        !summand__queue_has_room(&out->end, bytes))
        return send_later(shm, out, message);
    if (message->combine)
        message->combine->combine(message->combine->context, message->data, NULL, NULL,
                                  message->count);
    summand__queue_fill(&out->end, (const unsigned char *)message->data + shm->offset, bytes);
    summand__queue_publish(&out->end, summand__message_of(bytes, shm->link.tag), bytes);
    return MPI_SUCCESS;
}

static int shm_recv(struct summand__link *link, const struct summand__message *message)
{
    struct summand__shm *shm = of(link);
    struct summand__shm_domain *domain = domain_of(shm);
    struct summand__shm_recv *recv = summand__shm_recv_at(shm, shm->n_recvs);
    recv->rank = local_rank(shm, message->peer);
    if (recv->rank < 0)
        return MPI_ERR_RANK;
    if (message->flags & SUMMAND__MULTICAST)
        recv->rank += shm->segment->ranks;
    recv->data = message->data;
    recv->packed = NULL;
    recv->capacity = message->count * shm->size;
    recv->done = recv->combined = 0;
    recv->group = message->group;
    recv->begun = recv->arrived = recv->over = false;
    recv->nontemporal = message->flags & SUMMAND__NONTEMPORAL;
    recv->combines = message->combine != NULL;
    if (message->combine)
        recv->arrival = *message->combine;
    if (!shm->dense && !(recv->packed = malloc(recv->capacity + 1)))
        return summand_error_code(SUMMAND_ERR_MEMORY);
    shm->n_recvs++;
    shm->open[recv->group]++;
    if (!shm->self)
        enlist(shm, domain);
    if (domain->in[recv->rank].first)
        summand__shm_match(domain, shm, recv);
    return MPI_SUCCESS;
}

/* True if nothing is in flight and no group was polled before it was complete. */
static bool is_idle(const struct summand__shm *shm)
{
    return shm->first_send == shm->n_sends && shm->first_recv == shm->n_recvs && !shm->asked &&
           shm->code == MPI_SUCCESS;
}

/* Takes short messages only: longer ones are still in flight when their receives are posted. The
 * link must have nothing in flight, so no earlier message or send is overtaken. */
static bool shm_take(struct summand__link *link, const struct summand__message *message, bool soon)
{
    struct summand__shm *shm = of(link);
    int rank = local_rank(shm, message->peer);
    if (rank < 0 || !shm->direct || message->count * shm->size > shm->short_most ||
        message->flags || !is_idle(shm))
        return false;
    summand__backoff_reset(&link->wait.backoff);
    return summand__shm_take_now(
        domain_of(shm), shm, message, rank,
        soon && !link->wait.backoff.oversubscribed ? QUICK_TURNS * QUICK_LOOKS : 0);
}

static bool shm_combines(const struct summand__link *link, int peer)
{
    (void)link, (void)peer;
    return true;
}

static bool progress(struct summand__shm *shm)
{
    struct summand__shm_domain *domain = domain_of(shm);
    uint32_t most =
        shm->link.wait.backoff.oversubscribed ? OVERSUBSCRIBED_TURNS_IN_QUEUE : TURNS_IN_QUEUE;
    bool moved = false, may_stay = shm->link.wait.backoff.turns < most;
    int pushed = -1; /* rank whose sends were pushed last, as far as there was room */
    for (size_t i = shm->first_send; i < shm->n_sends; i++) {
        const struct summand__shm_send *send = summand__shm_send_at(shm, i);
        if (send->over || send->rank == pushed)
            continue;
        moved = summand__shm_push(&domain->out[send->rank]) || moved;
        pushed = send->rank;
    }
    for (size_t i = shm->first_recv; i < shm->n_recvs; i++) {
        struct summand__shm_recv *recv = summand__shm_recv_at(shm, i);
        if (recv->over)
            continue;
        moved = summand__shm_pull(domain, shm, recv, may_stay) || moved;
        if (recv->combines && recv->combined < recv->done)
            moved = summand__shm_catch_up(shm, recv) || moved;
    }
    return moved;
}

static void settle(struct summand__shm *shm)
{
    while (shm->first_send < shm->n_sends && summand__shm_send_at(shm, shm->first_send)->over)
        shm->first_send++;
    while (shm->first_recv < shm->n_recvs && summand__shm_recv_at(shm, shm->first_recv)->over)
        shm->first_recv++;
    summand__backoff_reset(&shm->link.wait.backoff);
    if (shm->first_recv == shm->n_recvs)
        delist(shm);
}

static void look_at_mpi(MPI_Comm comm)
{
    int flag;
    PMPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, comm, &flag, MPI_STATUS_IGNORE);
}

/* True if a peer of a message in flight has aborted the operation. */
static bool left_alone(const struct summand__shm *shm)
{
    bool alone = false;
    for (size_t i = shm->first_send; i < shm->n_sends && !alone; i++) {
        const struct summand__shm_send *send = summand__shm_send_at(shm, i);
        alone = !send->over && summand__shm_receiver_left(shm, send);
    }
    for (size_t i = shm->first_recv; i < shm->n_recvs && !alone; i++) {
        const struct summand__shm_recv *recv = summand__shm_recv_at(shm, i);
        alone = !recv->arrived && summand__shm_sender_left(shm, recv);
    }
    return alone;
}

/* Nothing moved: progresses the MPI, then checks for aborted or dead peers. Messages that a peer
 * sent before it aborted or ended have arrived by now. */
static void look_around(struct summand__shm *shm, bool block)
{
    int code = MPI_SUCCESS;
    struct summand__watch *watch = shm->link.wait.watch;
    look_at_mpi(shm->segment->comm);
    if (left_alone(shm)) {
        code = summand_error_code(SUMMAND_ERR_REMOTE);
        if (watch)
            watch->notified = true;
    } else if (block) {
        code = summand__wait_look(&shm->link.wait);
    }
    if (code == MPI_SUCCESS || progress(shm))
        return;
    shm->ended = true;
    if (shm->code == MPI_SUCCESS)
        shm->code = code;
}

/* For a caller that waits for other things and yields by itself. */
static bool shm_progress(struct summand__link *link, bool *sending)
{
    struct summand__shm *shm = of(link);
    bool moved = progress(shm);
    *sending = shm->first_send < shm->n_sends;
    if (moved) {
        shm->link.moves++;
        summand__backoff_reset(&shm->link.wait.backoff);
    } else {
        shm->link.wait.backoff.turns += shm->link.wait.backoff.turns < TURNS_IN_QUEUE;
    }
    return moved;
}

static void look_quickly(const struct summand__shm *shm)
{
    const struct summand__shm_recv *recv = summand__shm_recv_at(shm, shm->first_recv);
    if (shm->link.wait.backoff.oversubscribed || shm->first_send < shm->n_sends ||
        shm->first_recv == shm->n_recvs || recv->over)
        return;
    const struct summand__queue_in *end = &domain_of(shm)->in[recv->rank].end;
    for (int i = 0; i < QUICK_LOOKS && !summand__queue_peek(end);)
        i++;
}

/* Polls once; a failed poll takes a turn. */
static void look(struct summand__shm *shm, unsigned group, unsigned turns, bool block)
{
    struct summand__shm_domain *domain = domain_of(shm);
    domain->starved = false;
    if (progress(shm)) {
        shm->link.moves++;
        summand__backoff_reset(&shm->link.wait.backoff);
    } else if (shm->open[group] && summand__backoff_turn(&shm->link.wait.backoff) &&
               turns % TURNS_PER_LOOK == 0) {
        look_around(shm, block);
    }
    if (domain->starved) {
        shm->code = summand_error_code(SUMMAND_ERR_MEMORY);
        shm->ended = true;
    }
}

/* A call that does not block never sleeps, because the caller has other plans to progress. It
 * yields like one that blocks, because the caller may poll repeatedly. */
static __attribute__((noinline)) int complete(struct summand__shm *shm, unsigned group, bool block,
                                              bool *done)
{
    const size_t *open = &shm->open[group];
    shm->link.wait.backoff.awake = !block;
    shm->asked |= 1u << group;
    if (*open && !block)
        look(shm, group, shm->looks++, false);
    for (unsigned turns = 0; block && *open && !shm->ended; turns++) {
        if (turns < QUICK_TURNS)
            look_quickly(shm);
        look(shm, group, turns, true);
    }
    *done = !*open;
    if (!*done && !shm->ended)
        return MPI_SUCCESS;
    int code = shm->code;
    shm->code = MPI_SUCCESS;
    shm->asked &= ~(1u << group);
    settle(shm);
    return code;
}

/* Short messages are complete when they are sent. */
static int shm_complete(struct summand__link *link, unsigned group, bool block, bool *done)
{
    struct summand__shm *shm = of(link);
    *done = is_idle(shm);
    if (!*done)
        return complete(shm, group, block, done);
    summand__backoff_reset(&link->wait.backoff);
    return MPI_SUCCESS;
}

static void shm_awaited(const struct summand__link *link, void (*each)(void *, int), void *context)
{
    const struct summand__shm *shm = (const struct summand__shm *)link;
    int ranks = shm->segment->ranks;
    for (size_t i = shm->first_send; i < shm->n_sends; i++) {
        const struct summand__shm_send *send = summand__shm_send_at(shm, i);
        for (int r = 0; r < ranks && !send->over; r++)
            if (send->rank == r || (send->rank == ranks && r != shm->segment->rank))
                each(context, summand__segment_global(shm->segment, r));
    }
    for (size_t i = shm->first_recv; i < shm->n_recvs; i++) {
        const struct summand__shm_recv *recv = summand__shm_recv_at(shm, i);
        if (!recv->arrived)
            each(context, summand__segment_global(shm->segment, recv->rank % ranks));
    }
}

static void shm_set_datatype(struct summand__link *link, MPI_Datatype datatype)
{
    struct summand__shm *shm = of(link);
    struct summand__datatype type = {0};
    summand__datatype_read(datatype, &type);
    shm->datatype = datatype;
    shm->unit = (size_t)type.extent;
    shm->size = (size_t)type.size;
    shm->dense = type.dense;
    shm->offset = shm->dense ? (size_t)type.true_lb : 0;
    shm->direct = shm->dense && shm->size && shm->size <= SUMMAND__SLOT;
    shm->piece = SUMMAND__SLOT;
    if (shm->direct)
        shm->piece = SUMMAND__SLOT / shm->size * shm->size;
    shm->short_most = shm->piece;
    if (shm->read_from <= shm->short_most)
        shm->short_most = shm->read_from - 1;
}

static void shm_abort(struct summand__state *state, int tag)
{
    if (state->segment && state->segment->user)
        summand__shm_forget(state->segment->user, tag);
}

static bool shm_available(const struct summand__state *state)
{
    return state->segment && state->segment->lines && state->segment->whole;
}

/* With one other rank a multicast gains nothing. All ranks of the node read a broadcast queue. */
static unsigned shm_abilities(const struct summand__state *state)
{
    const struct summand__segment *segment = state->segment;
    bool multicasts = segment->whole && segment->members == segment->ranks &&
                      summand__has_broadcasts(segment->ranks);
    return SUMMAND__COMBINES | SUMMAND__YIELDS | (multicasts ? SUMMAND__MULTICASTS : 0) |
           (segment->read_from < SIZE_MAX ? SUMMAND__RENDEZVOUS_READ : 0);
}

static bool shm_close(struct summand__link *link)
{
    struct summand__shm *shm = of(link);
    struct summand__shm_domain *domain = domain_of(shm);
    for (size_t i = shm->first_send; domain && i < shm->n_sends; i++) {
        struct summand__shm_send *send = summand__shm_send_at(shm, i);
        if (!send->over)
            summand__shm_abandon_send(&domain->out[send->rank], send);
    }
    for (size_t i = shm->first_recv; domain && i < shm->n_recvs; i++) {
        struct summand__shm_recv *recv = summand__shm_recv_at(shm, i);
        summand__shm_abandon_recv(&domain->in[recv->rank], recv);
        free(recv->packed);
    }
    delist(shm);
    free(shm->sends);
    free(shm->recvs);
    free(shm);
    return true;
}

static struct summand__link *shm_open_link(const struct summand__link_spec *spec)
{
    struct summand__segment *segment = spec->state->segment;
    struct summand__shm *shm =
        malloc(sizeof *shm); /* calloc is slow, and blocking calls open links */
    if (!shm)
        return NULL;
    *shm = (struct summand__shm){
        .link = {.transport = &summand__shm_transport.transport,
                 .abilities = shm_abilities(spec->state),
                 .tag = spec->tag,
                 .wait.backoff.oversubscribed = segment->members > segment->processors},
        .segment = segment,
        .rank_of = spec->rank_of,
        .read_from = segment->read_from};
    shm_set_datatype(&shm->link, spec->datatype);
    while (shm->mask < spec->most)
        shm->mask = 2 * shm->mask + 1;
    shm->sends = malloc((shm->mask + 1) * sizeof *shm->sends);
    shm->recvs = malloc((shm->mask + 1) * sizeof *shm->recvs);
    if (shm->sends && shm->recvs && summand__shm_domain_of(segment))
        return &shm->link;
    shm_close(&shm->link);
    return NULL;
}

const struct summand__transport_entry summand__shm_transport = {
    .transport = {.name = "shm",
                  .send = shm_send,
                  .recv = shm_recv,
                  .take = shm_take,
                  .combines = shm_combines,
                  .complete = shm_complete,
                  .progress = shm_progress,
                  .awaited = shm_awaited},
    .available = shm_available,
    .abilities = shm_abilities,
    .open = shm_open_link,
    .close = shm_close,
    .set_datatype = shm_set_datatype,
    .set_watch = summand__link_set_watch,
    .abort = shm_abort};
