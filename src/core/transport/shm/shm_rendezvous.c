/* SPDX-License-Identifier: BSD-3-Clause */
#include "transport/shm/shm_rendezvous.h"

#include <errno.h>

#include "transport/shm/shm_recv.h"

void summand__shm_announce(struct summand__shm_out *out)
{
    struct summand__shm_send *send = out->first;
    out->first = send->next;
    if (!out->first)
        out->last = &out->first;
    send->next = NULL;
    *out->last_announced = send;
    out->last_announced = &send->next;
    send->mark = out->end.announced;
    send->cell = summand__queue_rendezvous(
        &out->end, summand__message_of(send->bytes, send->shm->link.tag), send->data);
    summand__shm_show(send, send->bytes); /* meanwhile the reader reads */
    send->seen.combine = NULL;
}

/* Returns to pieces. The reader has begun the message that it could not read, and no other. */
static void go_on_in_pieces(struct summand__shm_out *out, uint64_t read)
{
    out->refused = true;
    if (!out->announced)
        return;
    out->announced->begun = read >= out->announced->mark;
    *out->last_announced = out->first;
    if (!out->first)
        out->last = out->last_announced;
    out->first = out->announced;
    out->announced = NULL;
    out->last_announced = &out->announced;
}

bool summand__shm_see_reads(struct summand__shm_out *out)
{
    const struct summand__queue *queue = out->end.queue;
    bool refused = atomic_load_explicit(&queue->taken.refused, memory_order_acquire),
         moved = refused;
    uint64_t read = atomic_load_explicit(&queue->taken.read, memory_order_acquire);
    while (out->announced && read >= out->announced->mark + out->announced->bytes) {
        out->announced->done = out->announced->bytes;
        summand__shm_sent(&out->announced, &out->last_announced);
        moved = true;
    }
    if (out->announced && read > out->announced->mark + out->announced->done) {
        out->announced->done = (size_t)(read - out->announced->mark);
        moved = true;
    }
    if (refused)
        go_on_in_pieces(out, read);
    return moved;
}

/* If a rank withdraws and the other refuses at the same time, at least one sees the other's mark,
 * and it breaks off the message in transit. */
void summand__shm_withdraw(struct summand__shm_out *out, struct summand__shm_send *send)
{
    const struct summand__queue *queue = out->end.queue;
    atomic_store_explicit(&send->cell->rendezvous.withdrawn, 1, memory_order_relaxed);
    atomic_thread_fence(memory_order_seq_cst);
    if (atomic_load_explicit(&queue->taken.refused, memory_order_acquire) &&
        atomic_load_explicit(&queue->taken.read, memory_order_acquire) >= send->mark)
        out->broken = true;
}

static bool is_withdrawn(const struct summand__cell *cell)
{
    return atomic_load_explicit(&cell->rendezvous.withdrawn, memory_order_relaxed);
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

/* The bytes to read at a time: whole elements if they are combined. */
static size_t piece_of(const struct summand__shm_in *in)
{
    size_t most = SUMMAND__READ_PIECE, rest = in->bytes - in->done;
    if (in->recv && in->shm->direct)
        most -= most % in->shm->size;
    return rest < most ? rest : most;
}

/* A process that has ended (ESRCH) will not send pieces: its message counts as withdrawn. */
enum summand__shm_outcome summand__shm_read(struct summand__shm_in *in, pid_t process,
                                            unsigned char *scratch, struct summand__cell *cell,
                                            bool may_stay)
{
    size_t length = piece_of(in), wanted = length;
    unsigned char *to = NULL;
    int error = 0;
    if (in->recv)
        to = summand__shm_place(in->shm, in->recv, &wanted, scratch, may_stay);
    else if (in->unexpected)
        to = in->unexpected->data + in->done;
    else
        wanted = 0;
    if (in->recv && !to)
        return SUMMAND__SHM_LATER;
    if (wanted)
        error = summand__peer_memory_read(process, cell->rendezvous.address + in->done, to, wanted);
    atomic_thread_fence(memory_order_acquire);
    if (is_withdrawn(cell) || error == ESRCH) {
        count(in, in->bytes - in->done);
        return SUMMAND__SHM_WITHDRAWN;
    }
    if (error)
        return refuse(in, cell);
    in->done += length;
    count(in, length);
    if (in->unexpected)
        in->unexpected->done = in->done;
    if (in->recv)
        summand__shm_take(in->shm, in->recv, to, length, false);
    return SUMMAND__SHM_READ;
}
