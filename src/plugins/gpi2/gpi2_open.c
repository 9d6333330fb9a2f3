/* SPDX-License-Identifier: BSD-3-Clause */
/* The segments of windows over GPI-2, each with one id on all ranks of its window.
 *
 * A rank may still write to another one that has closed its part of a window, before it sees that.
 * So a closed window's memory stays until a window is opened among ranks that have all closed it,
 * or until MPI_Finalize. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <summand/error.h>

#include "plugins/gpi2/gpi2_window.h"
#include "wait/ballot.h"

enum { LINE = 64, IDS = 256, ID_WORDS = IDS / 64, TRIES = 16 };

/* The most bytes of the room from which writes leave. */
enum { MOST_ROOM = 1 << 22 };

/* Milliseconds to wait for writes in flight: when the window is closed, and when its memory is
 * freed. */
enum { CLOSING = 20, ENDING = 1000 };

/* By id. If an id is in use on some rank, no other window with that rank may have it. */
static struct summand__gpi2_segment *windows[IDS];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void free_local(struct summand__gpi2_segment *own)
{
    if (!own)
        return;
    free(own->peer);
    free(own->given);
    free(own->seen);
    free(own->unread);
    free(own->member);
    summand__window_base_free(&own->base);
}

/* A closed window's state may already be freed. */
void summand__gpi2_close(struct summand__window *window)
{
    struct summand__gpi2_segment *own = (struct summand__gpi2_segment *)window;
    if (!own)
        return;
    pthread_mutex_lock(&lock);
    bool ended = own->ended;
    const struct summand__gpi2 *gpi2 = own->gpi2;
    const gaspi_queue_id_t queue = own->queue;
    own->closed = true; /* from here on another thread may free it */
    pthread_mutex_unlock(&lock);
    if (ended)
        free_local(own);
    else
        gpi2->wait(queue, CLOSING);
}

/* At the beginning of MPI_Finalize. */
static void end_all(void)
{
    for (int id = 0; id < IDS; id++) {
        struct summand__gpi2_segment *own = windows[id];
        windows[id] = NULL;
        if (!own)
            continue;
        own->gpi2->wait(own->queue, ENDING);
        own->ended = true;
        if (own->closed)
            free_local(own);
    }
}

static void set(uint64_t *bits, int bit)
{
    bits[bit / 64] |= UINT64_C(1) << bit % 64;
}

static bool is_set(const uint64_t *bits, int bit)
{
    return bits[bit / 64] >> bit % 64 & 1;
}

/* Ids of windows that are not closed; or, with `all`, all ids that cannot be taken, including the
 * program's. */
static void note_ids(const struct summand__gpi2 *gpi2, bool all, uint64_t *ids)
{
    gaspi_segment_id_t list[IDS];
    gaspi_number_t n = 0;
    memset(ids, 0, ID_WORDS * sizeof *ids);
    pthread_mutex_lock(&lock);
    for (int id = 0; id < IDS; id++)
        if (windows[id] && (all || !windows[id]->closed))
            set(ids, id);
    pthread_mutex_unlock(&lock);
    if (!all || gpi2->segment_num(&n) != GASPI_SUCCESS || n > IDS ||
        (n && gpi2->segment_list(n, list) != GASPI_SUCCESS))
        return;
    for (gaspi_number_t i = 0; i < n; i++)
        set(ids, list[i]);
}

static bool has_members_of(const struct summand__gpi2_segment *own,
                           const struct summand__gpi2_segment *other)
{
    for (int r = 0; r < own->world; r++)
        if (other->member[r] && !own->member[r])
            return false;
    return true;
}

/* On this rank an id belongs to one window, and on all ranks of that window to the same one. */
static void delete_closed(const struct summand__gpi2_segment *own, const uint64_t *open)
{
    for (int id = 0; id < IDS; id++) {
        pthread_mutex_lock(&lock);
        struct summand__gpi2_segment *other = windows[id];
        bool over = other && other->closed && !is_set(open, id) && has_members_of(own, other) &&
                    other->gpi2->wait(other->queue, ENDING) == GASPI_SUCCESS;
        if (over) {
            other->gpi2->segment_delete(other->id);
            windows[id] = NULL;
        }
        pthread_mutex_unlock(&lock);
        if (over)
            free_local(other);
    }
}

/* The numbers that the ranks exchange about their segments: the offset of the first cache line,
 * or: */
enum { FAILED = LINE, TAKEN };

static unsigned char allocate(struct summand__gpi2_segment *own, int id)
{
    const struct summand__gpi2 *gpi2 = own->gpi2;
    gaspi_pointer_t memory;
    pthread_mutex_lock(&lock);
    bool is_free = !windows[id];
    if (is_free)
        windows[id] = own;
    pthread_mutex_unlock(&lock);
    if (!is_free)
        return TAKEN;
    own->id = (gaspi_segment_id_t)id;
    own->queue = (gaspi_queue_id_t)((gaspi_number_t)id % gpi2->queues);
    if (gpi2->segment_alloc(own->id, own->room_at + own->room + LINE, GASPI_MEM_INITIALIZED) !=
        GASPI_SUCCESS)
        return FAILED;
    if (gpi2->segment_ptr(own->id, &memory) != GASPI_SUCCESS) {
        gpi2->segment_delete(own->id);
        return FAILED;
    }
    unsigned char shift = (unsigned char)(-(uintptr_t)memory % LINE);
    own->memory = (unsigned char *)memory + shift;
    return shift;
}

static void give_back(struct summand__gpi2_segment *own, int id, unsigned char told)
{
    if (told < FAILED)
        own->gpi2->segment_delete(own->id);
    pthread_mutex_lock(&lock);
    if (told != TAKEN)
        windows[id] = NULL;
    pthread_mutex_unlock(&lock);
}

/* A segment with one id on all ranks. Communicators that open windows at the same time begin their
 * searches at different ids. */
static int find_segment(struct summand__gpi2_segment *own, unsigned char *shifts)
{
    struct summand__state *state = own->base.state;
    uint64_t ids[ID_WORDS];
    for (int try = 0; try < TRIES; try++) {
        note_ids(own->gpi2, true, ids);
        int code = summand__ballot_or(state->comm, ids, ID_WORDS);
        int most = own->gpi2->segments < IDS ? (int)own->gpi2->segments : IDS, k = 0, id = 0;
        for (; code == MPI_SUCCESS && k < most; k++) {
            id = (int)((state->context.id * 37 + (unsigned)(try + k)) % (unsigned)most);
            if (!is_set(ids, id))
                break;
        }
        if (code != MPI_SUCCESS || k == most)
            return code == MPI_SUCCESS ? MPI_ERR_UNSUPPORTED_OPERATION : code;
        unsigned char told = allocate(own, id), worst = 0;
        code = summand__ballot_gather(state->comm, &told, shifts, 1);
        for (int r = 0; code == MPI_SUCCESS && r < state->ranks; r++)
            worst = shifts[r] > worst ? shifts[r] : worst;
        if (code == MPI_SUCCESS && worst < FAILED)
            return MPI_SUCCESS;
        give_back(own, id, told);
        if (code != MPI_SUCCESS)
            return code;
    }
    return MPI_ERR_UNSUPPORTED_OPERATION;
}

/* Registers the segment, so that others may write to it. */
static int register_segment(struct summand__gpi2_segment *own)
{
    const struct summand__gpi2 *gpi2 = own->gpi2;
    const struct summand__state *state = own->base.state;
    gaspi_timeout_t time = state->channel.timeout > 0
                               ? (gaspi_timeout_t)(state->channel.timeout * 1e3) + 1
                               : GASPI_BLOCK;
    uint64_t failed = 0;
    for (int k = 1; k < state->ranks; k++) {
        gaspi_rank_t rank = own->peer[(state->rank + k) % state->ranks].rank;
        failed = failed || gpi2->connect(rank, time) != GASPI_SUCCESS ||
                 gpi2->segment_register(own->id, rank, time) != GASPI_SUCCESS;
    }
    int code = summand__ballot_or(state->comm, &failed, 1);
    if (code == MPI_SUCCESS && failed) {
        give_back(own, own->id, 0);
        return MPI_ERR_UNSUPPORTED_OPERATION;
    }
    return code;
}

/* Starts GPI-2 if the communicator has all processes that it needs. Collective. */
static int reach(struct summand__gpi2_segment *own, int *ranks)
{
    enum { SLEEPS = 1, STRANGE = 2 };
    const struct summand__state *state = own->base.state;
    int *places = ranks + state->ranks;
    uint64_t missing = summand__gpi2() ? 0 : SLEEPS, failed = 0;
    if (!summand__gpi2_places(state->comm, state->ranks, ranks, places))
        missing |= STRANGE;
    for (int r = 0; r < state->ranks && !(missing & STRANGE); r++) {
        own->peer[r].rank = (gaspi_rank_t)places[r];
        own->member[places[r]] = true;
    }
    int code = summand__ballot_or(state->comm, &missing, 1);
    if (code == MPI_SUCCESS && missing == SLEEPS && state->ranks == own->world) {
        failed = !summand__gpi2_start(state->comm, end_all);
        code = summand__ballot_or(state->comm, &failed, 1);
    } else if (code == MPI_SUCCESS) {
        failed = missing;
    }
    if (code != MPI_SUCCESS || failed)
        return code == MPI_SUCCESS ? MPI_ERR_UNSUPPORTED_OPERATION : code;
    own->gpi2 = summand__gpi2();
    return own->gpi2->longest < SUMMAND__GPI2_ROOM ||
                   (gaspi_number_t)own->base.window.counters > own->gpi2->notifications
               ? MPI_ERR_UNSUPPORTED_OPERATION
               : MPI_SUCCESS;
}

static struct summand__gpi2_segment *
make_local(struct summand__state *state, const struct summand__window_spec *spec, bool *has_memory)
{
    struct summand__gpi2_segment *own = (struct summand__gpi2_segment *)summand__window_base_make(
        state, spec, &summand__gpi2_window, sizeof *own);
    *has_memory = false;
    if (!own)
        return NULL;
    size_t ranks = (size_t)state->ranks, counters = (size_t)spec->counters;
    own->world = summand__gpi2_world();
    own->room_at = summand__gpi2_words(own) + own->base.bytes;
    own->room = own->base.bytes < SUMMAND__GPI2_ROOM ? SUMMAND__GPI2_ROOM
                : own->base.bytes < MOST_ROOM        ? own->base.bytes
                                                     : MOST_ROOM;
    own->peer = calloc(ranks, sizeof *own->peer);
    own->given = calloc(counters * ranks + 1, sizeof *own->given);
    own->seen = calloc(counters + 1, sizeof *own->seen);
    own->unread = calloc(counters + 1, sizeof *own->unread);
    own->member = calloc((size_t)own->world, sizeof *own->member);
    *has_memory = own->peer && own->given && own->seen && own->unread && own->member;
    return own;
}

/* Collective; `ranks`: room for two numbers of each rank. */
static int open_segment(struct summand__gpi2_segment *own, int *ranks)
{
    struct summand__state *state = own->base.state;
    uint64_t open[ID_WORDS];
    int code = reach(own, ranks);
    if (code != MPI_SUCCESS)
        return code;
    note_ids(own->gpi2, false, open);
    code = summand__ballot_or(state->comm, open, ID_WORDS);
    if (code != MPI_SUCCESS)
        return code;
    delete_closed(own, open);
    unsigned char *shifts = (unsigned char *)ranks;
    code = find_segment(own, shifts);
    for (int r = 0; r < state->ranks && code == MPI_SUCCESS; r++)
        own->peer[r].shift = shifts[r];
    return code;
}

int summand__gpi2_open(struct summand__state *state, const struct summand__window_spec *spec,
                       struct summand__window **window)
{
    bool has_memory;
    struct summand__gpi2_segment *own = make_local(state, spec, &has_memory);
    int *ranks = malloc((size_t)state->ranks * 2 * sizeof *ranks);
    struct summand__window_terms terms;
    *window = NULL;
    int code = summand__window_agree(state, spec, has_memory && ranks, &terms);
    if (code == MPI_SUCCESS)
        code = open_segment(own, ranks);
    free(ranks);
    if (code != MPI_SUCCESS) {
        summand__window_left(state, code);
        free_local(own);
        return code;
    }
    summand__window_base_expose(&own->base, own->memory + summand__gpi2_words(own));
    code = register_segment(own);
    summand__window_left(state, code);
    if (code == MPI_ERR_UNSUPPORTED_OPERATION)
        free_local(own);
    else if (code != MPI_SUCCESS) /* other ranks may have registered it, and write to it */
        summand__gpi2_close(&own->base.window);
    else
        *window = &own->base.window;
    return code;
}
