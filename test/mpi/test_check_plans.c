/* np: 2 3 4; brief */
/* SPDX-License-Identifier: BSD-3-Clause */
/* SUMMAND_CHECK=on and active plans: blocking calls and the making of plans agree with the other
 * ranks while these wait for a plan that was started on this or another communicator. The first
 * half of the ranks makes the call before it waits, the others wait first; then the roles change.
 * */
#include <summand.h>
#include <summand/gossip.h>
#include <summand/ordered.h>

#include "mpi/harness.h"

/* So long that a ring ends on no rank before all have done their rounds. */
enum { LONG = 1 << 17, SHORT = 64 };

static double from[LONG], to[LONG];

static void expect(int code, double got, double want, const char *what)
{
    CHECK(code == MPI_SUCCESS && got == want, "%s: code %d, %g, not %g", what, code, got, want);
}

static double sum_of_ranks(void)
{
    return harness_ranks * (harness_ranks + 1) / 2.0;
}

/* A call that needs the other ranks; on `comm`, which has been used before. */
static void make_call(int which, MPI_Comm comm)
{
    double x[SHORT], y[SHORT] = {0}, sum = sum_of_ranks();
    const summand_options tree = {.promise = SUMMAND_PROMISE_INDEX};
    const summand_term term = {
        .kind = SUMMAND_KIND_SUM, .count = 1, .displacement = SUMMAND_DISPLACEMENT_APPEND, .x = x};
    summand_plan *plan = NULL;
    int code;
    for (int i = 0; i < SHORT; i++)
        x[i] = harness_rank + 1;
    switch (which) {
    case 0:
        code = summand_allreduce(x, y, SHORT, MPI_DOUBLE, MPI_SUM, comm, NULL);
        break;
    case 1:
        code = summand_sum(x, y, 1, MPI_DOUBLE, SUMMAND_ROOT_ALL, comm, NULL);
        break;
    case 2:
        code = summand_sum(x, y, 1, MPI_DOUBLE, SUMMAND_ROOT_ALL, comm, &tree);
        break;
    case 3:
        code = summand_ordered_reduce(x, y, 1, SUMMAND_DISPLACEMENT_APPEND, MPI_DOUBLE, MPI_SUM,
                                      SUMMAND_ROOT_ALL, comm, NULL);
        break;
    case 4:
        code = summand_allreduce_init(x, y, SHORT, MPI_DOUBLE, MPI_SUM, comm, NULL, &plan);
        break;
    case 5:
        code = summand_sums_init(1, &term, y, MPI_DOUBLE, SUMMAND_ROOT_ALL, comm, &tree, &plan);
        break;
    default:
        code = summand_gossip_allreduce(x, y, 1, MPI_DOUBLE, MPI_MAX, comm, NULL, NULL);
        sum = harness_ranks;
    }
    CHECK(code == MPI_SUCCESS, "call %d: code %d", which, code);
    if (plan) {
        summand_plan_start(plan);
        code = summand_plan_wait(plan);
        summand_plan_free(&plan);
    }
    CHECK(code == MPI_SUCCESS && y[0] == sum, "call %d: code %d, %g, not %g", which, code, y[0],
          sum);
}

static void test_calls(MPI_Comm plans_of, MPI_Comm calls_of, int calls)
{
    summand_plan *plan;
    summand_options ring = {.algorithm = "ring"};
    int made = summand_allreduce_init(from, to, LONG, MPI_DOUBLE, MPI_SUM, plans_of, &ring, &plan);
    expect(made, 0, 0, "init");
    for (int turn = 0; turn < 2; turn++)
        for (int which = 0; which < calls; which++) {
            int early = (harness_rank < harness_ranks / 2) == turn;
            int code = summand_plan_start(plan);
            if (early)
                make_call(which, calls_of);
            if (code == MPI_SUCCESS)
                code = summand_plan_wait(plan);
            if (!early)
                make_call(which, calls_of);
            expect(code, to[LONG - 1], sum_of_ranks(), "plan");
            to[LONG - 1] = 0;
        }
    summand_plan_free(&plan);
}

int main(int argc, char **argv)
{
    MPI_Comm comm[2];
    setenv("SUMMAND_CHECK", "on", 1);
    harness_begin(&argc, &argv);
    for (int i = 0; i < LONG; i++)
        from[i] = harness_rank + 1;
    for (int i = 0; i < 2; i++) {
        MPI_Comm_dup(MPI_COMM_WORLD, &comm[i]);
        MPI_Comm_set_errhandler(comm[i], MPI_ERRORS_RETURN);
        make_call(0, comm[i]);
    }
    alarm(120); /* a hang is a failure */
    test_calls(comm[0], comm[1], 7);
    test_calls(comm[0], comm[0], 7);
    for (int i = 0; i < 2; i++)
        MPI_Comm_free(&comm[i]);
    return harness_end();
}
