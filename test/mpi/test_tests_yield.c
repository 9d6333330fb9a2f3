/* np: 2 3 */
/* SPDX-License-Identifier: BSD-3-Clause */
/* Loops of tests leave other ranks the processor, as waits do: a rank that tests plans of which
 * another rank has not started its part yields. It starts only when told that this has happened. */
#include <sched.h>
#include <summand.h>

#include "mpi/harness.h"

enum { N = 40, PLANS = 2, MOST = 10000000 };
enum way { TEST, TESTALL, TESTANY, WAYS };
static const char *const names[] = {"test", "testall", "testany"};

static long yields;

/* The library's calls alone: an MPI may yield in its own. */
int __real_sched_yield(void);
int __wrap_sched_yield(void);
int __wrap_sched_yield(void)
{
    yields++;
    return __real_sched_yield();
}

static double element(MPI_Count row, MPI_Count column, void *context)
{
    (void)context;
    return (double)(row + column);
}

static summand_matrix *matrix_on(int rank)
{
    summand_matrix *made;
    const summand_matrix_shape shape = {N, N, 8, 8, 1, 1, &rank};
    CHECK(summand_matrix_create(&shape, MPI_DOUBLE, NULL, 0, MPI_COMM_WORLD, &made) == MPI_SUCCESS,
          "a matrix");
    CHECK(summand_matrix_fill(made, element, NULL) == MPI_SUCCESS, "its elements");
    return made;
}

static int test(enum way way, summand_plan *plans[], int *done)
{
    int index;
    *done = 0;
    return way == TEST      ? summand_plan_test(plans[0], done)
           : way == TESTALL ? summand_plan_testall(PLANS, plans, done)
                            : summand_plan_testany(PLANS, plans, &index, done);
}

/* The last rank starts its part once rank 0 has yielded. */
static void run(enum way way, summand_plan *plans[])
{
    const int last = harness_ranks - 1;
    int done = 0, code = MPI_SUCCESS, token = 0;
    long tests = 0;
    yields = 0;
    if (harness_rank == last)
        MPI_Recv(&token, 1, MPI_INT, 0, way, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    code = summand_plan_startall(PLANS, plans);
    CHECK(code == MPI_SUCCESS, "start: %d", code);
    for (; harness_rank == 0 && !yields && !done && code == MPI_SUCCESS && tests < MOST; tests++)
        code = test(way, plans, &done);
    CHECK(harness_rank || (yields && !done), "%s: %ld tests, %ld yields, code %d", names[way],
          tests, yields, code);
    if (harness_rank == 0)
        MPI_Send(&token, 1, MPI_INT, last, way, MPI_COMM_WORLD);
    code = summand_plan_waitall(PLANS, plans);
    CHECK(code == MPI_SUCCESS, "wait: %d", code);
}

TESTS
{
    static double one = 1, sum;
    summand_matrix *a = matrix_on(0), *b = matrix_on(harness_ranks - 1), *c = matrix_on(0);
    summand_plan *plans[PLANS];
    int code = summand_gemm_init(SUMMAND_TRANSPOSE_NO, SUMMAND_TRANSPOSE_NO, 1, a, b, 0, c, NULL,
                                 &plans[0]);
    CHECK(code == MPI_SUCCESS, "plan of a product: %d", code);
    code =
        summand_allreduce_init(&one, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, NULL, &plans[1]);
    CHECK(code == MPI_SUCCESS, "plan of a sum: %d", code);
    for (enum way way = TEST; way < WAYS; way++) {
        run(way, plans);
        CHECK(sum == harness_ranks, "%g", sum);
    }
    for (int p = 0; p < PLANS; p++)
        summand_plan_free(&plans[p]);
    summand_matrix_free(&a);
    summand_matrix_free(&b);
    summand_matrix_free(&c);
}
