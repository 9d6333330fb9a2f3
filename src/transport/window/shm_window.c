#include "transport/window/shm_window.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <summand/error.h>
#include <sys/mman.h>

#include "base/backoff.h"
#include "comm/wait/watch.h"

enum { LINE = 64 };

struct note {
    _Alignas(LINE) _Atomic uint32_t count;
};

struct shm_window {
    struct summand__window window; /* first */
    struct summand__state *state;
    MPI_Comm channel;
    int rank, ranks;
    bool oversubscribed;
    unsigned char *memory;
    size_t share; /* bytes of each rank: its notifications, then what it exposes */
};

static struct note *notes_of(const struct shm_window *own, int rank)
{
    return (struct note *)(own->memory + (size_t)rank * own->share);
}

static unsigned char *exposed_by(const struct shm_window *own, int rank)
{
    return (unsigned char *)(notes_of(own, rank) + own->window.notifications);
}

static int put(struct summand__window *window, int rank, size_t offset, const void *data,
               size_t bytes, int notification)
{
    const struct shm_window *own = (const struct shm_window *)window;
    if (rank < 0 || rank >= own->ranks)
        return MPI_ERR_RANK;
    if (offset > window->bytes || bytes > window->bytes - offset)
        return MPI_ERR_RMA_RANGE;
    if (notification < 0 || notification >= window->notifications)
        return MPI_ERR_ARG;
    if (bytes)
        memcpy(exposed_by(own, rank) + offset, data, bytes);
    atomic_fetch_add_explicit(&notes_of(own, rank)[notification].count, 1, memory_order_release);
    return MPI_SUCCESS;
}

static bool has_come(const struct shm_window *own, int notification, uint32_t count)
{
    struct note *note = &notes_of(own, own->rank)[notification];
    return (int32_t)(atomic_load_explicit(&note->count, memory_order_acquire) - count) >= 0;
}

static int notified(struct summand__window *window, int notification, uint32_t count, bool block,
                    bool *done)
{
    const struct shm_window *own = (const struct shm_window *)window;
    struct summand__backoff backoff = {.oversubscribed = own->oversubscribed};
    struct summand__watch watch = {.state = own->state};
    int flag, code = MPI_SUCCESS;
    if (notification < 0 || notification >= window->notifications)
        return MPI_ERR_ARG;
    /* The MPI's own messages move meanwhile: the other rank may wait for one. */
    while (!(*done = has_come(own, notification, count)) && block && code == MPI_SUCCESS) {
        if (!summand__wait_a_turn(&backoff))
            continue;
        code = MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, own->channel, &flag, MPI_STATUS_IGNORE);
        int end = summand__watch_look(&watch, backoff.yielded, true);
        if (end != MPI_SUCCESS && !(*done = has_come(own, notification, count)))
            code = end;
    }
    summand__watch_end(&watch);
    return code;
}

static const struct summand__window_transport shm_window_transport = {
    .name = "shm", .put = put, .notified = notified};

int summand__shm_window_open(struct summand__state *state, size_t bytes, int notifications,
                             struct summand__window **window)
{
    *window = NULL;
    if (!state->segment || !state->segment->whole)
        return MPI_SUCCESS;
    size_t head = (size_t)notifications * sizeof(struct note), room = SIZE_MAX / 4 - head;
    struct shm_window *own = calloc(1, sizeof *own);
    int fine = own && bytes < room / (size_t)state->ranks, all = 0;
    int code = MPI_Allreduce(&fine, &all, 1, MPI_INT, MPI_MIN, state->comm);
    if (code == MPI_SUCCESS && !all)
        code = summand_error_code(SUMMAND_ERR_MEMORY);
    if (code == MPI_SUCCESS) {
        *own = (struct shm_window){.state = state,
                                   .channel = state->segment->comm,
                                   .rank = state->rank,
                                   .ranks = state->ranks};
        own->share = head + (bytes + LINE - 1) / LINE * LINE;
        code = summand__segment_share(state->comm, own->share * (size_t)state->ranks, &own->memory);
    }
    if (code != MPI_SUCCESS || !own->memory) {
        free(own);
        return code;
    }
    own->oversubscribed = state->ranks > state->nodes.processors;
    own->window = (struct summand__window){
        .transport = &shm_window_transport, .bytes = bytes, .notifications = notifications};
    own->window.memory = exposed_by(own, own->rank);
    *window = &own->window;
    return MPI_SUCCESS;
}

void summand__shm_window_close(struct summand__window *window)
{
    struct shm_window *own = (struct shm_window *)window;
    if (!own)
        return;
    munmap(own->memory, own->share * (size_t)own->ranks);
    free(own);
}
