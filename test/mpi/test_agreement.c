/* np: 2 3 4; other_sleeper */
/* SPDX-License-Identifier: BSD-3-Clause */
/* A rank leaves an agreement at the moment at which it ends for all others: until its timeout it
 * gets no answer of the MPI. The others continue after the agreement: the gathering of ranges, a
 * new turn of the tags of plans, the text of a mismatch. They get an error, or an outcome that all
 * know. No rank confuses two collectives, and the next calls have the right results. Also: a rank
 * with an error that others do not know of counts calls as the others do. */
#include <summand.h>
#include <summand/ordered.h>

#include "comm/state.h"
#include "mpi/harness.h"

enum { N = 1000 };

static double x[N], y[N];
static int deaf, breaks; /* the next message that completes fails */

static int end(void)
{
    int code = breaks ? MPI_ERR_OTHER : MPI_SUCCESS;
    breaks = 0;
    return code;
}

/* Posted operations make progress, but never appear complete. */
int __real_PMPI_Test(MPI_Request *request, int *flag, MPI_Status *status);
int __wrap_PMPI_Test(MPI_Request *request, int *flag, MPI_Status *status);
int __wrap_PMPI_Test(MPI_Request *request, int *flag, MPI_Status *status)
{
    int there;
    if (!deaf) {
        int code = __real_PMPI_Test(request, flag, status);
        return code == MPI_SUCCESS && *flag ? end() : code;
    }
    *flag = 0;
    return PMPI_Iprobe(0, 0, MPI_COMM_SELF, &there, MPI_STATUS_IGNORE);
}

/* MPICH's way to receive short messages. */
int __real_PMPI_Recv(void *data, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm,
                     MPI_Status *status);
int __wrap_PMPI_Recv(void *data, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm,
                     MPI_Status *status);
int __wrap_PMPI_Recv(void *data, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm,
                     MPI_Status *status)
{
    int code = __real_PMPI_Recv(data, count, type, from, tag, comm, status);
    return code == MPI_SUCCESS ? end() : code;
}

static int leaves(void)
{
    return harness_rank == harness_ranks - 1;
}

static MPI_Comm make(const char *transport)
{
    double one = 1, sum = 0;
    setenv("SUMMAND_TRANSPORT", transport, 1);
    MPI_Comm comm = harness_comm();
    int code = summand_allreduce(&one, &sum, 1, MPI_DOUBLE, MPI_SUM, comm, NULL);
    CHECK(code == MPI_SUCCESS && sum == harness_ranks, "first: code %d, %g", code, sum);
    return comm;
}

static void set_deadline(MPI_Comm comm, double seconds)
{
    struct summand__state *state;
    if (summand__state_of(comm, &state) == MPI_SUCCESS && leaves())
        state->channel.timeout = seconds;
}

/* Only the deaf rank has a deadline: the others wait until it tells them. */
static void become_deaf(MPI_Comm comm)
{
    set_deadline(comm, 0.5);
    deaf = leaves();
}

static int ordered(MPI_Comm comm, double *sum)
{
    return summand_ordered_reduce(x, sum, harness_rank + 1, SUMMAND_DISPLACEMENT_APPEND, MPI_DOUBLE,
                                  MPI_SUM, SUMMAND_ROOT_ALL, comm, NULL);
}

static int init(MPI_Comm comm, int count, summand_plan **plan)
{
    return summand_allreduce_init(x, y, count, MPI_DOUBLE, MPI_SUM, comm, NULL, plan);
}

/* Checks all message transports and all agreements. */
static void works(MPI_Comm comm, const char *when)
{
    double sum = 0, one = harness_rank + 1, all = 0;
    int terms = harness_ranks * (harness_ranks + 1) / 2, wrong = 0;
    summand_plan *plan = NULL;
    for (int repeat = 0; repeat < 2; repeat++) {
        int code = ordered(comm, &sum);
        CHECK(code == MPI_SUCCESS && sum == terms, "%s: ordered: code %d, %g", when, code, sum);
        code = init(comm, N, &plan);
        CHECK(code == MPI_SUCCESS && plan, "%s: init: code %d", when, code);
        code = plan ? summand_plan_start(plan) : MPI_SUCCESS;
        if (plan && code == MPI_SUCCESS)
            code = summand_plan_wait(plan);
        for (int i = 0; i < N; i++)
            wrong += y[i] != harness_ranks;
        CHECK(code == MPI_SUCCESS && !wrong, "%s: plan: code %d, %d wrong", when, code, wrong);
        summand_plan_free(&plan);
        code = summand_bcast(&one, 1, MPI_DOUBLE, 0, comm, NULL);
        CHECK(code == MPI_SUCCESS && one == 1, "%s: bcast: code %d, %g", when, code, one);
        code = summand_sum(x, &all, 1, MPI_DOUBLE, SUMMAND_ROOT_ALL, comm, NULL);
        CHECK(code == MPI_SUCCESS && all == harness_ranks, "%s: sum: code %d, %g", when, code, all);
    }
}

static void check(MPI_Comm comm, int code, int known, const char *what)
{
    if (leaves())
        CHECK(code == summand_error_code(SUMMAND_ERR_TIMEOUT), "%s: code %d", what, code);
    else
        CHECK(code == summand_error_code(SUMMAND_ERR_REMOTE) || (known && code == known),
              "%s: code %d", what, code);
    deaf = 0;
    set_deadline(comm, 0);
    MPI_Barrier(MPI_COMM_WORLD);
}

static void test_ranges(MPI_Comm comm)
{
    double sum = 0;
    become_deaf(comm);
    check(comm, ordered(comm, &sum), MPI_SUCCESS, "ranges");
    works(comm, "after ranges");
}

static void test_turn(MPI_Comm comm)
{
    struct summand__state *state;
    summand_plan *plan = NULL;
    summand__state_of(comm, &state);
    state->tags.next_plan = SUMMAND__PLAN_TAGS;
    become_deaf(comm);
    check(comm, init(comm, N, &plan), MPI_SUCCESS, "turn");
    CHECK(!plan, "a plan that one rank lacks");
    works(comm, "after a turn");
}

static void test_mismatch(MPI_Comm comm)
{
    summand_plan *plan = NULL;
    become_deaf(comm);
    check(comm, init(comm, N - leaves(), &plan), summand_error_code(SUMMAND_ERR_MISMATCH),
          "mismatch");
    CHECK(!plan, "a plan on which the ranks disagree");
    works(comm, "after a mismatch");
}

/* Another call, which takes other tags. */
static void test_other_call(MPI_Comm comm)
{
    summand_plan *plan = NULL;
    double sum = 0;
    become_deaf(comm);
    check(comm, leaves() ? ordered(comm, &sum) : init(comm, N, &plan),
          summand_error_code(SUMMAND_ERR_MISMATCH), "other call");
    summand_plan_free(&plan);
    works(comm, "after another call");
}

/* All leave, with tags of plans out of step. The agreement that they left puts the tags in step
 * again before the next call takes one. */
static void test_all_leave(MPI_Comm comm)
{
    struct summand__state *state;
    summand_plan *plan = NULL;
    double sum = 0;
    int timeout = summand_error_code(SUMMAND_ERR_TIMEOUT);
    int remote = summand_error_code(SUMMAND_ERR_REMOTE);
    summand__state_of(comm, &state);
    state->channel.timeout = 0.5;
    deaf = 1;
    int code = leaves() ? ordered(comm, &sum) : init(comm, N, &plan);
    CHECK(code == timeout || code == remote, "all leave: code %d", code);
    deaf = 0;
    state->channel.timeout = 0;
    MPI_Barrier(MPI_COMM_WORLD);
    works(comm, "after all have left");
}

static void test_error(MPI_Comm comm)
{
    summand_plan *plan = NULL;
    become_deaf(comm);
    int code = init(comm, harness_rank ? N : -1, &plan);
    check(comm, harness_rank || code == MPI_SUCCESS ? code : summand_error_code(SUMMAND_ERR_REMOTE),
          MPI_SUCCESS, "error");
    CHECK(!plan, "a plan of a wrong count");
    works(comm, "after an error");
}

/* A plan that only some ranks have ends for those ranks. */
static void test_plan(MPI_Comm comm)
{
    summand_plan *plan = NULL;
    become_deaf(comm);
    int code = init(comm, N, &plan);
    if (plan && !leaves()) {
        code = summand_plan_start(plan);
        code = code == MPI_SUCCESS ? summand_plan_wait(plan) : code;
    }
    check(comm, code, MPI_SUCCESS, "plan");
    summand_plan_free(&plan);
    works(comm, "after a plan");
}

/* A sum in the index tree is two operations. In the first one, a rank's arguments are wrong or
 * differ from the others', which all ranks learn from the operands. On another rank a message
 * fails, and only that rank knows. */
static void test_two_errors(MPI_Comm comm, int terms)
{
    const summand_options options = {.promise = SUMMAND_PROMISE_INDEX};
    const summand_term term = {
        .kind = SUMMAND_KIND_SUM, .count = 1, .displacement = SUMMAND_DISPLACEMENT_APPEND, .x = x};
    const summand_term both[2] = {term, term};
    double sums[2];
    for (int repeat = 0; repeat < 3; repeat++) {
        breaks = leaves();
        int code = summand_sums(harness_rank ? 1 : terms, both, sums, MPI_DOUBLE, SUMMAND_ROOT_ALL,
                                comm, &options);
        CHECK(code != MPI_SUCCESS && !breaks, "two errors: code %d", code);
        breaks = 0;
    }
    works(comm, "after two errors");
}

TESTS
{
    static const char *const transports[] = {"auto", "p2p"};
    for (int i = 0; i < N; i++)
        x[i] = 1;
    for (int t = 0; t < 2; t++) {
        MPI_Comm comm = make(transports[t]);
        works(comm, "first");
        test_ranges(comm);
        test_turn(comm);
        test_mismatch(comm);
        test_other_call(comm);
        test_all_leave(comm);
        test_error(comm);
        test_plan(comm);
        test_ranges(comm);
        for (int terms = -1; t && terms <= 2; terms += 3)
            test_two_errors(comm, terms);
        MPI_Comm_free(&comm);
    }
}
