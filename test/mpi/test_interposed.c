/* np: 1 2 3; brief */
/* SPDX-License-Identifier: BSD-3-Clause */
/* The program's own MPI_Allreduce, MPI_Reduce and MPI_Bcast call Summand's. The library calls the
 * MPI by its PMPI names, so it never meets them again. Includes first calls, plans, agreements and
 * communicators that come and go. */
#include <summand.h>

#include "mpi/harness.h"

enum { N = 3000, MOST_DEPTH = 1 };

static int depth, calls;

static int enter(void)
{
    CHECK(depth < MOST_DEPTH, "the library called the program's MPI function: depth %d", depth);
    calls++;
    return depth++;
}

int MPI_Allreduce(const void *sendbuf, void *recvbuf, int count, MPI_Datatype datatype, MPI_Op op,
                  MPI_Comm comm)
{
    depth = enter() + 1;
    int code = summand_allreduce(sendbuf, recvbuf, count, datatype, op, comm, NULL);
    depth--;
    return code;
}

int MPI_Reduce(const void *sendbuf, void *recvbuf, int count, MPI_Datatype datatype, MPI_Op op,
               int root, MPI_Comm comm)
{
    depth = enter() + 1;
    int code = summand_reduce(sendbuf, recvbuf, count, datatype, op, root, comm, NULL);
    depth--;
    return code;
}

int MPI_Bcast(void *buffer, int count, MPI_Datatype datatype, int root, MPI_Comm comm)
{
    depth = enter() + 1;
    int code = summand_bcast(buffer, count, datatype, root, comm, NULL);
    depth--;
    return code;
}

int MPI_Allgather(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
                  int recvcount, MPI_Datatype recvtype, MPI_Comm comm)
{
    depth = enter() + 1;
    int code =
        summand_allgather(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, NULL);
    depth--;
    return code;
}

static void call_all(MPI_Comm comm)
{
    static long in[N], out[N];
    long own = harness_rank, all[8];
    for (int i = 0; i < N; i++)
        in[i] = harness_rank + i;
    int sum = harness_ranks * (harness_ranks - 1) / 2;
    for (int count = 1; count <= N; count += N - 1) {
        CHECK(MPI_Allreduce(in, out, count, MPI_LONG, MPI_SUM, comm) == MPI_SUCCESS, "allreduce");
        CHECK(out[count - 1] == sum + (long)harness_ranks * (count - 1), "sum of %d", count);
        CHECK(MPI_Reduce(in, out, count, MPI_LONG, MPI_MAX, 0, comm) == MPI_SUCCESS, "reduce");
        CHECK(harness_rank || out[count - 1] == harness_ranks - 1 + count - 1, "max of %d", count);
        out[count - 1] = harness_rank ? -1 : 42;
        CHECK(MPI_Bcast(out, count, MPI_LONG, 0, comm) == MPI_SUCCESS, "bcast");
        CHECK(out[count - 1] == 42, "bcast of %d", count);
    }
    CHECK(MPI_Allgather(&own, 1, MPI_LONG, all, 1, MPI_LONG, comm) == MPI_SUCCESS, "allgather");
    for (int r = 0; r < harness_ranks; r++)
        CHECK(all[r] == r, "block of rank %d", r);
    double x[2] = {1.5, harness_rank}, y;
    const summand_options tree = {.promise = SUMMAND_PROMISE_INDEX};
    CHECK(summand_sum(x, &y, 2, MPI_DOUBLE, SUMMAND_ROOT_ALL, comm, &tree) == MPI_SUCCESS, "tree");
    CHECK(y == 1.5 * harness_ranks + sum, "tree: %g", y);
}

TESTS
{
    call_all(MPI_COMM_WORLD);
    for (int i = 0; i < 12; i++) { /* more than the fabrics that stay */
        MPI_Comm comm, part;
        MPI_Comm_dup(MPI_COMM_WORLD, &comm);
        call_all(comm);
        MPI_Comm_split(MPI_COMM_WORLD, 0, harness_ranks - harness_rank, &part);
        long one = 1, count = 0;
        MPI_Allreduce(&one, &count, 1, MPI_LONG, MPI_SUM, part);
        CHECK(count == harness_ranks, "ranks counted: %ld", count);
        MPI_Comm_free(&part);
        MPI_Comm_free(&comm);
    }
    CHECK(calls > 0 && !depth, "%d calls, depth %d", calls, depth);
}
