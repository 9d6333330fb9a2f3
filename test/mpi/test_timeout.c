/* np: 2 3 4; sleeper */
/* SPDX-License-Identifier: BSD-3-Clause */
/* If a rank does not come, the ranks that wait for it get an error, in blocking calls, plans and
 * agreements, over any transport. Later calls work, and the late rank gets an error or the right
 * result. */
#include <stdbool.h>
#include <summand.h>
#include <time.h>

#include "mpi/harness.h"

enum { N = 1000 };

static double x[N], y[N], z[N];
static const summand_options brief = {.timeout = 0.3}, later_on = {.timeout = 20};

static int missing(void)
{
    return harness_rank == harness_ranks - 1;
}

/* The errors of waiting ranks: those whose timeout comes first tell the others. */
static int is_in_vain(int code)
{
    return code == summand_error_code(SUMMAND_ERR_TIMEOUT) ||
           code == summand_error_code(SUMMAND_ERR_REMOTE);
}

/* At least one rank timed out itself: not all were told by others. */
static void check_first(int code, const char *what)
{
    int mine = code == summand_error_code(SUMMAND_ERR_TIMEOUT), any = 0;
    MPI_Allreduce(&mine, &any, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    CHECK(any, "%s: nobody's time was over", what);
}

static void works(MPI_Comm comm, const char *when)
{
    int wrong = 0;
    int code = summand_allreduce(x, y, N, MPI_DOUBLE, MPI_SUM, comm, NULL);
    for (int i = 0; i < N; i++)
        wrong += y[i] != x[i] * harness_ranks;
    CHECK(code == MPI_SUCCESS && !wrong, "%s: code %d, %d wrong", when, code, wrong);
}

/* The late rank comes after all others have aborted. Over the MPI's messages, the data that they
 * had sent may suffice. */
static void check_late(int code, const char *what)
{
    int wrong = 0;
    for (int i = 0; i < N && code == MPI_SUCCESS; i++)
        wrong += y[i] != x[i] * harness_ranks;
    CHECK((code == MPI_SUCCESS && !wrong) || is_in_vain(code), "%s: late: code %d, %d wrong", what,
          code, wrong);
}

static int allreduce(MPI_Comm comm)
{
    return summand_allreduce(x, y, N, MPI_DOUBLE, MPI_SUM, comm, &brief);
}

static void test_blocking(MPI_Comm comm)
{
    for (int repeat = 0; repeat < 2; repeat++) {
        int code = missing() ? MPI_SUCCESS : allreduce(comm);
        CHECK(missing() || is_in_vain(code), "all-reduce: code %d", code);
        check_first(code, "all-reduce");
        if (missing())
            check_late(allreduce(comm), "all-reduce");
        works(comm, "after an all-reduce");
    }
}

static int sum(MPI_Comm comm, int call, double *result)
{
    return call ? summand_ordered_reduce(x, result, N, SUMMAND_DISPLACEMENT_APPEND, MPI_DOUBLE,
                                         MPI_SUM, SUMMAND_ROOT_ALL, comm, &brief)
                : summand_sum(x, result, N, MPI_DOUBLE, SUMMAND_ROOT_ALL, comm, &brief);
}

/* Exact and ordered sums have the timeout of their options. */
static void test_sums(MPI_Comm comm)
{
    for (int call = 0; call < 2; call++) {
        double result = 0;
        int code = missing() ? MPI_SUCCESS : sum(comm, call, &result);
        CHECK(missing() || is_in_vain(code), "sum %d: code %d", call, code);
        check_first(code, "sum");
        if (missing()) {
            code = sum(comm, call, &result);
            CHECK(is_in_vain(code) ||
                      (code == MPI_SUCCESS && result == harness_ranks * (N * (N + 1) / 2.0)),
                  "sum %d: late: code %d, %g", call, code, result);
        }
        works(comm, "after a sum");
    }
}

static int tree(MPI_Comm comm, int count, double *result)
{
    const summand_options options = {.promise = SUMMAND_PROMISE_INDEX, .timeout = 0.3};
    return summand_sum(x, result, count, MPI_DOUBLE, SUMMAND_ROOT_ALL, comm, &options);
}

/* Like `works`, for ranks that would wait for ever if they were out of step. */
static void is_in_step(MPI_Comm comm, const char *when)
{
    const summand_options options = {.timeout = 20};
    double sum = 0, one = 1;
    int code = summand_allreduce(&one, &sum, 1, MPI_DOUBLE, MPI_SUM, comm, &options);
    CHECK(code == MPI_SUCCESS && sum == harness_ranks, "%s: code %d, %g", when, code, sum);
}

/* So has a sum by the tree. If `kept`, the ranks have an earlier plan that does not fit the late
 * rank's call. So the others abort its start, and the late one enters an agreement. */
static void test_tree(MPI_Comm comm, int kept)
{
    double result = 0;
    for (int turn = 0, made = 0; kept && turn < 10 && !made; turn++) {
        int mine = tree(comm, N, &result) == MPI_SUCCESS;
        MPI_Allreduce(&mine, &made, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    }
    int code = missing() ? MPI_SUCCESS : tree(comm, N, &result);
    CHECK(missing() || is_in_vain(code), "tree: code %d", code);
    check_first(code, "tree");
    if (missing())
        code = tree(comm, N - kept, &result);
    CHECK(is_in_vain(code), "tree: late: code %d", code);
    is_in_step(comm, "after a tree");
    works(comm, "after a tree");
}

/* The text says where. */
static void test_text(MPI_Comm comm)
{
    char text[MPI_MAX_ERROR_STRING] = "", rank[32];
    int length;
    snprintf(rank, sizeof rank, "rank %d", harness_ranks - 1);
    int code = missing() ? MPI_SUCCESS : allreduce(comm);
    if (code == summand_error_code(SUMMAND_ERR_TIMEOUT)) {
        MPI_Error_string(code, text, &length);
        CHECK(strstr(text, "summand_allreduce, 1000 MPI_DOUBLE, MPI_SUM"), "%s", text);
        CHECK(strstr(text, "waited longer") && strstr(text, "for rank"), "%s", text);
        CHECK(harness_ranks > 2 || strstr(text, rank), "%s", text);
    }
    check_first(code, "text");
    if (missing())
        check_late(allreduce(comm), "text");
    works(comm, "after the text was read");
}

/* A rank without a processor for that long is too late for a plan as well, so the test makes
 * another. Ten busy processes on each core do not explain ten failures. */
static summand_plan *make(MPI_Comm comm, double *result, const summand_options *options)
{
    summand_plan *plan = NULL;
    for (int turn = 0, made = 0; turn < 10 && !made; turn++) {
        int code = summand_allreduce_init(x, result, N, MPI_DOUBLE, MPI_SUM, comm, options, &plan);
        int mine = code == MPI_SUCCESS;
        CHECK(mine ? plan != NULL : options && is_in_vain(code) && !plan, "plan: code %d", code);
        MPI_Allreduce(&mine, &made, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
        if (!made)
            summand_plan_free(&plan);
    }
    CHECK(plan, "no plan in ten turns");
    return plan;
}

static int wait_for(summand_plan *plan, int tests)
{
    int code = summand_plan_start(plan);
    for (int done = 0; tests && !done && code == MPI_SUCCESS;)
        code = summand_plan_test(plan, &done);
    return tests || code != MPI_SUCCESS ? code : summand_plan_wait(plan);
}

/* Waited for or tested, alone or beside another plan; a plan that timed out is broken. */
static void test_plan(MPI_Comm comm, int tests, int beside)
{
    summand_plan *plan = make(comm, y, &brief), *other = beside ? make(comm, z, NULL) : NULL;
    if (beside)
        summand_plan_start(other);
    int code = missing() ? MPI_SUCCESS : wait_for(plan, tests);
    CHECK(missing() || is_in_vain(code), "plan, %d, %d: code %d", tests, beside, code);
    check_first(code, "plan");
    if (missing())
        check_late(wait_for(plan, tests), "plan");
    if (!missing())
        CHECK(wait_for(plan, tests) == code, "started again");
    if (beside)
        CHECK(summand_plan_wait(other) == MPI_SUCCESS, "the other plan");
    summand_plan_free(&plan);
    summand_plan_free(&other);
    works(comm, "after a plan");
}

/* Three active plans, two of which the last rank does not start: these fail on the others, side by
 * side, and the third completes. All ranks start plans in one order. */
static void test_several(MPI_Comm comm)
{
    static double third[N];
    summand_plan *plans[4] = {make(comm, third, NULL), NULL, make(comm, y, &brief),
                              make(comm, z, &brief)};
    int code = summand_plan_startall(missing() ? 1 : 2,
                                     missing() ? plans : (summand_plan *[2]){plans[0], plans[2]});
    CHECK(code == MPI_SUCCESS, "startall: code %d", code);
    if (!missing())
        summand_plan_start(plans[3]);
    code = summand_plan_waitall(4, plans);
    const char *text = summand_error_text(code);
    CHECK(missing() ? code == MPI_SUCCESS : is_in_vain(code), "several: code %d", code);
    CHECK(missing() || strstr(text, "plans[2]") || strstr(text, "plans[3]"), "%s", text);
    check_first(code, "several");
    int again = missing() ? code : summand_plan_waitall(4, plans);
    CHECK(missing() || is_in_vain(again), "once more: code %d", again);
    for (int i = 0; i < 4; i++)
        CHECK(!summand_plan_free(&plans[i]), "plan %d is active", i);
    for (int i = 0; i < N; i++)
        CHECK(third[i] == x[i] * harness_ranks, "element %d: %g", i, third[i]);
    works(comm, "after several plans");
}

/* A rank that is late to the making of a plan has none either; the next one can be made. */
static void test_agreement(MPI_Comm comm)
{
    for (int repeat = 0; repeat < 2; repeat++) {
        summand_plan *plan = NULL;
        int code = MPI_SUCCESS;
        for (int turn = 0; turn < 2; turn++) {
            if (missing() == turn)
                code = summand_allreduce_init(x, y, N, MPI_DOUBLE, MPI_SUM, comm, &brief, &plan);
            if (!turn)
                check_first(code, "agreement");
        }
        CHECK(is_in_vain(code) && !plan, "making a plan: code %d", code);
        plan = make(comm, y, NULL);
        CHECK(wait_for(plan, 0) == MPI_SUCCESS, "the next plan");
        summand_plan_free(&plan);
        works(comm, "after an agreement");
    }
}

/* By the environment, in calls without options. This communicator makes no other call, because a
 * rank without a processor for that long is late there too. */
static void test_environment(void)
{
    double result = 0;
    setenv("SUMMAND_TIMEOUT", "0.5", 1);
    MPI_Comm comm = harness_comm();
    int code = summand_allreduce(x, y, N, MPI_DOUBLE, MPI_SUM, comm, NULL);
    setenv("SUMMAND_TIMEOUT", "0", 1);
    bool made = code == MPI_SUCCESS; /* by now the communicator knows its limit */
    CHECK(made || is_in_vain(code), "code %d", code);
    MPI_Allreduce(MPI_IN_PLACE, &made, 1, MPI_C_BOOL, MPI_LAND, MPI_COMM_WORLD);
    for (int call = 0; call < 3 && made; call++) {
        code = MPI_SUCCESS;
        if (!missing() && call == 0)
            code = summand_sum(x, &result, N, MPI_DOUBLE, SUMMAND_ROOT_ALL, comm, NULL);
        if (!missing() && call == 1)
            code = summand_ordered_reduce(x, &result, N, SUMMAND_DISPLACEMENT_APPEND, MPI_DOUBLE,
                                          MPI_SUM, SUMMAND_ROOT_ALL, comm, NULL);
        if (!missing() && call == 2)
            code = summand_gossip_allreduce(x, y, 1, MPI_DOUBLE, MPI_SUM, comm, NULL, NULL);
        CHECK(missing() || is_in_vain(code), "call %d: code %d", call, code);
    }
    MPI_Barrier(MPI_COMM_WORLD);
}

/* All ranks but one leave an agreement; that one arrives there through gossip, which takes more
 * tags. Later calls first complete the agreement, and so get back in step with its tags. */
static void test_tags(void)
{
    const struct timespec later = {.tv_sec = 1};
    double result = 0;
    setenv("SUMMAND_CHECK", "on", 1);
    MPI_Comm comm = harness_comm();
    for (int call = 0; call < 3; call++) {
        int code = MPI_SUCCESS;
        works(comm, "before tags are out of step");
        MPI_Barrier(MPI_COMM_WORLD);
        if (missing())
            nanosleep(&later, NULL);
        code = missing() ? summand_gossip_allreduce(x, y, 1, MPI_DOUBLE, MPI_SUM, comm, NULL, NULL)
                         : allreduce(comm);
        CHECK(code != MPI_SUCCESS, "two calls: code %d", code);
        code = call == 0 ? summand_allreduce(x, y, N, MPI_DOUBLE, MPI_SUM, comm, &later_on)
               : call == 1
                   ? summand_sum(x, &result, N, MPI_DOUBLE, SUMMAND_ROOT_ALL, comm, &later_on)
                   : summand_ordered_reduce(x, &result, N, SUMMAND_DISPLACEMENT_APPEND, MPI_DOUBLE,
                                            MPI_SUM, SUMMAND_ROOT_ALL, comm, &later_on);
        CHECK(code == MPI_SUCCESS, "call %d with tags in step again: code %d", call, code);
        works(comm, "after tags were out of step");
    }
    unsetenv("SUMMAND_CHECK");
    MPI_Comm_free(&comm);
}

static void test_arguments(MPI_Comm comm)
{
    const double bad[] = {-1, -1e-300, 0.0 / 0.0};
    for (int i = 0; i < 3; i++)
        for (int repeat = 0; repeat < 2; repeat++) {
            summand_options options = {.timeout = bad[i]};
            int code = summand_allreduce(x, y, N, MPI_DOUBLE, MPI_SUM, comm, &options);
            CHECK(code == summand_error_code(SUMMAND_ERR_ARGUMENT), "timeout %g: code %d", bad[i],
                  code);
            works(comm, "after a bad timeout");
        }
}

TESTS
{
    MPI_Comm comm = harness_comm();
    for (int i = 0; i < N; i++)
        x[i] = i + 1;
    works(comm, "first");
    test_arguments(comm);
    test_blocking(comm);
    test_sums(comm);
    test_text(comm);
    for (int tests = 0; tests < 2; tests++)
        for (int beside = 0; beside < 2; beside++)
            test_plan(comm, tests, beside);
    test_several(comm);
    test_agreement(comm);
    for (int kept = 0; kept < 2; kept++)
        test_tree(comm, kept);
    test_environment();
    test_tags();
    MPI_Comm_free(&comm);
}
