/* np: 2 3; together */
/* SPDX-License-Identifier: BSD-3-Clause */
/* Further promises of a transport. A receive that its operation has aborted takes no message and
 * writes nothing. A rank that only sends does not run ahead of its receiver, whose memory would
 * hold all its messages. */
#include <stdlib.h>
#include <summand.h>
#include <time.h>

#include "mpi/link.h"
#include "mpi/neighbours.h"
#include "transport/route.h"

static double seconds(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

/* Waits until all messages of a route are complete, or 20 s have passed. */
static bool through(struct summand__route *route)
{
    bool done = false;
    int code = MPI_SUCCESS;
    for (double end = seconds() + 20; !done && code == MPI_SUCCESS && seconds() < end;)
        code = link_complete(route->link, 0, false, &done);
    return done && code == MPI_SUCCESS;
}

/* Like a call that fails after it has posted receives: its buffers belong to the user again. */
static void test_abandoned(const struct summand__state *state, size_t n)
{
    enum { TAG = 50 };
    double *old = malloc(n * sizeof *old), *from = malloc(n * sizeof *from), *to;
    struct summand__route route;
    bool done = false;
    to = malloc(n * sizeof *to);
    for (size_t i = 0; i < n; i++) {
        old[i] = to[i] = -1;
        from[i] = value(harness_rank, 6, i);
    }
    CHECK(link_open(&route, state, MPI_DOUBLE, TAG, 2), "open");
    link_recv(route.link, 0, SUMMAND__PACED, last(), old, n, NULL); /* is posted at once */
    int code = link_complete(route.link, 0, false, &done);
    CHECK(code == MPI_SUCCESS && !done, "code %d", code);
    summand__route_close(&route);
    MPI_Barrier(MPI_COMM_WORLD);
    CHECK(link_open(&route, state, MPI_DOUBLE, TAG, 2), "open");
    link_recv(route.link, 0, 0, last(), to, n, NULL);
    link_send(route.link, 0, 0, next(), from, n);
    CHECK(through(&route), "%zu elements: who sends or receives waits in vain", n);
    size_t wrong = 0, written = 0;
    for (size_t i = 0; i < n; i++) {
        wrong += to[i] != value(last(), 6, i);
        written += old[i] != -1;
    }
    CHECK(!wrong, "%zu elements: %zu wrong", n, wrong);
    CHECK(!written, "%zu elements: %zu written to a buffer that was aborted", n, written);
    summand__route_close(&route);
    MPI_Barrier(MPI_COMM_WORLD);
    free(from);
    free(old);
    free(to);
}

/* A long vector in short segments along a chain: each would be sent at once. The next rank waits
 * for a signal before it starts, so the first rank must not complete earlier. */
static void test_pace(size_t segment)
{
    enum { LENGTH = 1 << 17 };
    double *x = malloc(LENGTH * sizeof *x);
    summand_options options = {.algorithm = "chain", .segment = (MPI_Count)segment};
    summand_plan *plan;
    int done = 0, token = 0;
    for (size_t i = 0; i < LENGTH; i++)
        x[i] = harness_rank ? -1 : value(0, 7, i);
    int code = summand_bcast_init(x, LENGTH, MPI_DOUBLE, 0, MPI_COMM_WORLD, &options, &plan);
    CHECK(code == MPI_SUCCESS, "code %d", code);
    if (harness_rank)
        MPI_Recv(&token, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    summand_plan_start(plan);
    for (double end = seconds() + 0.2; harness_rank == 0 && !done && seconds() < end;)
        summand_plan_test(plan, &done);
    CHECK(!done, "segments of %zu: through before anybody received", segment);
    for (int r = 1; harness_rank == 0 && r < harness_ranks; r++)
        MPI_Send(&token, 1, MPI_INT, r, 1, MPI_COMM_WORLD);
    CHECK(summand_plan_wait(plan) == MPI_SUCCESS, "wait");
    size_t wrong = 0;
    for (size_t i = 0; i < LENGTH; i++)
        wrong += x[i] != value(0, 7, i);
    CHECK(!wrong, "%zu wrong", wrong);
    summand_plan_free(&plan);
    free(x);
}

TESTS
{
    static const size_t sizes[] = {1, 500, 5000, 100000}, segments[] = {64, 256, 4000};
    struct summand__state *state;
    if (summand__state_of(MPI_COMM_WORLD, &state) != MPI_SUCCESS)
        MPI_Abort(MPI_COMM_WORLD, 1);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        test_abandoned(state, sizes[i]);
    for (size_t i = 0; i < sizeof segments / sizeof *segments; i++)
        test_pace(segments[i]);
}
