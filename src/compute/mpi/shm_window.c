/* SPDX-License-Identifier: BSD-3-Clause */
/* Puts through memory that all ranks of a communicator share: a put is a copy and a store, and is
 * then complete. */
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <summand/error.h>
#include <sys/mman.h>

#include "compute/mpi/window.h"
#include "kernel/stream.h"

enum { LINE = 64 };

struct counter {
    _Alignas(LINE) _Atomic uint64_t count;
};

struct shm_window {
    struct summand__window_base base; /* first */
    unsigned char *memory;            /* all ranks' parts, in rank order */
    size_t share;                     /* bytes of each part: its counters, then its slots */
    uint64_t *given; /* last value of each counter of each rank by this one: reading the counter
                        would fetch its line from the rank that waits for it. Untouched pages take
                        no memory */
};

static struct counter *counters_of(const struct shm_window *own, int rank)
{
    return (struct counter *)(void *)(own->memory + (size_t)rank * own->share);
}

static unsigned char *slots_of(const struct shm_window *own, int rank)
{
    return (unsigned char *)(counters_of(own, rank) + own->base.window.counters);
}

/* Increments a counter; its only producer knows the value. */
static void count(const struct shm_window *own, int rank, int number, uint64_t more)
{
    uint64_t *given =
        &own->given[(size_t)rank * (size_t)own->base.window.counters + (size_t)number];
    *given += 1 + more;
    atomic_store_explicit(&counters_of(own, rank)[number].count, *given, memory_order_release);
}

static int window_put(struct summand__window *window, const struct summand__put *put)
{
    const struct shm_window *own = (const struct shm_window *)window;
    int code = summand__window_check_put(window, put);
    if (code != MPI_SUCCESS)
        return code;
    if (put->bytes)
        summand__copy_bytes(slots_of(own, put->rank) + summand__window_place(&own->base, put),
                            put->data, put->bytes);
    if (put->counter != SUMMAND__NO_COUNTER)
        count(own, put->rank, put->counter, put->more);
    return MPI_SUCCESS;
}

static unsigned char *window_address(const struct summand__window *window, int rank, int slot)
{
    const struct shm_window *own = (const struct shm_window *)window;
    return slots_of(own, rank) + own->base.start[slot];
}

static int window_get(struct summand__window *window, const struct summand__get *get)
{
    int code = summand__window_check_get(window, get);
    if (code == MPI_SUCCESS && get->bytes)
        summand__copy_bytes(get->data, window_address(window, get->rank, get->slot) + get->offset,
                            get->bytes);
    return code;
}

static int window_complete(struct summand__window *window, int rank)
{
    return summand__window_check_rank(window, rank);
}

static int window_notify(struct summand__window *window, int rank, int counter)
{
    int code = summand__window_check_rank(window, rank);
    if (code == MPI_SUCCESS)
        code = summand__window_check_counter(window, counter);
    if (code == MPI_SUCCESS)
        count((const struct shm_window *)window, rank, counter, 0);
    return code;
}

static int window_flush(struct summand__window *window, int rank, bool block, bool *done)
{
    (void)block;
    *done = true;
    return rank == SUMMAND__EVERY_RANK ? MPI_SUCCESS : summand__window_check_rank(window, rank);
}

static int window_read(struct summand__window *window, int counter, uint64_t *value)
{
    const struct shm_window *own = (const struct shm_window *)window;
    int code = summand__window_check_counter(window, counter);
    if (code != MPI_SUCCESS)
        return code;
    const struct counter *mine = &counters_of(own, own->base.state->rank)[counter];
    *value = atomic_load_explicit(&mine->count, memory_order_acquire);
    return MPI_SUCCESS;
}

static int window_test(struct summand__window *window, int counter, uint64_t value, bool *done)
{
    uint64_t now;
    int code = window_read(window, counter, &now);
    *done = code == MPI_SUCCESS && now >= value;
    return code;
}

static const _Atomic uint64_t *window_place(const struct summand__window *window, int counter)
{
    const struct shm_window *own = (const struct shm_window *)window;
    return &counters_of(own, own->base.state->rank)[counter].count;
}

/* A single rank shares memory with itself: a node of one rank has no segment. */
static bool window_available(const struct summand__state *state)
{
    return state->segment
               ? state->segment->whole
               : state->ranks == 1 && state->context.fabric->settings.transport != SUMMAND__P2P;
}

static void window_close(struct summand__window *window)
{
    struct shm_window *own = (struct shm_window *)window;
    if (own && own->memory)
        munmap(own->memory, own->share * (size_t)own->base.state->ranks);
    if (!own)
        return;
    free(own->given);
    summand__window_base_free(&own->base);
}

static int window_open(struct summand__state *state, const struct summand__window_spec *spec,
                       struct summand__window **window)
{
    struct shm_window *own = (struct shm_window *)summand__window_base_make(
        state, spec, &summand__shm_window, sizeof *own);
    struct summand__window_terms terms;
    bool fits = false;
    *window = NULL;
    if (own) {
        size_t counters = (size_t)spec->counters * sizeof(struct counter);
        own->share = counters + own->base.bytes + LINE; /* never zero */
        own->given = calloc((size_t)spec->counters * (size_t)state->ranks + 1, sizeof *own->given);
        fits = own->given && own->share / LINE < SIZE_MAX / 4 / LINE / (size_t)state->ranks;
    }
    int code = summand__window_agree(state, spec, fits, &terms);
    if (code == MPI_SUCCESS)
        code = summand__segment_share(state->comm, own->share * (size_t)state->ranks, &own->memory);
    summand__window_left(state, code);
    if (code == MPI_SUCCESS && !own->memory)
        code = summand_error_code(SUMMAND_ERR_MEMORY);
    if (code != MPI_SUCCESS) {
        window_close(own ? &own->base.window : NULL);
        return code;
    }
    summand__window_base_expose(&own->base, slots_of(own, state->rank));
    *window = &own->base.window;
    return MPI_SUCCESS;
}

const struct summand__window_transport summand__shm_window = {
    .name = "shm",
    .abilities = SUMMAND__PASSIVE_TARGET | SUMMAND__NOTIFY_COMPLETES | SUMMAND__GETS,
    .available = window_available,
    .open = window_open,
    .close = window_close,
    .put = window_put,
    .get = window_get,
    .complete = window_complete,
    .address = window_address,
    .notify = window_notify,
    .flush = window_flush,
    .test = window_test,
    .read = window_read,
    .place = window_place,
    .wait_any = summand__window_wait_any};
