/* SPDX-License-Identifier: BSD-3-Clause */
/* Puts by gaspi_write, and counters by GASPI's notifications. A notification arrives after all
 * earlier writes to the same rank through the same queue; nothing else is ordered. Each window is a
 * segment on each rank, with one id on all of them.
 *
 * Writes leave from segments only. So data are copied into a part of the window's own segment, and
 * the caller may change them at once. If that part or the queue is full, `put` waits until all
 * writes have left.
 *
 * A notification has 32 bits, and a later one replaces one that was not read. So it holds the
 * counter's low 16 bits. The other bits lie in the target's segment: whenever they change, a write
 * puts them there before the notification. Two words are used in turn, each with a number that the
 * notification has too. A rank that finds another number sees a later word, and waits for its
 * notification. */
#include <stdatomic.h>
#include <string.h>

#include "plugins/gpi2/gpi2_window.h"

enum { WORD = sizeof(uint64_t) };

/* Bits of a notification: its count, the number of the word with the other bits, and one. */
enum { LOW = 16, NUMBER = 15 };

/* True if all writes have left: `room` is free. */
static bool has_left(void *context, int *code)
{
    struct summand__gpi2_segment *own = context;
    gaspi_return_t end = own->gpi2->wait(own->queue, GASPI_TEST);
    if (end != GASPI_SUCCESS && end != GASPI_TIMEOUT)
        *code = MPI_ERR_OTHER;
    if (end != GASPI_SUCCESS)
        return false;
    own->used = 0;
    for (int r = 0; r < own->base.state->ranks; r++)
        own->peer[r].busy = false;
    return true;
}

static void each_busy(const void *of, summand__each_rank *each, void *to)
{
    const struct summand__gpi2_segment *own = of;
    for (int r = 0; r < own->base.state->ranks; r++)
        if (own->peer[r].busy)
            each(to, r);
}

static int drain(struct summand__gpi2_segment *own)
{
    return summand__window_wait_until(&own->base.window, has_left, own, each_busy, 0);
}

/* `*again`: the queue was full, and there is room in it now. */
static int posted(struct summand__gpi2_segment *own, int rank, gaspi_return_t end, bool *again)
{
    *again = end == GASPI_QUEUE_FULL || end == GASPI_TIMEOUT;
    own->peer[rank].busy = true;
    if (*again)
        return drain(own);
    return end == GASPI_SUCCESS ? MPI_SUCCESS : MPI_ERR_OTHER;
}

static gaspi_offset_t place_at(const struct summand__gpi2_segment *own, int rank, size_t at)
{
    return own->peer[rank].shift + at;
}

/* Copies up to so many bytes to the room for writes, and returns their number. */
static int fill(struct summand__gpi2_segment *own, const void *data, size_t *bytes,
                gaspi_offset_t *from)
{
    int code = own->room - own->used < WORD ? drain(own) : MPI_SUCCESS;
    if (code != MPI_SUCCESS)
        return code;
    size_t most = own->room - own->used;
    most = most < own->gpi2->longest ? most : own->gpi2->longest;
    *bytes = *bytes < most ? *bytes : most;
    memcpy(own->memory + own->room_at + own->used, data, *bytes);
    *from = place_at(own, own->base.state->rank, own->room_at + own->used);
    return MPI_SUCCESS;
}

/* Bytes that were filled must not be filled again before they have left. */
static void keep(struct summand__gpi2_segment *own, size_t bytes)
{
    own->used += (bytes + WORD - 1) / WORD * WORD;
}

static int write_some(struct summand__gpi2_segment *own, int rank, size_t at, const void *data,
                      size_t *bytes)
{
    int code = MPI_SUCCESS;
    size_t rest = *bytes;
    for (bool again = true; again && code == MPI_SUCCESS;) {
        gaspi_offset_t from;
        *bytes = rest;
        code = fill(own, data, bytes, &from);
        if (code == MPI_SUCCESS)
            code = posted(own, rank,
                          own->gpi2->write(own->id, from, own->peer[rank].rank, own->id,
                                           place_at(own, rank, at), *bytes, own->queue, GASPI_TEST),
                          &again);
    }
    if (code == MPI_SUCCESS)
        keep(own, *bytes);
    return code;
}

static int write_all(struct summand__gpi2_segment *own, int rank, size_t at, const char *data,
                     size_t bytes)
{
    int code = MPI_SUCCESS;
    for (size_t done = 0, n; done < bytes && code == MPI_SUCCESS; done += n) {
        n = bytes - done;
        code = write_some(own, rank, at + done, data + done, &n);
    }
    return code;
}

/* Writes the last data before a notification together with it; or notifies alone. */
static int notify_behind(struct summand__gpi2_segment *own, int rank, int counter,
                         gaspi_notification_t value, size_t at, const void *data, size_t bytes)
{
    const struct summand__gpi2 *gpi2 = own->gpi2;
    gaspi_notification_id_t number = (gaspi_notification_id_t)counter;
    gaspi_rank_t to = own->peer[rank].rank;
    int code = MPI_SUCCESS;
    for (bool again = true; again && code == MPI_SUCCESS;) {
        gaspi_offset_t from = 0;
        gaspi_return_t end;
        size_t filled = bytes;
        if (bytes && own->room - own->used < bytes)
            code = drain(own);
        if (code == MPI_SUCCESS && bytes)
            code = fill(own, data, &filled, &from);
        if (code != MPI_SUCCESS)
            break;
        if (bytes)
            end = gpi2->write_notify(own->id, from, to, own->id, place_at(own, rank, at), bytes,
                                     number, value, own->queue, GASPI_TEST);
        else
            end = gpi2->notify(own->id, to, number, value, own->queue, GASPI_TEST);
        code = posted(own, rank, end, &again);
    }
    if (code == MPI_SUCCESS)
        keep(own, bytes);
    return code;
}

static struct summand__gpi2_given *given_to(const struct summand__gpi2_segment *own, int rank,
                                            int counter)
{
    return &own->given[(size_t)rank * (size_t)own->base.window.counters + (size_t)counter];
}

/* Counts after these data, which fit into one write. */
static int count(struct summand__gpi2_segment *own, int rank, int counter, uint64_t more, size_t at,
                 const void *data, size_t bytes)
{
    struct summand__gpi2_given *given = given_to(own, rank, counter);
    struct summand__gpi2_given next = {given->count + 1 + more, given->number};
    int code = MPI_SUCCESS;
    if (next.count >> LOW != given->count >> LOW) {
        next.number++;
        uint64_t word = next.count >> LOW << LOW | (next.number & ((1U << LOW) - 1));
        size_t place = ((size_t)counter * 2 + next.number % 2) * WORD;
        code = write_all(own, rank, place, (const char *)&word, sizeof word);
    }
    gaspi_notification_t value = 1U << (LOW + NUMBER) |
                                 (gaspi_notification_t)(next.number % (1U << NUMBER)) << LOW |
                                 (gaspi_notification_t)(next.count % (1U << LOW));
    if (code == MPI_SUCCESS)
        code = notify_behind(own, rank, counter, value, at, data, bytes);
    if (code == MPI_SUCCESS)
        *given = next;
    return code;
}

static int gpi2_put(struct summand__window *window, const struct summand__put *put)
{
    struct summand__gpi2_segment *own = (struct summand__gpi2_segment *)window;
    const char *data = put->data;
    int code = summand__window_check_put(window, put), rank = put->rank;
    if (code != MPI_SUCCESS)
        return code;
    bool counts = put->counter != SUMMAND__NO_COUNTER;
    size_t at = summand__gpi2_words(own) + summand__window_place(&own->base, put);
    if (rank == own->base.state->rank) {
        if (put->bytes)
            memcpy(own->memory + at, data, put->bytes);
        if (counts)
            own->seen[put->counter] += 1 + put->more;
        return MPI_SUCCESS;
    }
    size_t last = counts ? put->bytes % SUMMAND__GPI2_ROOM : 0, first = put->bytes - last;
    code = write_all(own, rank, at, data, first);
    if (code == MPI_SUCCESS && counts)
        code =
            count(own, rank, put->counter, put->more, at + first, last ? data + first : NULL, last);
    return code;
}

static int gpi2_notify(struct summand__window *window, int rank, int counter)
{
    struct summand__gpi2_segment *own = (struct summand__gpi2_segment *)window;
    int code = summand__window_check_notify(window, rank, counter);
    if (code != MPI_SUCCESS)
        return code;
    if (rank != own->base.state->rank)
        return count(own, rank, counter, 0, 0, NULL, 0);
    own->seen[counter]++;
    return MPI_SUCCESS;
}

/* All data are copied. */
static int gpi2_flush(struct summand__window *window, int rank, bool block, bool *done)
{
    (void)block;
    *done = true;
    return rank == SUMMAND__EVERY_RANK ? MPI_SUCCESS : summand__window_check_rank(window, rank);
}

/* Takes the value of a notification, once its word is there. A notification may be seen twice: the
 * counter stays. */
static void learn(struct summand__gpi2_segment *own, int counter, gaspi_notification_t value)
{
    uint32_t number = value >> LOW & ((1U << NUMBER) - 1);
    _Atomic uint64_t *words = (_Atomic uint64_t *)(void *)own->memory + (size_t)counter * 2;
    uint64_t word = atomic_load_explicit(&words[number % 2], memory_order_acquire);
    if ((word & ((1U << NUMBER) - 1)) != number) {
        own->unread[counter] = value;
        return;
    }
    uint64_t now = word >> LOW << LOW | (value & ((1U << LOW) - 1));
    own->unread[counter] = 0;
    if (now > own->seen[counter])
        own->seen[counter] = now;
}

/* GPI-2 1.6 may return a value without resetting it if it arrives during a poll that saw none. So
 * this polls first. */
static int read_counter(struct summand__gpi2_segment *own, int counter)
{
    gaspi_notification_id_t first, number = (gaspi_notification_id_t)counter;
    gaspi_notification_t value = own->unread[counter];
    gaspi_return_t end = own->gpi2->notify_waitsome(own->id, number, 1, &first, GASPI_TEST);
    if (end == GASPI_SUCCESS) {
        gaspi_notification_t fresh = 0;
        end = own->gpi2->notify_reset(own->id, number, &fresh);
        value = fresh ? fresh : value;
    } else if (end == GASPI_TIMEOUT) {
        end = GASPI_SUCCESS;
    }
    if (value)
        learn(own, counter, value);
    return end == GASPI_SUCCESS ? MPI_SUCCESS : MPI_ERR_OTHER;
}

static int gpi2_read(struct summand__window *window, int counter, uint64_t *value)
{
    struct summand__gpi2_segment *own = (struct summand__gpi2_segment *)window;
    int code = summand__window_check_counter(window, counter);
    if (code == MPI_SUCCESS)
        code = read_counter(own, counter);
    if (code == MPI_SUCCESS)
        *value = own->seen[counter];
    return code;
}

static int gpi2_test(struct summand__window *window, int counter, uint64_t value, bool *done)
{
    struct summand__gpi2_segment *own = (struct summand__gpi2_segment *)window;
    int code = summand__window_check_counter(window, counter);
    if (code == MPI_SUCCESS && own->seen[counter] < value)
        code = read_counter(own, counter);
    *done = code == MPI_SUCCESS && own->seen[counter] >= value;
    return code;
}

/* Some devices progress only during calls. */
static int gpi2_progress(struct summand__window *window)
{
    struct summand__gpi2_segment *own = (struct summand__gpi2_segment *)window;
    int code = MPI_SUCCESS;
    if (own->used)
        has_left(window, &code);
    return code;
}

static bool gpi2_available(const struct summand__state *state)
{
    return state->ranks > 1;
}

const struct summand__window_transport summand__gpi2_window = {.name = "gpi2",
                                                               .abilities = SUMMAND__PASSIVE_TARGET,
                                                               .named = SUMMAND__GPI2,
                                                               .available = gpi2_available,
                                                               .open = summand__gpi2_open,
                                                               .close = summand__gpi2_close,
                                                               .put = gpi2_put,
                                                               .notify = gpi2_notify,
                                                               .flush = gpi2_flush,
                                                               .progress = gpi2_progress,
                                                               .test = gpi2_test,
                                                               .read = gpi2_read,
                                                               .wait_any =
                                                                   summand__window_wait_any};
