/* Messages that the receiver reads out of the sender's memory: one copy where the queue makes two,
 * and the sender need not run meanwhile. The reader counts the bytes of offers that it is through
 * with, which is how the sender knows what it may overwrite. */
#include <errno.h>

#include "transport/shm/shm_domain.h"

void summand__shm_offer(struct summand__shm_out *out)
{
    struct summand__shm_send *send = out->first;
    out->first = send->next;
    if (!out->first)
        out->last = &out->first;
    send->next = NULL;
    *out->last_offer = send;
    out->last_offer = &send->next;
    send->mark = out->end.offered;
    send->cell = summand__queue_offer(&out->end, summand__message_of(send->bytes, send->shm->tag),
                                      send->data);
}

/* The reader has begun the one that it could not read, and no other. */
static void go_on_in_pieces(struct summand__shm_out *out, uint64_t read)
{
    out->refused = true;
    if (!out->offers)
        return;
    out->offers->begun = read >= out->offers->mark;
    *out->last_offer = out->first;
    if (!out->first)
        out->last = out->last_offer;
    out->first = out->offers;
    out->offers = NULL;
    out->last_offer = &out->offers;
}

bool summand__shm_watch(struct summand__shm_out *out)
{
    const struct summand__queue *queue = out->end.queue;
    bool refused = atomic_load_explicit(&queue->taken.refused, memory_order_acquire),
         moved = refused;
    uint64_t read = atomic_load_explicit(&queue->taken.read, memory_order_acquire);
    while (out->offers && read >= out->offers->mark + out->offers->bytes) {
        out->offers->done = out->offers->bytes;
        summand__shm_sent(&out->offers, &out->last_offer);
        moved = true;
    }
    if (out->offers && read > out->offers->mark + out->offers->done) {
        out->offers->done = (size_t)(read - out->offers->mark);
        moved = true;
    }
    if (refused)
        go_on_in_pieces(out, read);
    return moved;
}

/* Of a rank that withdraws and one that refuses at the same time, at least one sees the other: the
 * message under way is broken off by whoever does. */
void summand__shm_withdraw(struct summand__shm_out *out, struct summand__shm_send *send)
{
    const struct summand__queue *queue = out->end.queue;
    atomic_store_explicit(&send->cell->offer.withdrawn, 1, memory_order_relaxed);
    atomic_thread_fence(memory_order_seq_cst);
    if (atomic_load_explicit(&queue->taken.refused, memory_order_acquire) &&
        atomic_load_explicit(&queue->taken.read, memory_order_acquire) >= send->mark)
        out->broken = true;
}

static bool is_withdrawn(const struct summand__cell *cell)
{
    return atomic_load_explicit(&cell->offer.withdrawn, memory_order_relaxed);
}

static enum summand__shm_outcome refuse(struct summand__shm_in *in,
                                        const struct summand__cell *cell)
{
    in->end.refused = true;
    atomic_store_explicit(&in->end.queue->taken.refused, 1, memory_order_release);
    atomic_thread_fence(memory_order_seq_cst);
    return is_withdrawn(cell) ? SUMMAND__SHM_WITHDRAWN : SUMMAND__SHM_REFUSED;
}

static void count(struct summand__shm_in *in, size_t bytes)
{
    in->end.read += bytes;
    atomic_store_explicit(&in->end.queue->taken.read, in->end.read, memory_order_release);
}

/* The bytes that are read at a time: whole elements, if they are to be combined. */
static size_t piece_of(const struct summand__shm_in *in)
{
    size_t most = SUMMAND__READ_PIECE, rest = in->bytes - in->done;
    if (in->recv && in->shm->direct)
        most -= most % in->shm->size;
    return rest < most ? rest : most;
}

/* A process that is no more will not send the message in pieces. */
enum summand__shm_outcome summand__shm_read(const struct summand__shm_domain *domain,
                                            struct summand__shm_in *in, int rank,
                                            struct summand__cell *cell, bool patient)
{
    size_t length = piece_of(in), wanted = length;
    unsigned char *to = NULL;
    int error = 0;
    if (in->recv)
        to = summand__shm_place(in->shm, in->recv, &wanted, domain->scratch, patient);
    else if (in->aside)
        to = in->aside->data + in->done;
    else
        wanted = 0;
    if (in->recv && !to)
        return SUMMAND__SHM_LATER;
    if (wanted)
        error = summand__peer_memory_read(domain->segment->processes[rank],
                                          cell->offer.address + in->done, to, wanted);
    atomic_thread_fence(memory_order_acquire);
    if (is_withdrawn(cell) || error == ESRCH) {
        count(in, in->bytes - in->done);
        return SUMMAND__SHM_WITHDRAWN;
    }
    if (error)
        return refuse(in, cell);
    in->done += length;
    count(in, length);
    if (in->aside)
        in->aside->done = in->done;
    if (in->recv && to == domain->scratch)
        summand__shm_take(in->shm, in->recv, to, length, false);
    else if (in->recv)
        summand__shm_keep(in->shm, in->recv, to, length);
    return SUMMAND__SHM_READ;
}
