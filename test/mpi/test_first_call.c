/* np: 2 3 */
/* The first call on a communicator: plans that are under way elsewhere move on while it waits, and
 * a rank that does not come to it is an error of the others once their time is over. */
#include <stdlib.h>
#include <summand.h>

#include "mpi/harness.h"

enum { LENGTH = 400000 };

static double x[LENGTH], y[LENGTH];

/* Rank 0 comes to the first call with a plan under way, for which the others wait before it. */
static void test_plans(void)
{
    MPI_Comm comm;
    summand_plan *plan;
    double one = 1, sum = 0;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    int code = summand_allreduce_init(x, y, LENGTH, MPI_DOUBLE, MPI_SUM, comm, NULL, &plan);
    CHECK(code == MPI_SUCCESS, "plan: code %d", code);
    for (int turn = 0; turn < 5; turn++) {
        MPI_Comm other;
        MPI_Comm_dup(MPI_COMM_WORLD, &other);
        for (int i = 0; i < LENGTH; i++)
            x[i] = i + turn;
        code = summand_plan_start(plan);
        if (harness_rank)
            code |= summand_plan_wait(plan);
        code |= summand_allreduce(&one, &sum, 1, MPI_DOUBLE, MPI_SUM, other, NULL);
        if (!harness_rank)
            code |= summand_plan_wait(plan);
        int wrong = sum != harness_ranks;
        for (int i = 0; i < LENGTH; i++)
            wrong += y[i] != harness_ranks * (double)(i + turn);
        CHECK(code == MPI_SUCCESS && !wrong, "turn %d: code %d, %d wrong", turn, code, wrong);
        MPI_Comm_free(&other);
    }
    summand_plan_free(&plan);
    MPI_Comm_free(&comm);
}

/* The communicator cannot be used with Summand any more. */
static void test_missing(void)
{
    MPI_Comm comm;
    double one = 1, sum = 0;
    char text[MPI_MAX_ERROR_STRING] = "";
    int length, code = summand_error_code(SUMMAND_ERR_TIMEOUT);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    setenv("SUMMAND_TIMEOUT", "1", 1);
    if (harness_rank != harness_ranks - 1)
        code = summand_allreduce(&one, &sum, 1, MPI_DOUBLE, MPI_SUM, comm, NULL);
    MPI_Error_string(code, text, &length);
    CHECK(code == summand_error_code(SUMMAND_ERR_TIMEOUT), "code %d: %s", code, text);
    CHECK(harness_rank == harness_ranks - 1 || strstr(text, "first call"), "%s", text);
    setenv("SUMMAND_TIMEOUT", "0", 1);
    MPI_Barrier(MPI_COMM_WORLD);
}

int main(int argc, char **argv)
{
    harness_begin(&argc, &argv);
    test_plans();
    test_missing();
    return harness_end();
}
