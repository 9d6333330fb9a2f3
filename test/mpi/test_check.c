/* np: 1 2 3 4; brief */
/* SPDX-License-Identifier: BSD-3-Clause */
/* SUMMAND_CHECK=on: blocking calls on which the ranks disagree, or which one rank cannot make, are
 * errors of all ranks, and the next call works as before. Without it the ranks would wait. */
#include <summand.h>

#include "mpi/harness.h"
#include "mpi/scarce.h"

enum { N = 4000, MANY = 1 << 19 };

static int x[N], y[N];

static void expect(int code, int class, const char *what)
{
    int got = MPI_SUCCESS;
    MPI_Error_class(code, &got);
    CHECK(code == class || got == class, "%s: code %d, not %d", what, code, class);
}

static void works(MPI_Comm comm)
{
    int one = 1, all = 0;
    int code = summand_allreduce(&one, &all, 1, MPI_INT, MPI_SUM, comm, NULL);
    CHECK(code == MPI_SUCCESS && all == harness_ranks, "code %d, sum %d", code, all);
}

/* The calls of the first and the other ranks. Ranks that have made such a call before meet ranks
 * that have not. */
static void test_options(MPI_Comm comm, int known)
{
    const struct {
        const char *what;
        summand_options options[2];
    } rows[] = {
        {"algorithms", {{.algorithm = "binary"}, {.algorithm = "chain"}}},
        {"chosen and given", {{.algorithm = NULL}, {.algorithm = "chain", .segment = 50}}},
        {"segments", {{.algorithm = "chain", .segment = 100}, {.algorithm = "chain"}}},
        {"radixes", {{.algorithm = "k-ary", .radix = 2}, {.algorithm = "k-ary", .radix = 3}}},
        {"node sizes",
         {{.algorithm = "node-binomial", .node_size = 2},
          {.algorithm = "node-binomial", .node_size = 1}}},
        {"promises",
         {{.promise = SUMMAND_PROMISE_CANONICAL}, {.algorithm = "ring", .segment = 10}}},
    };
    int mismatch = summand_error_code(SUMMAND_ERR_MISMATCH), first = !harness_rank;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const summand_options *options = &rows[i].options[first];
        if (known)
            for (int of = 0; of < 2; of++)
                CHECK(!summand_allreduce(x, y, N, MPI_INT, MPI_SUM, comm, &rows[i].options[of]),
                      "%s of all", rows[i].what);
        expect(summand_allreduce(x, y, N, MPI_INT, MPI_SUM, comm, options), mismatch, rows[i].what);
        expect(summand_reduce(x, y, N, MPI_INT, MPI_SUM, 0, comm, options), mismatch, rows[i].what);
        works(comm);
    }
}

static void test_arguments(MPI_Comm comm)
{
    int mismatch = summand_error_code(SUMMAND_ERR_MISMATCH), first = !harness_rank;
    int remote = summand_error_code(SUMMAND_ERR_REMOTE), last = harness_ranks - 1;
    int counts[2][8] = {{3, 1, 2, 2, 2, 2, 2, 2}, {2, 2, 2, 2, 2, 2, 2, 2}};
    double value = 1, sum;
    expect(summand_allreduce(x, y, first ? N : N - 1, MPI_INT, MPI_SUM, comm, NULL), mismatch,
           "counts");
    expect(summand_reduce(x, y, N, MPI_INT, MPI_SUM, first ? 0 : last, comm, NULL), mismatch,
           "roots");
    expect(summand_bcast(x, N, MPI_INT, first ? 0 : last, comm, NULL), mismatch, "roots");
    expect(first ? summand_bcast(x, N, MPI_INT, 0, comm, NULL)
                 : summand_allreduce(x, y, N, MPI_INT, MPI_SUM, comm, NULL),
           mismatch, "collectives");
    expect(summand_reduce_scatter(x, y, counts[first], MPI_INT, MPI_SUM, comm, NULL), mismatch,
           "blocks");
    expect(summand_sum(&value, &sum, 1, MPI_DOUBLE, first ? 0 : last, comm, NULL), mismatch,
           "roots of a sum");
    expect(summand_sum(&value, &sum, 1, MPI_DOUBLE, first ? -7 : 0, comm, NULL),
           first ? MPI_ERR_ROOT : remote, "root of a sum");
    expect(summand_allreduce(x, y, first ? -1 : N, MPI_INT, MPI_SUM, comm, NULL),
           first ? MPI_ERR_COUNT : remote, "count");
    expect(summand_bcast(x, N, first ? MPI_DATATYPE_NULL : MPI_INT, 0, comm, NULL),
           first ? MPI_ERR_TYPE : remote, "datatype");
    works(comm);
}

/* One rank lacks memory for the scratch of a new shape of call. */
static void test_memory(MPI_Comm comm)
{
    int memory = summand_error_code(SUMMAND_ERR_MEMORY);
    int remote = summand_error_code(SUMMAND_ERR_REMOTE);
    summand_options doubling = {.algorithm = "recursive-doubling"};
    int *many = calloc(MANY + 8, sizeof *many);
    for (int poor = 0; poor < harness_ranks; poor++) {
        scarce_above = harness_rank == poor ? 1000000 : SIZE_MAX;
        scarce.refused = 0;
        int n = MANY + poor; /* a shape for which no rank has a plan */
        int code = summand_allreduce(MPI_IN_PLACE, many, n, MPI_INT, MPI_SUM, comm, &doubling);
        scarce_above = SIZE_MAX;
        expect(code, harness_rank == poor ? memory : remote, "memory");
        CHECK(harness_rank != poor || scarce.refused, "rank %d was refused nothing", poor);
        code = summand_allreduce(MPI_IN_PLACE, many, n, MPI_INT, MPI_SUM, comm, &doubling);
        CHECK(code == MPI_SUCCESS, "once there is memory again: code %d", code);
    }
    free(many);
}

TESTS
{
    if (!harness_rank) /* the first one's counts */
        setenv("SUMMAND_CHECK", "on", 1);
    MPI_Comm comm = harness_comm();
    works(comm);
    if (harness_ranks > 1) {
        test_options(comm, 0);
        test_options(comm, 1);
        test_arguments(comm);
        test_memory(comm);
    }
    MPI_Comm_free(&comm);
}
