/* np: 1 2 3 4 7; together brief; over: shm */
/* SPDX-License-Identifier: BSD-3-Clause */
/* The accumulator's datatype and operator, and the half-precision datatypes, in the MPI's own
 * collectives. */
#include "mpi/sums.h"

/* The same handle each time, 2 bytes that any MPI call can move, and two distinct types. */
static void test_halves(void)
{
    MPI_Datatype type[2], again;
    uint16_t *all = calloc((size_t)harness_ranks, sizeof *all);
    const uint16_t own = (uint16_t)(0x3c00 + harness_rank);
    int size;
    CHECK(!summand_float16_datatype(&type[0]) && !summand_bfloat16_datatype(&type[1]), "types");
    CHECK(type[0] != type[1] && !summand_float16_datatype(&again) && again == type[0], "handles");
    for (int t = 0; t < 2; t++) {
        MPI_Type_size(type[t], &size);
        MPI_Allgather(&own, 1, type[t], all, 1, type[t], MPI_COMM_WORLD);
        for (int r = 0; r < harness_ranks; r++)
            CHECK(size == 2 && all[r] == 0x3c00 + r, "rank %d: %d, size %d", r, all[r], size);
    }
    free(all);
}

TESTS
{
    enum { N = 200 };
    double x[N];
    uint64_t seed = 21;
    MPI_Datatype type;
    MPI_Op merge;
    CHECK(summand_exact_datatype(&type) == MPI_SUCCESS, "type");
    CHECK(summand_exact_op(&merge) == MPI_SUCCESS, "op");
    for (int round = 0; round < 5; round++) {
        summand_exact mine[2], all[2];
        fill_values(&seed, N, 200, x);
        for (int j = 0; j < 2; j++)
            summand_exact_init(&mine[j]);
        for (int i = harness_rank; i < N; i += harness_ranks) {
            summand_exact_add(&mine[0], 1, &x[i]);
            summand_exact_add_squares(&mine[1], 1, &x[i]);
        }
        MPI_Allreduce(mine, all, 2, type, merge, MPI_COMM_WORLD);
        double want = oracle_exact(SUMMAND_KIND_SUM, N, x, NULL),
               sum = summand_exact_round(&all[0]);
        double want_norm = oracle_exact(SUMMAND_KIND_NRM2, N, x, NULL),
               norm = summand_exact_sqrt(&all[1]);
        CHECK(harness_bits(sum) == harness_bits(want), "%a, not %a", sum, want);
        CHECK(harness_bits(norm) == harness_bits(want_norm), "%a, not %a", norm, want_norm);

        summand_exact before;
        MPI_Scan(mine, &before, 1, type, merge, MPI_COMM_WORLD);
        if (harness_rank == harness_ranks - 1)
            CHECK(harness_bits(summand_exact_round(&before)) == harness_bits(want), "scan");
    }
    test_halves();
}
