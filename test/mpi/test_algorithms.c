/* np: 1 2 3 4 5, long: 6 7 8 9 13; together; also: corrected/5 read/2 mixed-read/3 checked/5 */
/* SPDX-License-Identifier: BSD-3-Clause */
/* Every algorithm and collective over the transport in SUMMAND_TRANSPORT, against the sequential
 * result. The operator does not commute: affine maps x -> a x + b modulo a prime. */
#include "algorithm/call.h"
#include "exec/execute.h"
#include "lab/verify/cases.h"
#include "mpi/harness.h"
#include "mpi/link.h"
#include "transport/route.h"

enum { PRIME = 65521 };

struct map {
    uint32_t a, b;
};

static struct summand__state *state;

static void compose(const void *context, const void *in, void *inout, size_t count)
{
    const struct map *f = in;
    struct map *g = inout;
    (void)context;
    for (size_t i = 0; i < count; i++)
        g[i] = (struct map){(uint32_t)((uint64_t)f[i].a * g[i].a % PRIME),
                            (uint32_t)(((uint64_t)f[i].a * g[i].b + f[i].b) % PRIME)};
}

static void add(const void *context, const void *in, void *inout, size_t count)
{
    const struct map *f = in;
    struct map *g = inout;
    (void)context;
    for (size_t i = 0; i < count; i++)
        g[i] = (struct map){(f[i].a + g[i].a) % PRIME, (f[i].b + g[i].b) % PRIME};
}

static void copy(const void *context, const void *from, void *to, size_t count)
{
    (void)context;
    memcpy(to, from, count * sizeof(struct map));
}

static struct map contribution(int rank, size_t element)
{
    return (struct map){((uint32_t)rank * 7919u + (uint32_t)element * 31337u + 2u) % PRIME,
                        ((uint32_t)rank * 131u + (uint32_t)element * 17u + 1u) % PRIME};
}

static bool gathers(const struct summand__call *call)
{
    return summand__has_blocks(call->collective) && !summand__has_operator(call->collective);
}

static int owner_of(const struct summand__call *call, size_t element)
{
    for (int r = 0; gathers(call) && r < call->ranks; r++) {
        struct summand__block block = summand__call_block(call, r);
        if (element >= block.first && element < block.first + block.count)
            return r;
    }
    return call->root;
}

static struct map wanted(const struct summand__call *call, size_t element, bool ordered)
{
    if (!summand__has_operator(call->collective))
        return contribution(owner_of(call, element), element);
    const int ranks = summand__call_contributing(call);
    struct map result = contribution(ranks - 1, element);
    for (int r = ranks - 2; r >= 0; r--) {
        struct map f = contribution(r, element);
        (ordered ? compose : add)(NULL, &f, &result, 1);
    }
    return result;
}

static void check_result(const struct summand__algorithm *algorithm,
                         const struct summand__call *call, const struct map *recvbuf)
{
    bool scatters = summand__has_blocks(call->collective) && !gathers(call);
    size_t first = scatters ? summand__call_block(call, call->rank).first : 0;
    for (size_t i = 0; i < summand__call_output(call).count; i++) {
        struct map right =
            wanted(call, first + i, summand__promises_of(algorithm, call) & SUMMAND__RANK_ORDER);
        CHECK(right.a == recvbuf[i].a && right.b == recvbuf[i].b, "%s %s, root %d, element %zu",
              algorithm->name, summand__collective_name(call->collective), call->root, i);
    }
}

static bool run_case(const struct summand__algorithm *algorithm, const struct summand__call *shape,
                     void *context)
{
    struct summand__call call = *shape;
    struct summand__schedule schedule;
    struct summand__execution execution;
    struct summand__route route;
    if (harness_skips())
        return true;
    call.rank = harness_rank;
    call.in_place = summand__call_in_place(&call, call.rank);
    summand__build(algorithm, &call, &schedule);
    size_t total = summand__call_total(&call);
    struct map *memory = calloc(2 * total + schedule.scratch + 1, sizeof *memory);
    struct map *sendbuf = memory, *recvbuf = memory + total, *scratch = memory + 2 * total;
    struct summand__region input = summand__call_input(&call);
    size_t first = gathers(&call) ? summand__call_block(&call, call.rank).first : 0;
    for (size_t i = 0; i < input.count; i++)
        (input.place == SUMMAND__SENDBUF ? sendbuf : recvbuf)[input.first + i] =
            contribution(call.rank, first + i);
    struct summand__operator operator= {.extent = sizeof(struct map), .copy = copy};
    operator.reduce = summand__promises_of(algorithm, shape) & SUMMAND__RANK_ORDER ? compose : add;
    link_open(&route, state, *(MPI_Datatype *)context, 1, summand__schedule_width(&schedule));
    summand__execution_init(&execution, &schedule, &operator, route.link, sendbuf, recvbuf,
                            scratch);
    int code = summand__execution_start(&execution);
    CHECK(code == MPI_SUCCESS, "start: %d", code);
    code = summand__execution_wait(&execution);
    CHECK(code == MPI_SUCCESS, "wait: %d", code);
    check_result(algorithm, &call, recvbuf);
    summand__execution_free(&execution);
    summand__route_close(&route);
    free(memory);
    return true;
}

/* Segments that are long messages, and ends of vectors that are short ones, in the same rounds. */
static void long_segments(const struct summand__algorithm *algorithm, MPI_Datatype *map)
{
    for (int c = SUMMAND__COLL_REDUCE; c <= SUMMAND__COLL_BCAST; c++) {
        struct summand__call call = {.collective = (enum summand__collective)c,
                                     .ranks = harness_ranks,
                                     .root = harness_ranks / 2,
                                     .count = 2 * 18003 + 1};
        call.parameter[SUMMAND__SEGMENT] = 9001;
        if (summand__algorithm_does(algorithm, &call))
            run_case(algorithm, &call, map);
    }
}

/* A short and a long message of one round, to the next rank: they arrive in order. */
static void short_then_long(MPI_Datatype map)
{
    enum { SHORT_ONE = 3, LONG_ONE = 20000 };
    static struct map from[LONG_ONE], to[SHORT_ONE + LONG_ONE];
    int next = (harness_rank + 1) % harness_ranks;
    int last = (harness_rank + harness_ranks - 1) % harness_ranks;
    struct summand__route route;
    bool done = false;
    for (uint32_t i = 0; i < LONG_ONE; i++)
        from[i] = contribution(harness_rank, i);
    link_open(&route, state, map, 1, 4);
    link_recv(route.link, 0, 0, last, to, SHORT_ONE, NULL);
    link_recv(route.link, 0, 0, last, to + SHORT_ONE, LONG_ONE, NULL);
    link_send(route.link, 0, 0, next, from, SHORT_ONE);
    link_send(route.link, 0, 0, next, from, LONG_ONE);
    int code = link_complete(route.link, 0, true, &done);
    CHECK(code == MPI_SUCCESS && done, "complete: %d", code);
    for (uint32_t i = 0; i < LONG_ONE; i++)
        CHECK(to[SHORT_ONE + i].a == contribution(last, i).a, "element %u", i);
    summand__route_close(&route);
}

TESTS
{
    MPI_Datatype map;
    if (summand__state_of(MPI_COMM_WORLD, &state) != MPI_SUCCESS)
        MPI_Abort(MPI_COMM_WORLD, 1);
    MPI_Type_contiguous((int)sizeof(struct map), MPI_BYTE, &map);
    MPI_Type_commit(&map);
    short_then_long(map);
    for (int i = 0; summand__algorithms[i]; i++) {
        long_segments(summand__algorithms[i], &map);
        for (int c = 0; c < SUMMAND__MPI_COLLECTIVES; c++)
            CHECK(summand__cases(summand__algorithms[i], (enum summand__collective)c, harness_ranks,
                                 SUMMAND__FEW_CASES, run_case, &map),
                  "%s", summand__algorithms[i]->name);
    }
    MPI_Type_free(&map);
}
