/* np: 2 3 4; together brief */
/* SPDX-License-Identifier: BSD-3-Clause */
/* A rank that waits for a counter, for messages or for the end of its puts progresses all its other
 * active operations, because other ranks may need them first. Schedules that the proof accepts end,
 * over every window transport. Ranks work in pairs, 0 with 1, 2 with 3. */
#include <stdlib.h>
#include <summand.h>

#include "compute/mpi/window.h"
#include "lab/verify/prove_steps.h"
#include "mpi/doubles.h"
#include "mpi/neighbours.h"

enum { COUNT = 150000, WINDOW = SUMMAND__PLACES, INPUT };

static struct summand__state *state;
static const struct summand__window_transport *transport;

/* Appends the steps of the giver, or of the taker. */
typedef void append(struct summand__schedule *schedule, int rank, bool gives, size_t n);

static int partner_of(int rank)
{
    return rank ^ 1;
}

static void make_schedule(append *part, int rank, int ranks, size_t n,
                          struct summand__schedule *schedule)
{
    int partner = partner_of(rank);
    summand__schedule_init(schedule);
    summand__add_place(schedule, SUMMAND__WINDOW, sizeof(double), n);
    summand__add_place(schedule, SUMMAND__INPUT, sizeof(double), n);
    summand__add_counter(schedule, partner < ranks ? partner : rank, partner < ranks && rank % 2);
    if (partner < ranks)
        part(schedule, partner, rank % 2 == 0, n);
    CHECK(!schedule->failed, "memory");
}

/* Proves one start, whatever its messages and puts wait for. */
static void prove(append *part)
{
    struct summand__schedule schedules[4];
    struct summand__steps_proof proof = {
        .ranks = harness_ranks, .schedules = schedules, .sendbuf = 3, .recvbuf = 6};
    for (int r = 0; r < harness_ranks; r++)
        make_schedule(part, r, harness_ranks, 3, &schedules[r]);
    CHECK(summand__prove_steps(&proof), "%s", proof.fault);
    for (int r = 0; r < harness_ranks; r++)
        summand__schedule_free(&schedules[r]);
}

/* A plan with its buffers, and a plain plan that exchanges long messages with the partner. */
struct subject {
    struct summand__onesided onesided;
    double *x, *y, *in, *out;
    summand_plan *plan, *exchange;
};

static void make(struct subject *subject, append *part)
{
    struct summand__schedule schedule, exchange;
    size_t bytes = COUNT * sizeof(double);
    struct summand__window_spec spec = {.slot_bytes = &bytes, .slots = 1, .counters = 1};
    *subject = (struct subject){
        .x = malloc(bytes), .y = malloc(2 * bytes), .in = malloc(bytes), .out = malloc(bytes)};
    for (size_t i = 0; i < COUNT; i++) {
        subject->x[i] = value(harness_rank, 1, i);
        subject->y[i] = -1;
        subject->in[i] = value(harness_rank, 3, i);
    }
    prove(part);
    CHECK(transport->open(state, &spec, &subject->onesided.window) == MPI_SUCCESS, "open");
    make_schedule(part, harness_rank, harness_ranks, COUNT, &schedule);
    subject->onesided.place[1] = subject->x;
    subject->plan = doubles_plan(state, &schedule, subject->x, subject->y, &subject->onesided);
    summand__schedule_init(&exchange);
    int partner = partner_of(harness_rank);
    if (partner < harness_ranks) {
        summand__send(&exchange, partner, summand__region(SUMMAND__SENDBUF, 0, COUNT));
        summand__recv(&exchange, partner, summand__region(SUMMAND__RECVBUF, 0, COUNT));
    }
    summand__round(&exchange);
    subject->exchange = doubles_plan(state, &exchange, subject->in, subject->out, NULL);
}

static void drop(struct subject *subject)
{
    summand_plan_free(&subject->plan);
    summand_plan_free(&subject->exchange);
    MPI_Barrier(MPI_COMM_WORLD);
    transport->close(subject->onesided.window);
    free(subject->x);
    free(subject->y);
    free(subject->in);
    free(subject->out);
}

static bool takes(void)
{
    return harness_rank % 2;
}

static void check_window(const struct subject *subject)
{
    const double *slot = (const double *)(void *)subject->onesided.window->slot[0].data;
    size_t wrong = 0;
    for (size_t i = 0; i < COUNT && takes(); i++)
        wrong += slot[i] != value(partner_of(harness_rank), 1, i);
    CHECK(!wrong, "%s: %zu of what was put is wrong", transport->name, wrong);
}

/* A message longer than any queue must complete before its sender counts. It is combined behind the
 * steps that wait for the counter. */
static void message_first(struct summand__schedule *schedule, int peer, bool gives, size_t n)
{
    if (gives) {
        summand__send(schedule, peer, summand__region(SUMMAND__SENDBUF, 0, n));
        summand__round(schedule);
        summand__notify(schedule, peer, 0);
    } else {
        summand__copy(schedule, summand__region(SUMMAND__SENDBUF, 0, n),
                      summand__region(SUMMAND__RECVBUF, n, n));
        summand__round(schedule);
        summand__recv(schedule, peer, summand__region(SUMMAND__SCRATCH, 0, n));
        summand__wait_counter(schedule, 0, 1);
        summand__copy(schedule, summand__region(SUMMAND__RECVBUF, n, n),
                      summand__region(SUMMAND__RECVBUF, 0, n));
        summand__round(schedule);
        summand__reduce(schedule, summand__region(SUMMAND__SCRATCH, 0, n),
                        summand__region(SUMMAND__RECVBUF, 0, n));
    }
    summand__round(schedule);
}

/* A put must complete before its sender sends the message that the partner waits for. */
static void put_first(struct summand__schedule *schedule, int peer, bool gives, size_t n)
{
    if (gives) {
        summand__put(schedule, peer, summand__region((enum summand__place)INPUT, 0, n),
                     summand__region((enum summand__place)WINDOW, 0, n));
        summand__notify(schedule, peer, 0);
        summand__round(schedule);
        summand__send(schedule, peer, summand__region(SUMMAND__SENDBUF, 0, 1));
    } else {
        summand__recv(schedule, peer, summand__region(SUMMAND__SCRATCH, 0, 1));
        summand__round(schedule);
        summand__wait_counter(schedule, 0, 1);
    }
    summand__round(schedule);
}

static void put_alone(struct summand__schedule *schedule, int peer, bool gives, size_t n)
{
    if (gives) {
        summand__put(schedule, peer, summand__region((enum summand__place)INPUT, 0, n),
                     summand__region((enum summand__place)WINDOW, 0, n));
        summand__notify(schedule, peer, 0);
    } else {
        summand__wait_counter(schedule, 0, 1);
    }
    summand__round(schedule);
}

static void run(summand_plan *plan)
{
    int code = summand_plan_start(plan);
    CHECK(code == MPI_SUCCESS, "start: %d", code);
    if (code == MPI_SUCCESS)
        code = summand_plan_wait(plan);
    CHECK(code == MPI_SUCCESS, "wait: %d", code);
}

static void test_message_first(void)
{
    struct subject subject;
    size_t wrong = 0;
    make(&subject, message_first);
    run(subject.plan);
    for (size_t i = 0; i < COUNT && takes(); i++)
        wrong += subject.y[i] != value(partner_of(harness_rank), 1, i) + value(harness_rank, 1, i);
    CHECK(!wrong, "%s: %zu wrong", transport->name, wrong);
    drop(&subject);
}

static void test_put_first(void)
{
    struct subject subject;
    make(&subject, put_first);
    run(subject.plan);
    check_window(&subject);
    drop(&subject);
}

/* Starts do not wait for others: the taker starts this plan when another one is complete. */
static void test_start(void)
{
    struct subject subject;
    size_t wrong = 0;
    int partner = partner_of(harness_rank);
    make(&subject, put_alone);
    if (takes()) {
        run(subject.exchange);
        run(subject.plan);
    } else {
        CHECK(summand_plan_start(subject.plan) == MPI_SUCCESS, "start");
        run(subject.exchange);
        CHECK(summand_plan_wait(subject.plan) == MPI_SUCCESS, "wait");
    }
    for (size_t i = 0; i < COUNT && partner < harness_ranks; i++)
        wrong += subject.out[i] != value(partner, 3, i);
    CHECK(!wrong, "%s: %zu wrong", transport->name, wrong);
    check_window(&subject);
    drop(&subject);
}

TESTS
{
    summand__state_of(MPI_COMM_WORLD, &state);
    for (int t = 0; (transport = summand__window_transports[t]); t++) {
        if (!transport->available(state))
            continue;
        test_message_first();
        test_put_first();
        test_start();
    }
}
