/* SPDX-License-Identifier: BSD-3-Clause */
#include "transport/shm/shm_domain.h"

#include <stdlib.h>
#include <string.h>
#include <summand/error.h>

#include "kernel/stream.h"
#include "transport/shm/shm_recv.h"
#include "transport/shm/shm_rendezvous.h"
#include "wait/tags.h"

static void drop(void *user)
{
    struct summand__shm_domain *domain = user;
    for (int r = 0; domain->in && r < domain->ins; r++)
        while (domain->in[r].first) {
            struct summand__shm_unexpected *unexpected = domain->in[r].first;
            domain->in[r].first = unexpected->next;
            free(unexpected);
        }
    free(domain->in);
    free(domain->out);
    free(domain->scratch);
    free(domain);
}

/* True if other ranks have read all that this one wrote, and no message has arrived in part. */
static bool is_clean(void *user)
{
    struct summand__shm_domain *domain = user;
    for (int r = 0; r <= domain->ranks; r++) {
        struct summand__shm_out *out = &domain->out[r];
        if (out->announced || out->first || out->broken || summand__queue_behind(&out->end))
            return false;
    }
    for (int r = 0; r < domain->ins; r++)
        if (domain->in[r].under_way || domain->in[r].first)
            return false;
    return true;
}

static struct summand__queue *queue_between(const struct summand__segment *segment, int from,
                                            int to)
{
    return (struct summand__queue *)(void *)summand__segment_head(segment, from, to);
}

static void connect(struct summand__shm_domain *domain, int other)
{
    const struct summand__segment *segment = domain->segment;
    struct summand__shm_out *out = &domain->out[other];
    struct summand__shm_in *in = &domain->in[other];
    out->end.queue = queue_between(segment, segment->rank, other);
    out->end.readers = &out->end.queue->taken;
    out->end.n_readers = 1;
    out->end.asks_ahead = segment->far;
    in->end.queue = queue_between(segment, other, segment->rank);
    in->end.taken = &in->end.queue->taken;
    out->end.slots = summand__segment_slots(segment, segment->rank, other);
    in->end.slots = summand__segment_slots(segment, other, segment->rank);
    summand__queue_out_begin(&out->end, segment->slots);
    summand__queue_in_begin(&in->end, segment->slots);
}

/* Broadcast queues lie after all others; their readers are the other ranks in order. */
static void connect_broadcasts(struct summand__shm_domain *domain)
{
    const struct summand__segment *segment = domain->segment;
    struct summand__queue_out *out = &domain->out[segment->ranks].end;
    for (int r = 0; r < segment->ranks; r++) {
        struct summand__queue *queue = queue_between(segment, segment->ranks, r);
        struct summand__taken *readers = summand__broadcast_readers(queue, segment->slots);
        unsigned char *slots = summand__segment_slots(segment, segment->ranks, r);
        struct summand__queue_in *in = &domain->in[segment->ranks + r].end;
        if (r == segment->rank) {
            *out = (struct summand__queue_out){.queue = queue,
                                               .slots = slots,
                                               .readers = readers,
                                               .n_readers = segment->ranks - 1};
            summand__queue_out_begin(out, segment->slots);
        } else {
            *in =
                (struct summand__queue_in){.queue = queue,
                                           .slots = slots,
                                           .taken = &readers[segment->rank - (segment->rank > r)]};
            summand__queue_in_begin(in, segment->slots);
        }
    }
    domain->out[segment->ranks].refused = true; /* broadcast queues carry pieces only */
}

static struct summand__shm_domain *make(struct summand__segment *segment)
{
    struct summand__shm_domain *domain = calloc(1, sizeof *domain);
    if (!domain)
        return NULL;
    size_t ranks = (size_t)segment->ranks;
    domain->segment = segment;
    domain->ranks = segment->ranks;
    domain->ins = summand__has_broadcasts(segment->ranks) ? 2 * segment->ranks : segment->ranks;
    domain->out = calloc(ranks + 1, sizeof *domain->out);
    domain->in = calloc((size_t)domain->ins, sizeof *domain->in);
    if (segment->processes)
        domain->scratch = aligned_alloc(SUMMAND__LINE, SUMMAND__READ_PIECE);
    if (!domain->out || !domain->in || (segment->processes && !domain->scratch)) {
        drop(domain);
        return NULL;
    }
    for (int r = 0; r <= segment->ranks; r++) {
        domain->out[r].last = &domain->out[r].first;
        domain->out[r].last_announced = &domain->out[r].announced;
    }
    for (int r = 0; r < segment->ranks; r++)
        if (r != segment->rank)
            connect(domain, r);
    if (summand__has_broadcasts(segment->ranks))
        connect_broadcasts(domain);
    return domain;
}

struct summand__shm_domain *summand__shm_domain_of(struct summand__segment *segment)
{
    struct summand__ends *ends = segment->ends;
    struct summand__shm_domain *domain = segment->user;
    if (domain)
        return domain;
    if (!ends->user)
        *ends = (struct summand__ends){make(segment), drop, is_clean};
    segment->user = domain = ends->user;
    if (domain)
        domain->segment = segment;
    return domain;
}

static size_t next_piece(const struct summand__shm_send *send)
{
    const size_t left = send->bytes - send->done;
    return left < send->shm->piece ? left : send->shm->piece;
}

static void push_piece(struct summand__shm_out *out, struct summand__shm_send *send)
{
    const size_t length = next_piece(send);
    summand__shm_show(send, length);
    summand__queue_fill(&out->end, send->data + send->done, length);
    summand__queue_publish(&out->end, summand__message_of(send->bytes, send->shm->link.tag),
                           length);
    send->done += length;
    send->begun = true;
}

static bool is_announced(const struct summand__shm_out *out, const struct summand__shm_send *send)
{
    return send->bytes >= send->shm->read_from && !out->refused;
}

bool summand__shm_push(struct summand__shm_out *out)
{
    bool moved = out->announced && summand__shm_see_reads(out);
    if (out->broken && summand__queue_has_room(&out->end, 0)) {
        summand__queue_publish(&out->end, 0, SUMMAND__BROKEN_OFF);
        out->broken = false;
    }
    while (!out->broken && out->first &&
           summand__queue_has_room(&out->end, next_piece(out->first))) {
        if (is_announced(out, out->first)) {
            summand__shm_announce(out);
        } else {
            if (out->announced)
                break;
            push_piece(out, out->first);
            if (out->first->done == out->first->bytes)
                summand__shm_sent(&out->first, &out->last);
        }
        moved = true;
    }
    return moved;
}

void summand__shm_abandon_send(struct summand__shm_out *out, struct summand__shm_send *send)
{
    if (out->announced)
        summand__shm_see_reads(out);
    if (summand__shm_take_out(&out->announced, &out->last_announced, send))
        summand__shm_withdraw(out, send);
    else if (summand__shm_take_out(&out->first, &out->last, send))
        out->broken = out->broken || send->begun;
    free(send->packed);
    summand__shm_push(out);
}

/* Finds the receive of a message: the first one posted with its tag. */
static bool match_posted(struct summand__shm_domain *domain, struct summand__shm_in *in, int rank,
                         int tag)
{
    for (struct summand__shm *shm = domain->active; shm; shm = shm->next) {
        if (shm->link.tag != tag)
            continue;
        for (size_t i = shm->first_recv; i < shm->n_recvs; i++) {
            struct summand__shm_recv *recv = summand__shm_recv_at(shm, i);
            if (!recv->begun && recv->rank == rank) {
                in->shm = shm;
                in->recv = recv;
                recv->begun = true;
                return true;
            }
        }
    }
    return false;
}

static bool buffer_unexpected(struct summand__shm_domain *domain, struct summand__shm_in *in,
                              int tag)
{
    struct summand__shm_unexpected *unexpected = malloc(sizeof *unexpected + in->bytes),
                                   **last = &in->first;
    domain->starved = !unexpected;
    if (!unexpected)
        return false;
    *unexpected = (struct summand__shm_unexpected){.tag = tag};
    while (*last)
        last = &(*last)->next;
    *last = in->unexpected = unexpected;
    return true;
}

static bool begin(struct summand__shm_domain *domain, struct summand__shm_in *in, int rank,
                  uint64_t message)
{
    int tag = summand__message_tag(message);
    in->bytes = (size_t)summand__message_bytes(message);
    in->done = 0;
    /* a message of an operation that this rank has aborted is discarded */
    in->under_way = match_posted(domain, in, rank, tag) ||
                    summand__tags_left(domain->segment->tags, tag) ||
                    buffer_unexpected(domain, in, tag);
    return in->under_way;
}

static void end(struct summand__shm_in *in)
{
    if (in->recv)
        summand__shm_arrived(in->shm, in->recv);
    in->recv = NULL;
    in->unexpected = NULL;
    in->under_way = false;
}

static bool has_left(const struct summand__shm *shm, int rank)
{
    const struct summand__segment *segment = shm->segment;
    return summand__tags_aborted(segment->tags, summand__segment_aborted(segment, rank),
                                 &summand__segment_presence(segment, rank)->has_aborted,
                                 shm->link.tag);
}

bool summand__shm_sender_left(const struct summand__shm *shm, const struct summand__shm_recv *recv)
{
    return has_left(shm, recv->rank % shm->segment->ranks);
}

bool summand__shm_receiver_left(const struct summand__shm *shm,
                                const struct summand__shm_send *send)
{
    int ranks = shm->segment->ranks;
    if (send->rank < ranks)
        return has_left(shm, send->rank);
    for (int rank = 0; rank < ranks; rank++)
        if (has_left(shm, rank))
            return true;
    return false;
}

static int broken_code(const struct summand__shm *shm, const struct summand__shm_recv *recv)
{
    return summand__shm_sender_left(shm, recv) ? summand_error_code(SUMMAND_ERR_REMOTE)
                                               : MPI_ERR_OTHER;
}

static void break_off(struct summand__shm_in *in)
{
    if (in->recv)
        in->shm->code = broken_code(in->shm, in->recv);
    if (in->unexpected)
        in->unexpected->broken = true;
    end(in);
}

/* False if the piece stays in the queue for now. */
static bool take_piece(struct summand__shm_in *in, const struct summand__cell *cell, bool may_stay)
{
    const unsigned char *from = summand__queue_piece(&in->end, cell);
    if (in->recv && !summand__shm_take(in->shm, in->recv, from, cell->length, may_stay))
        return false;
    if (in->unexpected) {
        summand__copy_bytes(in->unexpected->data + in->unexpected->done, from, cell->length);
        in->unexpected->done += cell->length;
    }
    in->done += cell->length;
    return true;
}

/* False if the message stays in the queue for now. `through`: nothing more of it is to be read.
 * After a refused one, all messages come as pieces too, each from its beginning. */
static bool take_rendezvous(struct summand__shm_domain *domain, struct summand__shm_in *in,
                            int rank, struct summand__cell *cell, bool may_stay, bool *through)
{
    *through = true;
    if (in->end.refused)
        return true;
    if (!in->under_way && !begin(domain, in, rank, cell->message))
        return false;
    enum summand__shm_outcome outcome =
        summand__shm_read(in, domain->segment->processes[rank], domain->scratch, cell, may_stay);
    if (outcome == SUMMAND__SHM_WITHDRAWN)
        break_off(in);
    else if (outcome == SUMMAND__SHM_READ && in->done == in->bytes)
        end(in);
    else
        *through = outcome == SUMMAND__SHM_REFUSED;
    return outcome != SUMMAND__SHM_LATER;
}

/* Takes a whole message in one piece for the link's first receive, as in short calls. A longer one
 * may have the length of a mark that replaces a piece, so the capacity is checked. */
static bool take_whole(const struct summand__shm_in *in, struct summand__shm *shm,
                       struct summand__shm_recv *recv, const struct summand__cell *cell)
{
    return !in->under_way && !recv->begun && recv->capacity <= SUMMAND__SLOT &&
           cell->message == summand__message_of(recv->capacity, shm->link.tag) &&
           cell->length == recv->capacity && recv == summand__shm_recv_at(shm, shm->first_recv) &&
           summand__shm_take_whole(shm, recv, summand__queue_piece(&in->end, cell));
}

/* Called after a short message. If ranks alternate, each waits for the other's next message. If the
 * other only sends, its next message may be there already: prefetches it while this call ends. */
static void look_ahead(struct summand__shm_domain *domain, struct summand__shm_in *in, int rank)
{
    struct summand__queue_out *out = &domain->out[rank].end;
    const struct summand__cell *next;
    if (in->sent != out->next) {
        in->sent = out->next;
        out->answered = true;
    } else if ((next = summand__queue_peek(&in->end)) && next->length <= SUMMAND__SHORT) {
        const unsigned char *piece = summand__queue_piece(&in->end, next);
        for (uint32_t line = 0; line < next->length; line += SUMMAND__LINE)
            __builtin_prefetch(piece + line);
    }
}

bool summand__shm_take_now(struct summand__shm_domain *domain, struct summand__shm *shm,
                           const struct summand__message *message, int rank, int looks)
{
    struct summand__shm_in *in = &domain->in[rank];
    const struct summand__arrival *arrival = message->combine;
    const struct summand__cell *cell;
    size_t bytes = message->count * shm->size;
    if (in->under_way || in->first)
        return false;
    while (!(cell = summand__queue_peek(&in->end)))
        if (!looks--)
            return false;
    if (cell->message != summand__message_of(bytes, shm->link.tag) || cell->length != bytes)
        return false;
    const unsigned char *piece = summand__queue_piece(&in->end, cell);
    if (arrival)
        arrival->combine(arrival->context, arrival->left ? piece - shm->offset : arrival->with,
                         arrival->left ? arrival->with : piece - shm->offset, arrival->out,
                         message->count);
    else if (bytes)
        summand__copy_bytes((unsigned char *)message->data + shm->offset, piece, bytes);
    summand__queue_take(&in->end);
    look_ahead(domain, in, rank);
    return true;
}

bool summand__shm_pull(struct summand__shm_domain *domain, struct summand__shm *shm,
                       struct summand__shm_recv *recv, bool may_stay)
{
    struct summand__shm_in *in = &domain->in[recv->rank];
    struct summand__cell *cell;
    bool moved = false, through = true;
    while (!recv->arrived && (cell = summand__queue_peek(&in->end))) {
        if (take_whole(in, shm, recv, cell)) {
            summand__queue_take(&in->end);
            if (recv->rank < domain->ranks)
                look_ahead(domain, in, recv->rank);
            return true;
        }
        if (cell->length == SUMMAND__BROKEN_OFF) {
            break_off(in);
        } else if (cell->length == SUMMAND__RENDEZVOUS) {
            if (!take_rendezvous(domain, in, recv->rank, cell, may_stay, &through))
                return moved;
        } else {
            if (!in->under_way && !begin(domain, in, recv->rank, cell->message))
                return moved;
            if (!take_piece(in, cell, may_stay))
                return moved;
            if (in->done == in->bytes)
                end(in);
        }
        if (through)
            summand__queue_take(&in->end);
        through = true;
        moved = true;
    }
    return moved;
}

void summand__shm_match(struct summand__shm_domain *domain, struct summand__shm *shm,
                        struct summand__shm_recv *recv)
{
    struct summand__shm_in *in = &domain->in[recv->rank];
    struct summand__shm_unexpected **link = &in->first, *unexpected;
    while (*link && (*link)->tag != shm->link.tag)
        link = &(*link)->next;
    if (!(unexpected = *link))
        return;
    recv->begun = true;
    summand__shm_keep(shm, recv, unexpected->data, unexpected->done);
    if (in->unexpected == unexpected) {
        in->unexpected = NULL;
        in->shm = shm;
        in->recv = recv;
    } else {
        if (unexpected->broken)
            shm->code = broken_code(shm, recv);
        summand__shm_arrived(shm, recv);
    }
    *link = unexpected->next;
    free(unexpected);
}

void summand__shm_abandon_recv(struct summand__shm_in *in, const struct summand__shm_recv *recv)
{
    if (in->recv == recv)
        in->recv = NULL;
}

/* Discards unexpected messages with the tag. The rest of one in transit is discarded, too. */
static void forget(struct summand__shm_in *in, int tag)
{
    struct summand__shm_unexpected **link = &in->first, *unexpected;
    while ((unexpected = *link)) {
        if (unexpected->tag != tag) {
            link = &unexpected->next;
            continue;
        }
        if (in->unexpected == unexpected)
            in->unexpected = NULL;
        *link = unexpected->next;
        free(unexpected);
    }
}

void summand__shm_forget(struct summand__shm_domain *domain, int tag)
{
    for (int r = 0; r < domain->ins; r++)
        forget(&domain->in[r], tag);
}
