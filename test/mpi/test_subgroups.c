/* np: 1 4 6; together */
/* SPDX-License-Identifier: BSD-3-Clause */
/* An all-reduce on the rows and one on the columns of a process grid, as one non-blocking plan on
 * one communicator: with a drain between them, in sequence, or interleaved. Compared with the MPI's
 * on communicators of the rows and columns. */
#include <stdlib.h>
#include <summand.h>

#include "grid.h"
#include "mpi/doubles.h"

static struct summand__state *state;
static int rows, columns;
static MPI_Comm side[2]; /* this rank's row and column */

static void run(enum manner manner, const char *algorithm, size_t count)
{
    const struct grid grid = {rows, columns, count, {algorithm, algorithm}, .skew = 1};
    struct summand__schedule whole;
    double *x = malloc((5 * count + 1) * sizeof *x), *y = x + count, *right = y + 2 * count;
    CHECK(grid_build(&grid, manner, harness_rank, &whole), "memory");
    summand_plan *plan = doubles_plan(state, &whole, x, y, NULL);
    for (int start = 0; start < 5; start++) {
        int done = 0;
        for (size_t i = 0; i < count; i++)
            x[i] = (harness_rank + 1) * (double)(i % 13 + (size_t)start);
        int code = summand_plan_start(plan);
        for (int which = 0; which < 2; which++)
            MPI_Allreduce(x, right + (size_t)which * count, (int)count, MPI_DOUBLE, MPI_SUM,
                          side[which]);
        while (code == MPI_SUCCESS && !done)
            code = summand_plan_test(plan, &done);
        CHECK(code == MPI_SUCCESS && !memcmp(y, right, 2 * count * sizeof *y),
              "%d x %d, %s %s of %zu, start %d: code %d", rows, columns, algorithm, manners[manner],
              count, start, code);
    }
    summand_plan_free(&plan);
    free(x);
}

TESTS
{
    static const char *const algorithms[] = {"recursive-doubling", "binomial", "rabenseifner"};
    static const size_t counts[] = {1, 100, 30000};
    summand__state_of(MPI_COMM_WORLD, &state);
    for (rows = 1; rows * rows < harness_ranks || harness_ranks % rows;)
        rows++;
    columns = harness_ranks / rows;
    MPI_Comm_split(MPI_COMM_WORLD, harness_rank / columns, harness_rank, &side[0]);
    MPI_Comm_split(MPI_COMM_WORLD, harness_rank % columns, harness_rank, &side[1]);
    for (size_t a = 0; a < 3; a++)
        for (size_t c = 0; c < 3; c++)
            for (int manner = 0; manner < MANNERS; manner++)
                if (manner != INTERLEAVED || !a)
                    run((enum manner)manner, algorithms[a], counts[c]);
    MPI_Comm_free(&side[0]);
    MPI_Comm_free(&side[1]);
}
