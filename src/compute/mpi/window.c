/* SPDX-License-Identifier: BSD-3-Clause */
#include "compute/mpi/window.h"

#include <stdlib.h>
#include <string.h>
#include <summand/error.h>

#include "base/hash.h"
#include "wait/ballot.h"

enum { LINE = 64 };

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
        sum = (sum ^ (i < 3 ? words[i] : spec->slot_bytes[i - 3])) * SUMMAND__GOLDEN + (sum >> 29);
    return sum >> 2;
}

void summand__window_left(struct summand__state *state, int code)
{
    state->astray = state->astray || code == summand_error_code(SUMMAND_ERR_TIMEOUT);
}

int summand__window_agree(struct summand__state *state, const struct summand__window_spec *spec,
                          bool has_memory, struct summand__window_terms *terms)
{
    enum { LIVING = 5, WORDS = LIVING + SUMMAND__WINDOW_WORDS };
    bool valid = spec->slots >= 0 && spec->counters >= 0;
    uint64_t sum = valid ? hash(spec) : 0;
    uint64_t all[WORDS] = {!valid, !has_memory, sum, ~sum, spec->deadline};
    memcpy(all + LIVING, state->tags.living_windows, sizeof state->tags.living_windows);
    int code = state->astray ? summand_error_code(SUMMAND_ERR_TIMEOUT)
                             : summand__ballot_or(state->comm, all, WORDS);
    summand__window_left(state, code);
    if (code != MPI_SUCCESS)
        return code;
    terms->deadline = all[4];
    memcpy(terms->living, all + LIVING, sizeof terms->living);
    if (all[0])
        return MPI_ERR_ARG;
    if (all[2] & all[3])
        return summand_error_code(SUMMAND_ERR_MISMATCH);
    return all[1] ? summand_error_code(SUMMAND_ERR_MEMORY) : MPI_SUCCESS;
}

bool summand__window_can_allocate(size_t bytes)
{
    void *volatile memory = malloc(bytes);
    free(memory);
    return memory;
}

bool summand__window_may_have_file(const struct summand__state *state, size_t bytes)
{
    enum { OF_THE_MPI = 1 << 20 };
    size_t limit = summand__allowance_now().file;
    return limit > OF_THE_MPI && bytes < (limit - OF_THE_MPI) / (size_t)state->ranks;
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

int summand__window_check_notify(const struct summand__window *window, int rank, int counter)
{
    int code = summand__window_check_rank(window, rank);
    return code == MPI_SUCCESS ? summand__window_check_counter(window, counter) : code;
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
    size_t at = window->head + (size_t)put->offset; /* wraps round if it begins before the head */
    return at > room || put->bytes > room - at ? MPI_ERR_RMA_RANGE : MPI_SUCCESS;
}

int summand__window_check_get(const struct summand__window *window, const struct summand__get *get)
{
    int code = summand__window_check_rank(window, get->rank);
    if (code != MPI_SUCCESS)
        return code;
    if (get->slot < 0 || get->slot >= window->slots)
        return MPI_ERR_ARG;
    size_t room = window->slot[get->slot].bytes;
    return get->offset > room || get->bytes > room - get->offset ? MPI_ERR_RMA_RANGE : MPI_SUCCESS;
}

/* A watch of the plan keeps its state, and watches other ranks meanwhile. */
int summand__window_wait_until(struct summand__window *window, summand__poll *poll, void *context,
                               void (*awaited)(const void *of, summand__each_rank *each, void *to),
                               double timeout)
{
    struct summand__state *state = ((struct summand__window_base *)window)->state;
    struct summand__watch own = {.channel = &state->channel},
                          *watch = window->watch ? window->watch : &own;
    struct summand__watch before = *watch;
    struct summand__wait wait = {
        .backoff = {.oversubscribed = state->nodes.most > state->nodes.processors,
                    .awake = !(window->transport->abilities & SUMMAND__PASSIVE_TARGET)},
        .watch = watch,
        .mpi = true};
    if (awaited) {
        watch->awaited = awaited;
        watch->of = context;
    }
    watch->timeout = timeout > 0 ? timeout : before.timeout;
    int code = summand__wait_until(&wait, poll, context);
    if (watch == &own)
        summand__watch_end(watch);
    watch->awaited = before.awaited;
    watch->of = before.of;
    watch->timeout = before.timeout;
    return code;
}

/* Counters that are waited for. */
struct counters {
    struct summand__window *window;
    const struct summand__counter_wait *waits;
    int n, which;
};

static void each_producer(const void *of, summand__each_rank *each, void *to)
{
    const struct counters *counters = of;
    const struct summand__state *state = ((struct summand__window_base *)counters->window)->state;
    for (int i = 0; i < counters->n; i++) {
        int rank = counters->waits[i].producer;
        for (int r = 0; r < state->ranks; r++)
            if (r != state->rank && (rank == SUMMAND__ANY_PRODUCER || r == rank))
                each(to, r);
    }
}

static bool look_at_counters(void *context, int *code)
{
    struct counters *counters = context;
    struct summand__window *window = counters->window;
    bool done = false;
    for (int i = 0; i < counters->n && !done && *code == MPI_SUCCESS; i++) {
        const struct summand__counter_wait *wait = &counters->waits[i];
        *code = window->transport->test(window, wait->counter, wait->value, &done);
        counters->which = i;
    }
    return done && *code == MPI_SUCCESS;
}

int summand__window_wait_any(struct summand__window *window, int n,
                             const struct summand__counter_wait *waits, double timeout, int *which)
{
    struct counters counters = {window, waits, n, -1};
    int code = n > 0 ? MPI_SUCCESS : MPI_ERR_ARG;
    for (int i = 0; i < n && code == MPI_SUCCESS; i++)
        code = summand__window_check_counter(window, waits[i].counter);
    if (code == MPI_SUCCESS)
        code =
            summand__window_wait_until(window, look_at_counters, &counters, each_producer, timeout);
    *which = counters.which;
    return code;
}
