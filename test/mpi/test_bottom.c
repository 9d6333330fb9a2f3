/* np: 1 2 3; together brief */
/* SPDX-License-Identifier: BSD-3-Clause */
/* Reductions at MPI_BOTTOM, with a datatype of absolute places. */
#include <summand.h>

#include "mpi/harness.h"

/* Where the numbers lie, by their datatype. */
static MPI_Aint numbers_at;

static void add_there(void *in, void *inout, int *n, MPI_Datatype *type)
{
    (void)type;
    for (int i = 0; i < *n; i++) {
        const MPI_Aint at = numbers_at + (MPI_Aint)sizeof(double) * i;
        *(double *)((char *)inout + at) += *(double *)((char *)in + at);
    }
}

/* Sums in place at MPI_BOTTOM, longer than what travels in one piece: the operand's address is 0.
 */
TESTS
{
    const MPI_Comm comm = MPI_COMM_WORLD;
    enum { COUNT = 20000 };
    static double numbers[COUNT];
    const double all = harness_ranks * (harness_ranks + 1) / 2.0;
    MPI_Datatype type;
    MPI_Op op;
    MPI_Get_address(numbers, &numbers_at);
    MPI_Type_create_hindexed_block(1, 1, &numbers_at, MPI_DOUBLE, &type);
    MPI_Type_commit(&type);
    MPI_Op_create(add_there, 1, &op);
    static const char *const algorithms[] = {"linear", "binomial", "ring", "rabenseifner", NULL};
    for (int a = 0; algorithms[a]; a++)
        for (int reduces = 0; reduces < 2; reduces++) {
            struct summand_options options = {.algorithm = algorithms[a]};
            for (int i = 0; i < COUNT; i++)
                numbers[i] = harness_rank + 1 + i;
            const int code =
                reduces
                    ? summand_reduce(harness_rank ? MPI_BOTTOM : MPI_IN_PLACE, MPI_BOTTOM, COUNT,
                                     type, op, 0, comm, &options)
                    : summand_allreduce(MPI_IN_PLACE, MPI_BOTTOM, COUNT, type, op, comm, &options);
            int wrong = 0;
            for (int i = 0; i < COUNT; i++)
                wrong += numbers[i] != all + (double)i * harness_ranks;
            CHECK(code == MPI_SUCCESS && (!wrong || (reduces && harness_rank)),
                  "%s, %s at MPI_BOTTOM: %d wrong: %s", algorithms[a],
                  reduces ? "reduce" : "allreduce", wrong, summand_error_text(code));
        }
    MPI_Op_free(&op);
    MPI_Type_free(&type);
}
