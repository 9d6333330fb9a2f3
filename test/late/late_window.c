/* SPDX-License-Identifier: BSD-3-Clause */
/* A window with late puts: their data are read and written at the last moment allowed, before a
 * count to the same target or in a flush, in any order and in two parts. Counts become visible
 * late, those of different producers in any order. */
#include <stdlib.h>
#include <string.h>

#include "late/late.h"

struct late_put {
    struct summand__put put;
    unsigned char *copy; /* of data whose buffer the caller has back; or NULL */
};

struct late_window {
    struct summand__window_base base;           /* first */
    struct summand__window_transport transport; /* the lower one's, except the late functions */
    struct summand__window *lower;
    struct lateness lateness;
    struct late_put *held;
    size_t n_held, room;
};

static struct late_window *late_of(struct summand__window *window)
{
    return (struct late_window *)window;
}

static const struct summand__window_transport *below(const struct late_window *own)
{
    return own->lower->transport;
}

/* False: it cannot be held. */
static bool hold(struct late_window *own, const struct summand__put *put)
{
    if (own->n_held == own->room) {
        size_t room = 2 * own->room + 8;
        struct late_put *more = realloc(own->held, room * sizeof *more);
        if (!more)
            return false;
        own->held = more;
        own->room = room;
    }
    struct late_put late = {.put = *put};
    if (!(put->flags & SUMMAND__PUT_NO_WAIT)) {
        late.copy = malloc(put->bytes + 1);
        if (!late.copy)
            return false;
        if (put->bytes)
            memcpy(late.copy, put->data, put->bytes);
        late.put.data = late.copy;
    }
    own->held[own->n_held++] = late;
    return true;
}

/* In two parts, the second one first; without its counter. */
static int deliver(struct late_window *own, const struct summand__put *whole)
{
    enum { MOST = 1 << 30 };
    unsigned most = whole->bytes < MOST ? (unsigned)whole->bytes : MOST;
    size_t cut = most ? late_below(&own->lateness, most) : 0;
    struct summand__put first = *whole, second = *whole;
    first.counter = second.counter = SUMMAND__NO_COUNTER;
    first.more = second.more = 0;
    first.bytes = cut;
    second.data = (const unsigned char *)whole->data + cut;
    second.offset += (ptrdiff_t)cut;
    second.bytes -= cut;
    int code = below(own)->put(own->lower, &second);
    late_pause(&own->lateness);
    return code == MPI_SUCCESS && cut ? below(own)->put(own->lower, &first) : code;
}

/* Copies are freed at once, so these are puts for which the lower window must wait. */
static int deliver_held(struct late_window *own, size_t i)
{
    struct late_put late = own->held[i];
    own->held[i] = own->held[--own->n_held];
    int code = deliver(own, &late.put);
    free(late.copy);
    return code;
}

/* All puts held for a rank, or for every rank, in any order. */
static int deliver_all(struct late_window *own, int rank)
{
    int code = MPI_SUCCESS;
    for (size_t i = 0; i + 1 < own->n_held; i++) {
        size_t other = i + late_below(&own->lateness, (unsigned)(own->n_held - i));
        struct late_put kept = own->held[i];
        own->held[i] = own->held[other];
        own->held[other] = kept;
    }
    for (size_t i = own->n_held; i-- > 0 && code == MPI_SUCCESS;)
        if (rank == SUMMAND__EVERY_RANK || own->held[i].put.rank == rank)
            code = deliver_held(own, i);
    return code;
}

static int late_put(struct summand__window *window, const struct summand__put *put)
{
    struct late_window *own = late_of(window);
    int code = summand__window_check_put(window, put);
    if (code != MPI_SUCCESS)
        return code;
    bool counts = put->counter != SUMMAND__NO_COUNTER;
    if (!put->bytes)
        code = MPI_SUCCESS;
    else if (!hold(own, put))
        code = counts ? deliver(own, put) : below(own)->put(own->lower, put);
    if (code == MPI_SUCCESS && counts)
        code = deliver_all(own, put->rank);
    if (code != MPI_SUCCESS || !counts)
        return code;
    late_pause(&own->lateness);
    struct summand__put count = *put;
    count.bytes = 0;
    return below(own)->put(own->lower, &count);
}

static int late_get(struct summand__window *window, const struct summand__get *get)
{
    struct late_window *own = late_of(window);
    int code = deliver_all(own, get->rank);
    return code == MPI_SUCCESS ? below(own)->get(own->lower, get) : code;
}

static int late_complete(struct summand__window *window, int rank)
{
    struct late_window *own = late_of(window);
    int code = deliver_all(own, rank);
    return code == MPI_SUCCESS ? below(own)->complete(own->lower, rank) : code;
}

static unsigned char *late_address(const struct summand__window *window, int rank, int slot)
{
    const struct late_window *own = (const struct late_window *)window;
    return below(own)->address(own->lower, rank, slot);
}

static int late_notify(struct summand__window *window, int rank, int counter)
{
    struct late_window *own = late_of(window);
    int code = deliver_all(own, rank);
    late_pause(&own->lateness);
    return code == MPI_SUCCESS ? below(own)->notify(own->lower, rank, counter) : code;
}

static int late_flush(struct summand__window *window, int rank, bool block, bool *done)
{
    enum { OFTEN = 3 };
    struct late_window *own = late_of(window);
    *done = false;
    if (!block && own->n_held && late_below(&own->lateness, OFTEN))
        return MPI_SUCCESS;
    int code = deliver_all(own, rank);
    return code == MPI_SUCCESS ? below(own)->flush(own->lower, rank, block, done) : code;
}

static int late_progress(struct summand__window *window)
{
    struct late_window *own = late_of(window);
    int code = MPI_SUCCESS;
    if (own->n_held && !late_below(&own->lateness, 4))
        code = deliver_held(own, late_below(&own->lateness, (unsigned)own->n_held));
    return code == MPI_SUCCESS && below(own)->progress ? below(own)->progress(own->lower) : code;
}

/* Every other poll fails. */
static int late_test(struct summand__window *window, int counter, uint64_t value, bool *done)
{
    struct late_window *own = late_of(window);
    int code = below(own)->test(own->lower, counter, value, done);
    *done = *done && late_below(&own->lateness, 2);
    return code;
}

static int late_read(struct summand__window *window, int counter, uint64_t *value)
{
    return below(late_of(window))->read(late_of(window)->lower, counter, value);
}

/* If several counts have arrived, any one of them is first. */
static int late_wait_any(struct summand__window *window, int n,
                         const struct summand__counter_wait *waits, double timeout, int *which)
{
    struct late_window *own = late_of(window);
    int code = late_progress(window);
    late_pause(&own->lateness);
    return code == MPI_SUCCESS ? summand__window_wait_any(window, n, waits, timeout, which) : code;
}

/* A held put was neither flushed nor counted, so no rank waits for it. */
static void late_close(struct summand__window *window)
{
    struct late_window *own = late_of(window);
    if (!own)
        return;
    below(own)->close(own->lower);
    for (size_t i = 0; i < own->n_held; i++)
        free(own->held[i].copy);
    free(own->held);
    free(own);
}

struct summand__window *late_window(struct summand__window *lower)
{
    struct summand__window_base *base = (struct summand__window_base *)lower;
    struct late_window *own = calloc(1, sizeof *own);
    if (!own)
        return lower;
    own->base = *base; /* its slots are the lower one's */
    own->lower = lower;
    own->lateness = lateness_of(base->state->rank);
    own->transport = *lower->transport;
    own->transport.put = late_put;
    own->transport.get = lower->transport->get ? late_get : NULL;
    own->transport.complete = lower->transport->complete ? late_complete : NULL;
    own->transport.address = lower->transport->address ? late_address : NULL;
    own->transport.place = NULL; /* a load would not be late */
    own->transport.notify = late_notify;
    own->transport.flush = late_flush;
    own->transport.progress = late_progress;
    own->transport.test = late_test;
    own->transport.read = late_read;
    own->transport.wait_any = late_wait_any;
    own->transport.close = late_close;
    own->base.window.transport = &own->transport;
    return &own->base.window;
}
