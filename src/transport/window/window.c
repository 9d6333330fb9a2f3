#include "transport/window/window.h"

#include <stdlib.h>
#include <summand/error.h>

#include "base/backoff.h"
#include "comm/wait/watch.h"

enum { LINE = 64 };

const struct summand__window_transport *const summand__window_transports[] = {&summand__shm_window,
                                                                              NULL};

const struct summand__window_transport *
summand__window_transport_for(const struct summand__state *state)
{
    const struct summand__window_transport *const *transport = summand__window_transports;
    while (*transport && !(*transport)->available(state))
        transport++;
    return *transport;
}

bool summand__window_passive(const struct summand__state *state)
{
    const struct summand__window_transport *transport = summand__window_transport_for(state);
    return transport && transport->abilities & SUMMAND__PASSIVE_TARGET;
}

/* Adds to a sum of bytes; no object is larger than half the address space. */
static bool add(size_t *sum, size_t bytes)
{
    *sum += bytes < SIZE_MAX / 4 ? bytes : SIZE_MAX / 4;
    return *sum < SIZE_MAX / 4;
}

/* Each slot begins with its data on a cache line. */
static bool lay_out(struct summand__window_base *base, const struct summand__window_spec *spec)
{
    size_t end = 0;
    bool fits = spec->head < SIZE_MAX / 4;
    for (int s = 0; s < spec->slots && fits; s++) {
        fits = add(&end, spec->head + LINE - 1);
        base->start[s] = end = end / LINE * LINE;
        base->window.slot[s].bytes = spec->slot_bytes[s];
        fits = fits && add(&end, spec->slot_bytes[s]) && add(&end, spec->trailer);
    }
    fits = fits && add(&end, LINE - 1);
    base->bytes = end / LINE * LINE;
    return fits;
}

struct summand__window_base *
summand__window_base_make(struct summand__state *state, const struct summand__window_spec *spec,
                          const struct summand__window_transport *transport, size_t bytes)
{
    if (spec->slots < 0 || spec->counters < 0)
        return NULL;
    struct summand__window_base *base = calloc(1, bytes);
    if (!base)
        return NULL;
    base->state = state;
    base->window = (struct summand__window){.transport = transport,
                                            .slots = spec->slots,
                                            .counters = spec->counters,
                                            .head = spec->head,
                                            .trailer = spec->trailer};
    base->window.slot = calloc((size_t)spec->slots + 1, sizeof *base->window.slot);
    base->start = calloc((size_t)spec->slots + 1, sizeof *base->start);
    if (base->window.slot && base->start && lay_out(base, spec))
        return base;
    summand__window_base_free(base);
    return NULL;
}

void summand__window_base_free(struct summand__window_base *base)
{
    if (!base)
        return;
    free(base->window.slot);
    free(base->start);
    free(base);
}

void summand__window_base_expose(struct summand__window_base *base, unsigned char *memory)
{
    for (int s = 0; s < base->window.slots; s++)
        base->window.slot[s].data = memory + base->start[s];
}

static uint64_t hash(const struct summand__window_spec *spec)
{
    uint64_t words[4] = {(uint64_t)spec->counters, spec->head, spec->trailer}, sum = 0;
    for (int i = 0; i < spec->slots + 3; i++)
        sum = (sum ^ (i < 3 ? words[i] : spec->slot_bytes[i - 3])) * UINT64_C(0x9e3779b97f4a7c15) +
              (sum >> 29);
    return sum >> 2;
}

int summand__window_agree(struct summand__state *state, const struct summand__window_spec *spec,
                          bool has_memory)
{
    bool valid = spec->slots >= 0 && spec->counters >= 0;
    int64_t sum = valid ? (int64_t)hash(spec) : 0, own[4] = {!valid, !has_memory, sum, -sum},
            all[4];
    int code = MPI_Allreduce(own, all, 4, MPI_INT64_T, MPI_MAX, state->comm);
    if (code != MPI_SUCCESS)
        return code;
    if (all[0])
        return MPI_ERR_ARG;
    if (all[2] != -all[3])
        return summand_error_code(SUMMAND_ERR_MISMATCH);
    return all[1] ? summand_error_code(SUMMAND_ERR_MEMORY) : MPI_SUCCESS;
}

int summand__window_check_rank(const struct summand__window *window, int rank)
{
    const struct summand__state *state = ((const struct summand__window_base *)window)->state;
    return rank >= 0 && rank < state->ranks ? MPI_SUCCESS : MPI_ERR_RANK;
}

int summand__window_check_counter(const struct summand__window *window, int counter)
{
    return counter >= 0 && counter < window->counters ? MPI_SUCCESS : MPI_ERR_ARG;
}

int summand__window_check_put(const struct summand__window *window, const struct summand__put *put)
{
    int code = summand__window_check_rank(window, put->rank);
    if (code != MPI_SUCCESS)
        return code;
    if (put->slot < 0 || put->slot >= window->slots)
        return MPI_ERR_ARG;
    if (put->counter != SUMMAND__NO_COUNTER &&
        summand__window_check_counter(window, put->counter) != MPI_SUCCESS)
        return MPI_ERR_ARG;
    size_t room = window->head + window->slot[put->slot].bytes + window->trailer;
    size_t at = window->head + (size_t)put->offset; /* goes round where it begins before the head */
    return at > room || put->bytes > room - at ? MPI_ERR_RMA_RANGE : MPI_SUCCESS;
}

/* The producers of the counters that are waited for. */
struct producers {
    const struct summand__state *state;
    const struct summand__counter_wait *waits;
    int n;
};

static void each_producer(const void *of, summand__each_rank *each, void *context)
{
    const struct producers *producers = of;
    const struct summand__state *state = producers->state;
    for (int i = 0; i < producers->n; i++) {
        int rank = producers->waits[i].producer;
        for (int r = 0; r < state->ranks; r++)
            if (r != state->rank && (rank == SUMMAND__ANY_PRODUCER || r == rank))
                each(context, r);
    }
}

/* The first that has come to its value; -1: none. */
static int look(struct summand__window *window, int n, const struct summand__counter_wait *waits,
                int *code)
{
    bool done = false;
    for (int i = 0; i < n && *code == MPI_SUCCESS; i++) {
        *code = window->transport->test(window, waits[i].counter, waits[i].value, &done);
        if (*code == MPI_SUCCESS && done)
            return i;
    }
    return -1;
}

/* The MPI's own messages move meanwhile: the producer may wait for one. */
static int look_around(const struct summand__state *state, struct summand__watch *watch,
                       uint64_t since)
{
    MPI_Comm comm = state->segment ? state->segment->comm : summand__state_channel(state);
    int flag, code = MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, comm, &flag, MPI_STATUS_IGNORE);
    int end = summand__watch_look(watch, since, true);
    return code == MPI_SUCCESS ? end : code;
}

static int wait_on(struct summand__window *window, int n, const struct summand__counter_wait *waits,
                   struct summand__watch *watch, int *which)
{
    const struct summand__state *state = ((struct summand__window_base *)window)->state;
    struct summand__backoff backoff = {
        .oversubscribed = state->nodes.node_size > state->nodes.processors,
        .awake = !(window->transport->abilities & SUMMAND__PASSIVE_TARGET)};
    int code = MPI_SUCCESS;
    while ((*which = look(window, n, waits, &code)) < 0 && code == MPI_SUCCESS) {
        if (!summand__wait_a_turn(&backoff))
            continue;
        int end = look_around(state, watch, backoff.yielded);
        if (end == MPI_SUCCESS)
            continue;
        *which = look(window, n, waits, &code);
        return *which < 0 && code == MPI_SUCCESS ? end : code;
    }
    return code;
}

/* A watch that is the plan's keeps what it has seen, and is told of the producers meanwhile. */
int summand__window_wait_any(struct summand__window *window, int n,
                             const struct summand__counter_wait *waits, double timeout, int *which)
{
    struct summand__state *state = ((struct summand__window_base *)window)->state;
    struct summand__watch own = {.state = state}, *watch = window->watch ? window->watch : &own;
    struct producers producers = {state, waits, n};
    int code = n > 0 ? MPI_SUCCESS : MPI_ERR_ARG;
    for (int i = 0; i < n && code == MPI_SUCCESS; i++)
        code = summand__window_check_counter(window, waits[i].counter);
    if (code != MPI_SUCCESS)
        return code;
    struct summand__watch before = *watch;
    watch->awaited = each_producer;
    watch->of = &producers;
    watch->timeout = timeout > 0 ? timeout : before.timeout;
    code = wait_on(window, n, waits, watch, which);
    if (watch == &own)
        summand__watch_end(watch);
    watch->awaited = before.awaited;
    watch->of = before.of;
    watch->timeout = before.timeout;
    return code;
}
