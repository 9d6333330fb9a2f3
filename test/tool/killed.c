/* SPDX-License-Identifier: BSD-3-Clause */
/* The last rank is killed. The others wait for it and print their result: "rank 0: remote" if a
 * call fails as expected. A launcher that ends all ranks when one is killed prints nothing. */
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <summand.h>
#include <unistd.h>

static double x[1000], y[1000];

/* What the text of SUMMAND_ERR_REMOTE says of the killed rank. */
static char ended[128];

static const char *outcome(int code)
{
    return code == MPI_SUCCESS                               ? "success"
           : strstr(summand_error_text(code), ended)         ? "remote"
           : code == summand_error_code(SUMMAND_ERR_TIMEOUT) ? "timeout"
                                                             : "another error";
}

/* A rank that ends early would be found dead, too. */
static void wait_for_the_living(int rank, int ranks)
{
    for (int other = 1; other < ranks - 1 && !rank; other++)
        MPI_Recv(NULL, 0, MPI_BYTE, other, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (int other = 1; other < ranks - 1 && !rank; other++)
        MPI_Send(NULL, 0, MPI_BYTE, other, 0, MPI_COMM_WORLD);
    if (rank) {
        MPI_Send(NULL, 0, MPI_BYTE, 0, 0, MPI_COMM_WORLD);
        MPI_Recv(NULL, 0, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
}

int main(int argc, char **argv)
{
    enum { COUNT = 1000 };
    int rank, ranks, code = MPI_SUCCESS;
    summand_plan *plan = NULL, *made = NULL;
    summand_options patient = {.timeout = 100};
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    snprintf(
        ended, sizeof ended,
        "another rank reported an error in this collective call: rank %d: its process has ended",
        ranks - 1);
    summand_allreduce_init(x, y, COUNT, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &patient, &plan);
    for (int call = 0; call < 10 && code == MPI_SUCCESS; call++)
        code = summand_allreduce(x, y, COUNT, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &patient);
    if (code != MPI_SUCCESS)
        return 1;
    if (rank == ranks - 1)
        kill(getpid(), SIGKILL);
    code = summand_allreduce(x, y, COUNT, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &patient);
    printf("rank %d: %s\n", rank, outcome(code));
    code = summand_plan_start(plan);
    printf("plan %d: %s\n", rank, outcome(code == MPI_SUCCESS ? summand_plan_wait(plan) : code));
    code =
        summand_allreduce_init(x, y, COUNT, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &patient, &made);
    printf("init %d: %s\n", rank, outcome(code));
    fflush(stdout);
    wait_for_the_living(rank, ranks);
    _exit(0); /* MPI_Finalize would wait for the dead rank */
}
