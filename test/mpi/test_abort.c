/* np: 2 3 4; also: read/3 */
/* SPDX-License-Identifier: BSD-3-Clause */
/* Over shared memory a blocking call that fails on one rank fails on the ranks that wait for it,
 * however long the message. Its leftovers meet no later call. If a rank lacks memory for an
 * unexpected message in the way, that is an error too. */
#include <summand.h>
#include <time.h>

#include "comm/state.h"
#include "mpi/harness.h"
#include "mpi/scarce.h"

enum { MANY = 300000, TURN = 40000 };

static double x[MANY], y[MANY];

static int is(int code, int class)
{
    int got = MPI_SUCCESS;
    MPI_Error_class(code, &got);
    return code == class || got == class;
}

static void works(MPI_Comm comm, int n)
{
    int code = summand_allreduce(x, y, n, MPI_DOUBLE, MPI_SUM, comm, NULL);
    size_t wrong = 0;
    for (int i = 0; i < n; i++)
        wrong += y[i] != x[i] * harness_ranks;
    CHECK(code == MPI_SUCCESS && !wrong, "%d elements: code %d, %zu wrong", n, code, wrong);
}

/* All wait for all, so all get the error. Ranks that have made the call before also wait. */
static void test_arguments(MPI_Comm comm, int n)
{
    int remote = summand_error_code(SUMMAND_ERR_REMOTE);
    for (int poor = 0; poor < harness_ranks; poor++)
        for (int repeat = 0; repeat < 3; repeat++) {
            int me = harness_rank == poor;
            int code = summand_allreduce(x, y, me ? -1 : n, MPI_DOUBLE, MPI_SUM, comm, NULL);
            CHECK(is(code, me ? MPI_ERR_COUNT : remote), "all-reduce of %d: code %d", n, code);
            works(comm, n);
            code = summand_allreduce(x, y, n, MPI_DOUBLE, me ? MPI_BAND : MPI_SUM, comm, NULL);
            CHECK(is(code, me ? MPI_ERR_OP : remote), "all-reduce of %d: code %d", n, code);
            /* A rank that only sends may complete earlier; a rank that waits for a message of no
             * length may not. */
            code = summand_bcast(x, me ? -1 : n, MPI_DOUBLE, poor, comm, NULL);
            CHECK(is(code, me ? MPI_ERR_COUNT : remote), "broadcast of %d: code %d", n, code);
            code = summand_reduce(x, y, n, me ? MPI_DATATYPE_NULL : MPI_DOUBLE, MPI_SUM,
                                  (poor + 1) % harness_ranks, comm, NULL);
            if (me || harness_rank == (poor + 1) % harness_ranks)
                CHECK(is(code, me ? MPI_ERR_TYPE : remote), "reduce of %d: code %d", n, code);
        }
    works(comm, n);
}

static void test_memory(MPI_Comm comm)
{
    int memory = summand_error_code(SUMMAND_ERR_MEMORY);
    int remote = summand_error_code(SUMMAND_ERR_REMOTE);
    summand_options doubling = {.algorithm = "recursive-doubling"};
    for (int poor = 0; poor < harness_ranks; poor++) {
        int n = MANY - poor, me = harness_rank == poor; /* a shape for which no rank has a plan */
        for (int i = 0; i < n; i++)
            y[i] = x[i];
        scarce_above = me ? 1000000 : SIZE_MAX;
        int code = summand_allreduce(MPI_IN_PLACE, y, n, MPI_DOUBLE, MPI_SUM, comm, &doubling);
        scarce_above = SIZE_MAX;
        CHECK(is(code, me ? memory : remote), "code %d", code);
        code = summand_allreduce(MPI_IN_PLACE, y, n, MPI_DOUBLE, MPI_SUM, comm, &doubling);
        CHECK(code == MPI_SUCCESS, "once there is memory again: code %d", code);
        double word = 1, sum = 0;
        MPI_Comm fresh;
        MPI_Comm_dup(comm, &fresh);
        CHECK(!summand_allreduce(&word, &sum, 1, MPI_DOUBLE, MPI_SUM, fresh, NULL), "fresh");
        scarce_above = me ? 600 : SIZE_MAX; /* less than an exact operand */
        code = summand_sum(&word, &sum, 1, MPI_DOUBLE, SUMMAND_ROOT_ALL, fresh, NULL);
        scarce_above = SIZE_MAX;
        CHECK(is(code, me ? memory : remote), "exact sum: code %d", code);
        code = summand_sum(&word, &sum, 1, MPI_DOUBLE, SUMMAND_ROOT_ALL, fresh, NULL);
        CHECK(code == MPI_SUCCESS && sum == harness_ranks, "code %d, sum %g", code, sum);
        MPI_Comm_free(&fresh);
    }
}

/* The last rank waits for the second broadcast first, and lacks memory for the unexpected message
 * in its way. */
static void test_aside(MPI_Comm comm)
{
    summand_plan *plan[2];
    summand_options linear = {.algorithm = "linear"};
    int memory = summand_error_code(SUMMAND_ERR_MEMORY), last = harness_rank == harness_ranks - 1;
    int remote = summand_error_code(SUMMAND_ERR_REMOTE), code;
    for (int p = 0; p < 2; p++) {
        double *buffer = harness_rank ? y : x;
        code = summand_bcast_init(buffer, MANY - p, MPI_DOUBLE, 0, comm, &linear, &plan[p]);
        CHECK(code == MPI_SUCCESS, "plan: %d", code);
    }
    memset(y, 0, sizeof y);
    if (last) {
        summand_plan_start(plan[1]);
        scarce_above = 100000;
        code = summand_plan_wait(plan[1]);
        scarce_above = SIZE_MAX;
        CHECK(is(code, memory), "in the way: code %d", code);
        summand_plan_start(plan[0]);
        code = summand_plan_wait(plan[0]);
        CHECK(code == MPI_SUCCESS && !memcmp(x, y, sizeof y), "the first: code %d", code);
    } else {
        for (int p = 0; p < 2; p++)
            summand_plan_start(plan[p]);
        code = summand_plan_wait(plan[0]);
        CHECK(code == MPI_SUCCESS, "the first: code %d", code);
        code = summand_plan_wait(plan[1]);
        CHECK(harness_rank ? code == MPI_SUCCESS || is(code, remote) : is(code, remote),
              "the second: code %d", code);
    }
    for (int p = 0; p < 2; p++)
        summand_plan_free(&plan[p]);
    MPI_Barrier(comm);
    works(comm, MANY);
}

/* Tags come back: by then, aborts under them are forgotten. Calls of no elements take tags and no
 * time. */
static void test_turns(MPI_Comm comm)
{
    int sum = 0, one = 1, bad = 0;
    for (int call = 0; call < TURN; call++) {
        int failing = call % 499 == 0, real = failing || call % 61 == 0;
        int refused = failing && harness_rank == call % harness_ranks;
        int code = summand_allreduce(&one, &sum, refused ? -1 : real, MPI_INT, MPI_SUM, comm, NULL);
        bad += failing ? code == MPI_SUCCESS : code != MPI_SUCCESS;
        bad += real && !failing && sum != harness_ranks;
    }
    CHECK(!bad, "%d of %d calls", bad, TURN);
}

/* One rank aborts a call and is many calls ahead, none of which needs messages, when the others
 * start to wait for it. */
static void test_far_ahead(MPI_Comm comm)
{
    int sum = 0, one = 1, remote = summand_error_code(SUMMAND_ERR_REMOTE);
    bool ahead = harness_rank == harness_ranks - 1;
    MPI_Barrier(comm);
    if (!ahead)
        nanosleep(&(struct timespec){.tv_nsec = 20000000}, NULL);
    int code = summand_allreduce(&one, &sum, ahead ? -1 : 1, MPI_INT, MPI_SUM, comm, NULL);
    CHECK(ahead ? code != MPI_SUCCESS : is(code, remote), "code %d", code);
    for (int call = 0; call < TURN; call++)
        summand_allreduce(&one, &sum, 0, MPI_INT, MPI_SUM, comm, NULL);
    code = summand_allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, comm, NULL);
    CHECK(code == MPI_SUCCESS && sum == harness_ranks, "code %d, sum %d", code, sum);
}

TESTS
{
    struct summand__state *state;
    MPI_Comm comm = harness_comm();
    for (int i = 0; i < MANY; i++)
        x[i] = i;
    works(comm, 1);
    CHECK(summand__state_of(comm, &state) == MPI_SUCCESS, "state");
    static const int sizes[] = {1, 1000, MANY};
    for (int i = 0; i < 3; i++)
        test_arguments(comm, sizes[i]);
    test_memory(comm);
    if (state->segment && state->segment->whole) /* the MPI keeps its own unexpected messages */
        test_aside(comm);
    test_turns(comm);
    test_far_ahead(comm);
    MPI_Comm_free(&comm);
}
