/* SPDX-License-Identifier: BSD-3-Clause */
/* Puts by MPI_Put into an MPI window, and counters by MPI atomics, for ranks that share no memory.
 * Only a flush orders the two in MPI, so a counter grows after the data have reached the target.
 * Counters are read by atomics too, and MPI_Win_sync makes loads see the data; this is also right
 * in MPI's separate memory model.
 *
 * The MPI decides when a flush ends. If waits have a deadline, the target gets a request first,
 * which can be polled: a target that does not answer in time is not flushed. Calls with a deadline
 * that need only puts and counters use messages instead (p2p_window.c). */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <summand/error.h>

#include "base/int_max.h"
#include "compute/mpi/window.h"
#include "process/finalize.h"
#include "wait/ballot.h"

enum { LINE = 64 };

/* MPI_Win_free waits for the other ranks, but `close` is local. So closed windows stay until the
 * communicator opens another one, which frees those that all ranks have closed; or until
 * MPI_Finalize, because some MPIs cannot finalize with windows. There all ranks free them in the
 * order of their keys. */
struct key {
    uint64_t fabric[2], context; /* of the communicator */
    uint64_t number;             /* of the window in the communicator */
};

/* The request that a rank must answer before it is flushed. */
struct question {
    MPI_Request request;
    unsigned char answer;
};

struct rma_window {
    struct summand__window_base base; /* first */
    struct key key;
    MPI_Win win;
    unsigned char *memory;  /* counters, then slots; on a cache line */
    unsigned char *shift;   /* bytes to each rank's memory in its window */
    bool *unflushed;        /* by rank: its data may be in transit */
    uint64_t *seen;         /* last known value of each counter */
    struct question *asked; /* by rank; still there if it has not answered */
    int broken;             /* why a counter's value at its rank is unknown, or MPI_SUCCESS */
    bool closed, ended;     /* by its user; by the MPI */
    struct rma_window *next;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct rma_window *windows; /* sorted by key */
static bool registered;

static void free_local(struct rma_window *own)
{
    if (!own)
        return;
    free(own->shift);
    free(own->unflushed);
    free(own->seen);
    free(own->asked);
    summand__window_base_free(&own->base);
}

static bool is_before(const struct key *a, const struct key *b)
{
    if (a->fabric[0] != b->fabric[0])
        return a->fabric[0] < b->fabric[0];
    if (a->fabric[1] != b->fabric[1])
        return a->fabric[1] < b->fabric[1];
    return a->context != b->context ? a->context < b->context : a->number < b->number;
}

static bool is_of(const struct rma_window *own, const struct key *communicator)
{
    return own->key.context == communicator->context &&
           own->key.fabric[0] == communicator->fabric[0] &&
           own->key.fabric[1] == communicator->fabric[1];
}

static void end(struct rma_window *own)
{
    PMPI_Win_unlock_all(own->win);
    PMPI_Win_free(&own->win);
    own->ended = true;
    if (own->closed)
        free_local(own);
}

static void on_finalize(void)
{
    while (windows) {
        struct rma_window *own = windows;
        windows = own->next;
        end(own);
    }
    registered = false;
}

static void insert(struct rma_window *own)
{
    pthread_mutex_lock(&lock);
    struct rma_window **place = &windows;
    while (*place && is_before(&(*place)->key, &own->key))
        place = &(*place)->next;
    own->next = *place;
    *place = own;
    pthread_mutex_unlock(&lock);
}

/* Finds the numbers of the communicator's first window that is open, and of the next one. */
static void find_numbers(const struct key *communicator, uint64_t *open, uint64_t *next)
{
    *open = 0;
    *next = 1;
    pthread_mutex_lock(&lock);
    for (const struct rma_window *own = windows; own; own = own->next) {
        if (!is_of(own, communicator))
            continue;
        if (!own->closed && !*open)
            *open = own->key.number;
        *next = own->key.number + 1;
    }
    pthread_mutex_unlock(&lock);
    if (!*open)
        *open = *next;
}

/* Removes the communicator's first window from the list if its number is lower; else NULL. */
static struct rma_window *take_before(const struct key *communicator, uint64_t number)
{
    pthread_mutex_lock(&lock);
    struct rma_window **link = &windows, *own;
    while ((own = *link) && !is_of(own, communicator))
        link = &own->next;
    if (own && own->key.number < number)
        *link = own->next;
    else
        own = NULL;
    pthread_mutex_unlock(&lock);
    return own;
}

/* Collective: frees windows that all ranks have closed. */
static int free_closed(struct summand__state *state, struct key *communicator)
{
    uint64_t open;
    find_numbers(communicator, &open, &communicator->number);
    int code = summand__ballot_lowest(state->comm, &open, 1);
    for (struct rma_window *own;
         code == MPI_SUCCESS && (own = take_before(communicator, open)) != NULL;)
        end(own);
    return code;
}

static bool register_end(void)
{
    pthread_mutex_lock(&lock);
    if (!registered)
        registered = summand__at_finalize(on_finalize) == MPI_SUCCESS;
    bool done = registered;
    pthread_mutex_unlock(&lock);
    return done;
}

static size_t counters_bytes(const struct rma_window *own)
{
    return ((size_t)own->base.window.counters * sizeof(uint64_t) + LINE - 1) / LINE * LINE;
}

/* The displacement of byte `at` of a rank's counters and slots. */
static MPI_Aint place_at(const struct rma_window *own, int rank, size_t at)
{
    return (MPI_Aint)(own->shift[rank] + at);
}

/* A request to a rank. */
struct asking {
    struct rma_window *own;
    int rank;
};

static void each_asked(const void *of, summand__each_rank *each, void *to)
{
    each(to, ((const struct asking *)of)->rank);
}

static bool has_answered(void *context, int *code)
{
    const struct asking *asking = context;
    int done = 0;
    *code = PMPI_Test(&asking->own->asked[asking->rank].request, &done, MPI_STATUS_IGNORE);
    return *code == MPI_SUCCESS && done;
}

static bool has_deadline(const struct rma_window *own)
{
    const struct summand__watch *watch = own->base.window.watch;
    return own->base.state->channel.timeout > 0 || (watch && watch->timeout > 0);
}

/* Reads a byte after the target's slots, which is never written, and waits for it. An atomic would
 * not do: in some MPIs it waits for any rank that is in another one there. Reuses an earlier
 * request that has no answer yet. */
static int ask(struct rma_window *own, int rank)
{
    struct question *question = &own->asked[rank];
    struct asking asking = {own, rank};
    int code = MPI_SUCCESS;
    if (!has_deadline(own) || rank == own->base.state->rank)
        return MPI_SUCCESS;
    if (question->request == MPI_REQUEST_NULL)
        code = PMPI_Rget(&question->answer, 1, MPI_BYTE, rank,
                         place_at(own, rank, counters_bytes(own) + own->base.bytes), 1, MPI_BYTE,
                         own->win, &question->request);
    return code == MPI_SUCCESS
               ? summand__window_wait_until(&own->base.window, has_answered, &asking, each_asked, 0)
               : code;
}

static int flush(struct rma_window *own, int rank)
{
    int code = ask(own, rank);
    return code == MPI_SUCCESS ? PMPI_Win_flush(rank, own->win) : code;
}

/* Completes all puts to the rank. */
static int complete(struct rma_window *own, int rank)
{
    int code = own->unflushed[rank] ? flush(own, rank) : MPI_SUCCESS;
    if (code == MPI_SUCCESS)
        own->unflushed[rank] = false;
    return code;
}

/* Flushes a count, which cannot be taken back. The timeout of the current wait does not end this,
 * because the caller would count again; SUMMAND_TIMEOUT does. */
static int flush_count(struct rma_window *own, int rank)
{
    struct summand__watch *watch = own->base.window.watch;
    own->base.window.watch = NULL;
    int code = flush(own, rank);
    own->base.window.watch = watch;
    return code;
}

/* Increments a counter. If the rank does not answer in time, the caller may repeat it. */
static int count(struct rma_window *own, int rank, int counter, uint64_t more)
{
    uint64_t all = 1 + more;
    int code = own->broken == MPI_SUCCESS ? complete(own, rank) : own->broken;
    if (code == MPI_SUCCESS)
        code = ask(own, rank);
    if (code == MPI_SUCCESS)
        code = PMPI_Accumulate(&all, 1, MPI_UINT64_T, rank,
                               place_at(own, rank, (size_t)counter * sizeof(uint64_t)), 1,
                               MPI_UINT64_T, MPI_SUM, own->win);
    if (code == MPI_SUCCESS)
        own->broken = code = flush_count(own, rank);
    return code;
}

static int rma_put(struct summand__window *window, const struct summand__put *put)
{
    struct rma_window *own = (struct rma_window *)window;
    const char *data = put->data;
    int code = summand__window_check_put(window, put);
    if (code != MPI_SUCCESS)
        return code;
    size_t at = counters_bytes(own) + summand__window_place(&own->base, put);
    own->unflushed[put->rank] = own->unflushed[put->rank] || put->bytes;
    for (size_t done = 0, n; done < put->bytes && code == MPI_SUCCESS; done += n) {
        n = put->bytes - done < SUMMAND_INT_MAX ? put->bytes - done : SUMMAND_INT_MAX;
        code = PMPI_Put(data + done, (int)n, MPI_BYTE, put->rank,
                        place_at(own, put->rank, at + done), (int)n, MPI_BYTE, own->win);
    }
    if (code == MPI_SUCCESS && put->counter != SUMMAND__NO_COUNTER)
        return count(own, put->rank, put->counter, put->more);
    if (code == MPI_SUCCESS && put->bytes && !(put->flags & SUMMAND__PUT_NO_WAIT))
        code = PMPI_Win_flush_local(put->rank, own->win);
    return code;
}

static int rma_get(struct summand__window *window, const struct summand__get *get)
{
    struct rma_window *own = (struct rma_window *)window;
    char *data = get->data;
    int code = summand__window_check_get(window, get);
    if (code != MPI_SUCCESS)
        return code;
    size_t at = counters_bytes(own) + own->base.start[get->slot] + get->offset;
    for (size_t done = 0, n; done < get->bytes && code == MPI_SUCCESS; done += n) {
        n = get->bytes - done < SUMMAND_INT_MAX ? get->bytes - done : SUMMAND_INT_MAX;
        code = PMPI_Get(data + done, (int)n, MPI_BYTE, get->rank,
                        place_at(own, get->rank, at + done), (int)n, MPI_BYTE, own->win);
    }
    return code;
}

static int rma_complete(struct summand__window *window, int rank)
{
    int code = summand__window_check_rank(window, rank);
    return code == MPI_SUCCESS ? complete((struct rma_window *)window, rank) : code;
}

static int rma_notify(struct summand__window *window, int rank, int counter)
{
    int code = summand__window_check_notify(window, rank, counter);
    return code == MPI_SUCCESS ? count((struct rma_window *)window, rank, counter, 0) : code;
}

/* If the target has to help, it does so in any MPI call: all waits make some. */
static int rma_flush(struct summand__window *window, int rank, bool block, bool *done)
{
    struct rma_window *own = (struct rma_window *)window;
    (void)block;
    *done = true;
    if (rank == SUMMAND__EVERY_RANK)
        return PMPI_Win_flush_local_all(own->win);
    int code = summand__window_check_rank(window, rank);
    if (code == MPI_SUCCESS)
        code = ask(own, rank);
    return code == MPI_SUCCESS ? PMPI_Win_flush_local(rank, own->win) : code;
}

/* Some MPIs put by messages, which move when the target calls the MPI. */
static int rma_progress(struct summand__window *window)
{
    return summand__wait_drive_mpi(&((struct rma_window *)window)->base.state->channel);
}

static int read_counter(struct rma_window *own, int counter)
{
    uint64_t nothing = 0;
    int rank = own->base.state->rank;
    int code = PMPI_Fetch_and_op(&nothing, &own->seen[counter], MPI_UINT64_T, rank,
                                 place_at(own, rank, (size_t)counter * sizeof(uint64_t)), MPI_NO_OP,
                                 own->win);
    if (code == MPI_SUCCESS)
        code = PMPI_Win_flush(rank, own->win);
    return code == MPI_SUCCESS ? PMPI_Win_sync(own->win) : code;
}

static int rma_test(struct summand__window *window, int counter, uint64_t value, bool *done)
{
    struct rma_window *own = (struct rma_window *)window;
    int code = summand__window_check_counter(window, counter);
    if (code == MPI_SUCCESS && own->seen[counter] < value)
        code = read_counter(own, counter);
    *done = code == MPI_SUCCESS && own->seen[counter] >= value;
    return code;
}

static int rma_read(struct summand__window *window, int counter, uint64_t *value)
{
    struct rma_window *own = (struct rma_window *)window;
    int code = summand__window_check_counter(window, counter);
    if (code == MPI_SUCCESS)
        code = read_counter(own, counter);
    if (code == MPI_SUCCESS)
        *value = own->seen[counter];
    return code;
}

static bool rma_available(const struct summand__state *state)
{
#ifdef SMPI_H /* SimGrid's windows serve for tests only */
    (void)state;
    return false;
#else
    return state->ranks > 0;
#endif
}

static void rma_close(struct summand__window *window)
{
    struct rma_window *own = (struct rma_window *)window;
    if (!own)
        return;
    pthread_mutex_lock(&lock);
    bool ended = own->ended;
    own->closed = true;
    pthread_mutex_unlock(&lock);
    if (ended)
        free_local(own);
}

/* Values that ranks exchange about windows: bytes to the first cache line, or one of these. */
enum { FAILED = LINE, NONE };

/* True if the window is usable. Owners may write to their slots, which the separate model allows
 * only between epochs. Some MPIs make windows and then refuse operations on them. */
static bool works(struct rma_window *own)
{
    uint64_t nothing = 0, seen = 1;
    int rank = own->base.state->rank, *model, known = 0;
    if (PMPI_Win_get_attr(own->win, MPI_WIN_MODEL, (void *)&model, &known) != MPI_SUCCESS ||
        !known || *model != MPI_WIN_UNIFIED)
        return false;
    int code = PMPI_Fetch_and_op(&nothing, &seen, MPI_UINT64_T, rank, 0, MPI_NO_OP, own->win);
    if (code == MPI_SUCCESS)
        code = PMPI_Win_flush(rank, own->win);
    return code == MPI_SUCCESS && !seen;
}

/* Allocates zeros; returns the value for the other ranks (enum above). */
static unsigned char allocate(struct rma_window *own, size_t bytes, bool *locked)
{
    unsigned char *memory = NULL;
    *locked = false;
    if (PMPI_Win_allocate((MPI_Aint)(bytes + LINE), 1, MPI_INFO_NULL, own->base.state->comm,
                          (void *)&memory, &own->win) != MPI_SUCCESS)
        return NONE;
    if (PMPI_Win_set_errhandler(own->win, MPI_ERRORS_RETURN) != MPI_SUCCESS)
        return FAILED;
    memset(memory, 0, bytes + LINE);
    *locked = PMPI_Win_lock_all(MPI_MODE_NOCHECK, own->win) == MPI_SUCCESS;
    if (!*locked || PMPI_Win_sync(own->win) != MPI_SUCCESS || !works(own))
        return FAILED;
    unsigned char shift = (unsigned char)(-(uintptr_t)memory % LINE);
    own->memory = memory + shift;
    summand__window_base_expose(&own->base, own->memory + counters_bytes(own));
    return shift;
}

/* Allocates on a cache line. Other ranks put only after the gather, which all have joined. If a
 * rank has got no window, the others cannot free theirs, which stay. */
static int expose(struct rma_window *own, size_t bytes)
{
    const struct summand__state *state = own->base.state;
    bool locked;
    unsigned char told = allocate(own, bytes, &locked), worst = 0;
    int code = summand__ballot_gather(state->comm, &told, own->shift, 1);
    if (code != MPI_SUCCESS)
        return code;
    for (int r = 0; r < state->ranks; r++)
        worst = own->shift[r] > worst ? own->shift[r] : worst;
    if (worst < FAILED)
        return MPI_SUCCESS;
    if (locked)
        PMPI_Win_unlock_all(own->win);
    if (worst == FAILED)
        PMPI_Win_free(&own->win);
    return MPI_ERR_UNSUPPORTED_OPERATION;
}

static int rma_open(struct summand__state *state, const struct summand__window_spec *spec,
                    struct summand__window **window)
{
    const struct summand__context *context = &state->context;
    struct key key = {{context->fabric->id[0], context->fabric->id[1]}, context->id, 0};
    struct rma_window *own = (struct rma_window *)summand__window_base_make(
        state, spec, &summand__rma_window, sizeof *own);
    *window = NULL;
    if (own) {
        own->shift = malloc((size_t)state->ranks);
        own->unflushed = calloc((size_t)state->ranks, sizeof *own->unflushed);
        own->seen = calloc((size_t)spec->counters + 1, sizeof *own->seen);
        own->asked = malloc((size_t)state->ranks * sizeof *own->asked);
    }
    for (int r = 0; own && own->asked && r < state->ranks; r++)
        own->asked[r].request = MPI_REQUEST_NULL;
    const size_t bytes = own ? counters_bytes(own) + own->base.bytes : 0;
    bool has_memory = own && own->shift && own->unflushed && own->seen && own->asked &&
                      summand__window_can_allocate(bytes + LINE);
    struct summand__window_terms terms;
    struct summand__window_spec asked = *spec;
    asked.deadline |= !summand__window_may_have_file(state, bytes); /* refused alike below */
    int code = summand__window_agree(state, &asked, has_memory && register_end(), &terms);
    if (code == MPI_SUCCESS)
        code = terms.deadline ? MPI_ERR_UNSUPPORTED_OPERATION : free_closed(state, &key);
    if (code == MPI_SUCCESS)
        code = expose(own, bytes);
    summand__window_left(state, code);
    if (code != MPI_SUCCESS) {
        free_local(own);
        return code;
    }
    own->key = key;
    insert(own);
    *window = &own->base.window;
    return MPI_SUCCESS;
}

const struct summand__window_transport summand__rma_window = {
    .name = "rma",
    .abilities = SUMMAND__PASSIVE_TARGET | SUMMAND__NOTIFY_COMPLETES | SUMMAND__GETS,
    .available = rma_available,
    .open = rma_open,
    .close = rma_close,
    .put = rma_put,
    .get = rma_get,
    .complete = rma_complete,
    .notify = rma_notify,
    .flush = rma_flush,
    .progress = rma_progress,
    .test = rma_test,
    .read = rma_read,
    .wait_any = summand__window_wait_any};
