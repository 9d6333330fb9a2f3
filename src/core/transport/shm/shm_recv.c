/* SPDX-License-Identifier: BSD-3-Clause */
#include "transport/shm/shm_recv.h"

#include <stdlib.h>
#include <string.h>

#include "kernel/stream.h"
#include "process/error.h"

/* Bytes up to which the message may be combined. Its group must be waited for; the caller may wait
 * for another group or another operation. Sends of the same round must have read what is
 * overwritten, and operands posted earlier come first. */
static size_t allowed(const struct summand__shm *shm, const struct summand__shm_recv *recv)
{
    if (recv->arrival.alone)
        return SIZE_MAX;
    size_t end = shm->asked >> recv->group & 1 ? SIZE_MAX : 0;
    const unsigned char *out = (const unsigned char *)recv->arrival.out + shm->offset;
    for (size_t i = shm->first_send; i < shm->n_sends; i++) {
        const struct summand__shm_send *send = summand__shm_send_at(shm, i);
        if (send->data == out && send->done < send->bytes && send->done < end)
            end = send->done;
    }
    for (size_t i = shm->first_recv; i < shm->n_recvs; i++) {
        const struct summand__shm_recv *r = summand__shm_recv_at(shm, i);
        if (r == recv)
            break;
        size_t before = r->capacity == recv->capacity ? r->combined : 0;
        if (r->combines && !r->arrival.alone && !r->over && before < end)
            end = before;
    }
    return end;
}

/* `from`: address of the next element to be combined; it may be the message's place. */
static void combine(const struct summand__shm *shm, struct summand__shm_recv *recv,
                    const unsigned char *from, size_t elements)
{
    const struct summand__arrival *arrival = &recv->arrival;
    size_t at = recv->combined / shm->size * shm->unit;
    const unsigned char *with = arrival->alone ? NULL : (const unsigned char *)arrival->with + at;
    arrival->combine(arrival->context, arrival->left ? from : with, arrival->left ? with : from,
                     (unsigned char *)arrival->out + at, elements);
    recv->combined += elements * shm->size;
}

static bool at_once(const struct summand__shm *shm, const struct summand__shm_recv *recv,
                    size_t length)
{
    return recv->combined == recv->done && length % shm->size == 0 &&
           length <= recv->capacity - recv->done && recv->done + length <= allowed(shm, recv);
}

static unsigned char *place_of(const struct summand__shm *shm, const struct summand__shm_recv *recv)
{
    return (recv->packed ? recv->packed : recv->data + shm->offset) + recv->done;
}

void summand__shm_keep(struct summand__shm *shm, struct summand__shm_recv *recv,
                       const unsigned char *from, size_t length)
{
    size_t room = recv->capacity - recv->done;
    if (length > room)
        shm->code = summand__refuse_as(MPI_ERR_TRUNCATE,
                                       "a message is longer than the %zu bytes that this rank has "
                                       "room for: the ranks' counts differ",
                                       recv->capacity);
    size_t kept = length < room ? length : room;
    unsigned char *to = place_of(shm, recv);
    if (recv->nontemporal && !recv->packed && from != to)
        summand__stream_copy(to, from, kept);
    else if (kept && from != to)
        summand__copy_bytes(to, from, kept);
    recv->done += kept;
}

/* The address to which a piece is read if it is combined at once: the result's place if the piece
 * is the right operand and the other one lies elsewhere, because that uses less cache. */
static unsigned char *place_at_once(const struct summand__shm *shm,
                                    const struct summand__shm_recv *recv, unsigned char *scratch)
{
    const struct summand__arrival *arrival = &recv->arrival;
    bool own = !arrival->left && arrival->out != arrival->with;
    return own ? (unsigned char *)arrival->out + shm->offset + recv->done : scratch;
}

unsigned char *summand__shm_place(const struct summand__shm *shm,
                                  const struct summand__shm_recv *recv, size_t *length,
                                  unsigned char *scratch, bool may_stay)
{
    size_t room = recv->capacity - recv->done;
    if (recv->combines && shm->direct) {
        if (at_once(shm, recv, *length))
            return place_at_once(shm, recv, scratch);
        if (may_stay && recv->done - recv->combined >= *length)
            return NULL;
    }
    if (*length > room)
        *length = room;
    return place_of(shm, recv);
}

bool summand__shm_take(struct summand__shm *shm, struct summand__shm_recv *recv,
                       const unsigned char *from, size_t length, bool may_stay)
{
    if (recv->combines && shm->direct) {
        if (at_once(shm, recv, length)) {
            combine(shm, recv, from - shm->offset, length / shm->size);
            recv->done += length;
            return true;
        }
        if (may_stay)
            return false;
    }
    summand__shm_keep(shm, recv, from, length);
    return true;
}

/* The same as if the message came in pieces, without the checks of each: some 150 instructions
 * less. */
bool summand__shm_take_whole(struct summand__shm *shm, struct summand__shm_recv *recv,
                             const unsigned char *from)
{
    if (!recv->combines || !shm->direct || shm->first_send < shm->n_sends ||
        !(shm->asked >> recv->group & 1 || recv->arrival.alone))
        return false;
    combine(shm, recv, from - shm->offset, recv->capacity / shm->size);
    recv->done = recv->capacity;
    recv->begun = recv->arrived = recv->over = true;
    shm->open[recv->group]--;
    return true;
}

static int unpack(const struct summand__shm *shm, const struct summand__shm_recv *recv)
{
    const struct summand__packing packing = summand__shm_packing(shm);
    return summand__unpack(&packing, recv->packed, recv->data, recv->done / shm->size);
}

static void check_over(struct summand__shm *shm, struct summand__shm_recv *recv)
{
    if (recv->over || !recv->arrived ||
        (recv->combines && recv->done - recv->combined >= shm->size))
        return;
    recv->over = true;
    shm->open[recv->group]--;
}

void summand__shm_arrived(struct summand__shm *shm, struct summand__shm_recv *recv)
{
    if (recv->packed) {
        int code = unpack(shm, recv);
        if (shm->code == MPI_SUCCESS)
            shm->code = code;
        free(recv->packed);
        recv->packed = NULL;
    }
    recv->arrived = true;
    check_over(shm, recv);
}

bool summand__shm_catch_up(struct summand__shm *shm, struct summand__shm_recv *recv)
{
    size_t end = shm->direct || recv->arrived ? recv->done : 0, most = allowed(shm, recv);
    if (end > most)
        end = most;
    if (end < recv->combined + shm->size)
        return false;
    combine(shm, recv, recv->data + recv->combined / shm->size * shm->unit,
            (end - recv->combined) / shm->size);
    check_over(shm, recv);
    return true;
}
