/* np: 2 3; other_sleeper; over: shm */
/* SPDX-License-Identifier: BSD-3-Clause */
/* Gossip: messages that an earlier call has left under this call's tags are not taken for this
 * call's. A rank that has waited for a free send buffer has the whole limit for its next wait. */
#include <math.h>
#include <stdbool.h>
#include <summand.h>

#include "comm/state.h"
#include "gossip/mpi/runner.h"
#include "kernel/seal.h"
#include "mpi/harness.h"

enum { ASK = SUMMAND__ASK_WORDS, WORDS = 2 * SUMMAND__EXCHANGE_WORDS };
enum { HELD = 2, ASLEEP = 4, LIMIT = 3 /* seconds */ };

/* The first message of its kind in the previous call: as long as the next call's. */
struct late {
    int count, to;
    int64_t words[WORDS];
};

static struct {
    int tag[SUMMAND__TAGS]; /* of the next call */
    struct late mass, exchange;
    long masses, exchanges; /* sent by this rank in that call */
    const MPI_Request *exchange_send;
    double held_until; /* no send is over before */
    bool slow;         /* this call waits for places */
} spy;

int __real_PMPI_Isend(const void *from, int count, MPI_Datatype type, int to, int tag,
                      MPI_Comm comm, MPI_Request *request);
int __wrap_PMPI_Isend(const void *from, int count, MPI_Datatype type, int to, int tag,
                      MPI_Comm comm, MPI_Request *request);
int __wrap_PMPI_Isend(const void *from, int count, MPI_Datatype type, int to, int tag,
                      MPI_Comm comm, MPI_Request *request)
{
    bool mass = tag == spy.tag[SUMMAND__MASS];
    bool exchange = tag == spy.tag[SUMMAND__EXCHANGE];
    struct late *kept = mass && !spy.masses          ? &spy.mass
                        : exchange && !spy.exchanges ? &spy.exchange
                                                     : NULL;
    if (kept) {
        kept->count = count;
        kept->to = to;
        memcpy(kept->words, from, (size_t)count * sizeof *kept->words);
    }
    if (exchange)
        spy.exchange_send = request;
    spy.masses += mass;
    spy.exchanges += exchange;
    int code = __real_PMPI_Isend(from, count, type, to, tag, comm, request);
    if (mass && spy.slow && spy.masses == SUMMAND__SENDS && harness_rank == 1)
        sleep(ASLEEP);
    return code;
}

/* No send of a mass completes before all send buffers are in use, and for HELD more seconds. */
static bool is_held(const MPI_Request *request)
{
    if (!spy.slow || harness_rank || !spy.masses || request == spy.exchange_send)
        return false;
    if (spy.masses < SUMMAND__SENDS)
        return true;
    if (!spy.held_until)
        spy.held_until = MPI_Wtime() + HELD;
    return MPI_Wtime() < spy.held_until;
}

int __real_PMPI_Test(MPI_Request *request, int *done, MPI_Status *status);
int __wrap_PMPI_Test(MPI_Request *request, int *done, MPI_Status *status);
int __wrap_PMPI_Test(MPI_Request *request, int *done, MPI_Status *status)
{
    *done = 0;
    return is_held(request) ? MPI_SUCCESS : __real_PMPI_Test(request, done, status);
}

static struct summand__state *state_of_world(void)
{
    struct summand__state *state = NULL;
    CHECK(summand__state_of(MPI_COMM_WORLD, &state) == MPI_SUCCESS, "state");
    return state;
}

/* Takes the tags of the next call in the call's own way. */
static void know_tags(void)
{
    const struct summand__state *state = state_of_world();
    struct summand__tags tags = {.calls = state->tags.calls};
    for (int kind = 0; kind < SUMMAND__TAGS; kind++)
        spy.tag[kind] = summand__channel_tag(&state->channel, summand__tags_call(&tags));
    spy.masses = spy.exchanges = 0;
}

static void send_late(const int64_t *words, int count, int to, int kind)
{
    const struct summand__state *state = state_of_world();
    MPI_Send(words, count, MPI_INT64_T, summand__channel_peer(&state->channel, to), spy.tag[kind],
             state->channel.comm);
}

/* The next call's number with one bit changed: another call's number. */
static int64_t other_epoch(void)
{
    return (int64_t)((state_of_world()->tags.calls + SUMMAND__TAGS) & 0x7fffffff) ^ 1 << 20;
}

/* A request for a flow, an answer, and a notice that this rank has failed. */
static void send_made_up(int to)
{
    int64_t ask[2 * ASK] = {other_epoch() << 8 | SUMMAND__ASK << 1, 0};
    ask[ASK - 1] = (int64_t)summand__seal((uint64_t)harness_rank, ask, ASK - 1);
    memcpy(ask + ASK, ask, ASK * sizeof *ask);
    send_late(ask, 2 * ASK, to, SUMMAND__ASK);
    int64_t abort[3] = {other_epoch(), MPI_ERR_OTHER};
    abort[2] = (int64_t)summand__seal((uint64_t)harness_rank, abort, 2);
    send_late(abort, 3, to, SUMMAND__ABORT);
}

static void gossip(int salt, double limit, double eps)
{
    summand_gossip_options o = summand_gossip_options_default();
    double x = sin(salt + harness_rank), y = -7, sum;
    o.timeout = limit;
    o.eps = eps;
    int code = summand_gossip_allreduce(&x, &y, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &o, NULL);
    MPI_Allreduce(&x, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    CHECK(code == MPI_SUCCESS && fabs(y - sum) <= 2e-9 * fabs(sum),
          "call %d: code %d, %.17g for "
          "%.17g",
          salt, code, y, sum);
}

/* A call receives all of its own messages: a late message taken for the first one would leave the
 * last one. */
static void test_nothing_left(int salt)
{
    const struct summand__state *state = state_of_world();
    int there = 0;
    MPI_Barrier(MPI_COMM_WORLD);
    for (int kind = 0; kind < SUMMAND__ABORT; kind++) {
        MPI_Iprobe(MPI_ANY_SOURCE, spy.tag[kind], state->channel.comm, &there, MPI_STATUS_IGNORE);
        CHECK(!there, "call %d, kind %d: a message is left", salt, kind);
    }
}

/* Late messages are there before the call begins: every receiver of one has it first. */
static void test_late(void)
{
    know_tags();
    gossip(1, 20, 1e-9);
    CHECK(spy.mass.count > 0 && spy.exchange.count > 0, "nothing was sent");
    for (int salt = 2; salt < 5; salt++) {
        struct late mass = spy.mass, exchange = spy.exchange;
        know_tags();
        send_late(mass.words, mass.count, mass.to, SUMMAND__MASS);
        send_late(exchange.words, exchange.count, exchange.to, SUMMAND__EXCHANGE);
        for (int r = 0; r < harness_ranks; r++)
            if (r != harness_rank)
                send_made_up(r);
        MPI_Barrier(MPI_COMM_WORLD);
        gossip(salt, 20, 1e-9);
        test_nothing_left(salt);
    }
}

/* Rank 0 waits for a send buffer, and then for rank 1: each wait is below the limit, their sum is
 * above. */
static void test_each_wait_begins_anew(void)
{
    know_tags();
    spy.slow = true;
    gossip(5, LIMIT, 1e-14);
    spy.slow = false;
    CHECK(harness_rank || spy.held_until > 0, "no wait for a place");
}

TESTS
{
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    test_late();
    if (harness_ranks == 2)
        test_each_wait_begins_anew();
}
