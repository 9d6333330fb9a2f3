/* np: 2 3; other_sleeper */
/* SPDX-License-Identifier: BSD-3-Clause */
/* The first call on a communicator: active plans elsewhere progress while it waits. A rank that
 * does not reach it, or does not complete it, is an error of the others after their timeout. */
#include <summand.h>

#include "mpi/harness.h"

enum { LENGTH = 400000 };

static double x[LENGTH], y[LENGTH];
static int stops; /* this rank joins no further gathering */

int __real_PMPI_Iallgather(const void *send, int sends, MPI_Datatype sendtype, void *recv,
                           int recvs, MPI_Datatype recvtype, MPI_Comm comm, MPI_Request *request);
int __wrap_PMPI_Iallgather(const void *send, int sends, MPI_Datatype sendtype, void *recv,
                           int recvs, MPI_Datatype recvtype, MPI_Comm comm, MPI_Request *request);
int __wrap_PMPI_Iallgather(const void *send, int sends, MPI_Datatype sendtype, void *recv,
                           int recvs, MPI_Datatype recvtype, MPI_Comm comm, MPI_Request *request)
{
    return stops ? MPI_ERR_OTHER
                 : __real_PMPI_Iallgather(send, sends, sendtype, recv, recvs, recvtype, comm,
                                          request);
}

int __real_PMPI_Allgather(const void *send, int sends, MPI_Datatype sendtype, void *recv, int recvs,
                          MPI_Datatype recvtype, MPI_Comm comm);
int __wrap_PMPI_Allgather(const void *send, int sends, MPI_Datatype sendtype, void *recv, int recvs,
                          MPI_Datatype recvtype, MPI_Comm comm);
int __wrap_PMPI_Allgather(const void *send, int sends, MPI_Datatype sendtype, void *recv, int recvs,
                          MPI_Datatype recvtype, MPI_Comm comm)
{
    return stops ? MPI_ERR_OTHER
                 : __real_PMPI_Allgather(send, sends, sendtype, recv, recvs, recvtype, comm);
}

/* Rank 0 reaches the first call with an active plan, which the others wait for before that call. */
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

static int use(MPI_Comm comm)
{
    double one = 1, sum = 0;
    return summand_allreduce(&one, &sum, 1, MPI_DOUBLE, MPI_SUM, comm, NULL);
}

/* A deadline, and settings that no fabric has, so the communicator's first call makes one. */
static MPI_Comm begin(void)
{
    static int node_size;
    char number[16];
    MPI_Comm comm = harness_comm();
    snprintf(number, sizeof number, "%d", harness_ranks + ++node_size);
    setenv("SUMMAND_NODE_SIZE", number, 1);
    setenv("SUMMAND_TIMEOUT", "1", 1);
    return comm;
}

static void end(void)
{
    setenv("SUMMAND_TIMEOUT", "0", 1);
    MPI_Barrier(MPI_COMM_WORLD);
}

static void expect_late(int code, const char *what)
{
    char text[MPI_MAX_ERROR_STRING] = "";
    int length;
    MPI_Error_string(code, text, &length);
    CHECK(code == summand_error_code(SUMMAND_ERR_TIMEOUT), "%s: code %d: %s", what, code, text);
    CHECK(strstr(text, "first call"), "%s: %s", what, text);
}

/* Summand can no longer use the communicator: ranks that left its first call make no collective on
 * it, because the late rank could confuse it with another. */
static void test_missing(int late)
{
    MPI_Comm comm = begin();
    if (harness_rank != late)
        expect_late(use(comm), "missing");
    MPI_Barrier(MPI_COMM_WORLD);
    for (int repeat = 0; repeat < 2; repeat++)
        expect_late(use(comm), "late");
    end();
}

/* A rank that dies after all have arrived, while they make a fabric. */
static void test_stopped(int late)
{
    MPI_Comm comm = begin();
    stops = harness_rank == late;
    int code = use(comm);
    stops = 0;
    if (harness_rank == late)
        CHECK(code == MPI_ERR_OTHER, "stopped: code %d", code);
    else
        expect_late(code, "stopped");
    end();
}

int main(int argc, char **argv)
{
    for (int code = -1; code < 100; code++) /* no call of the MPI: it is not initialised */
        CHECK(summand_error_of(code) == SUMMAND_ERR_NONE, "code %d before MPI_Init", code);
    harness_begin(&argc, &argv);
    test_plans();
    for (int i = 0; i < 2; i++) {
        test_missing(i * (harness_ranks - 1));
        test_stopped(i * (harness_ranks - 1));
    }
    return harness_end();
}
