/* np: 2 3; together brief */
/* SPDX-License-Identifier: BSD-3-Clause */
/* A rank whose next tags differ from the others', as after calls of which it knows nothing. No
 * rank goes on with such tags: their agreement is an error of all, and the next one succeeds. */
#include <summand.h>

#include "comm/state.h"
#include "mpi/harness.h"

static int make(MPI_Comm comm, double *one, double *sum, summand_plan **plan)
{
    return summand_allreduce_init(one, sum, 1, MPI_DOUBLE, MPI_SUM, comm, NULL, plan);
}

/* The plan's tags and those of calls are the same on all ranks. */
static void works(MPI_Comm comm, const char *what, int odd)
{
    double one = 1, sum[2] = {0, 0};
    summand_plan *plan = NULL;
    int code = make(comm, &one, &sum[0], &plan);
    CHECK(code == MPI_SUCCESS && plan, "%s of rank %d: the next plan: code %d", what, odd, code);
    if (plan)
        code = summand_plan_start(plan);
    if (plan && code == MPI_SUCCESS)
        code = summand_plan_wait(plan);
    summand_plan_free(&plan);
    if (code == MPI_SUCCESS)
        code = summand_allreduce(&one, &sum[1], 1, MPI_DOUBLE, MPI_SUM, comm, NULL);
    CHECK(code == MPI_SUCCESS && sum[0] == harness_ranks && sum[1] == harness_ranks,
          "%s of rank %d: the next calls: code %d, %g, %g", what, odd, code, sum[0], sum[1]);
}

static void test_odd(MPI_Comm comm, bool plans, int odd)
{
    const char *what = plans ? "tags of plans" : "tags of calls";
    double one = 1, sum = 0;
    summand_plan *plan = NULL;
    struct summand__state *state;
    summand__state_of(comm, &state);
    state->tags.next_plan += plans && harness_rank == odd;
    state->tags.calls += !plans && harness_rank == odd;
    int code = make(comm, &one, &sum, &plan);
    CHECK(code == summand_error_code(SUMMAND_ERR_REMOTE) && !plan, "%s of rank %d: code %d", what,
          odd, code);
    summand_plan_free(&plan);
    works(comm, what, odd);
}

TESTS
{
    MPI_Comm comm = harness_comm();
    works(comm, "first", 0);
    for (int odd = 0; odd < harness_ranks; odd++) {
        test_odd(comm, false, odd);
        test_odd(comm, true, odd);
    }
    MPI_Comm_free(&comm);
}
