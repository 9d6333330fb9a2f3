/* SPDX-License-Identifier: BSD-3-Clause */
/* The core without any capability: linked whole, so that it asks for nothing but two tables,
 * which this file fills with what the core has. */
#include <mpi.h>
#include <stdio.h>
#include <summand/reduce.h>
#include <summand/sum.h>

#include "algorithm/algorithm.h"
#include "algorithm/table.h"
#include "base/registered.h"

#define DECLARE(name) extern const struct summand__algorithm summand__##name;
SUMMAND__CORE_ALGORITHMS(DECLARE)
#define ENTRY(name) &summand__##name,
const struct summand__algorithm *const summand__algorithms[] = {SUMMAND__CORE_ALGORITHMS(ENTRY)
                                                                    NULL};
const struct summand__registered summand__registered;

static int failed;

static void check(const char *what, double got, double wanted)
{
    if (got != wanted)
        failed = !!printf("%s is %.17g, not %.17g\n", what, got, wanted);
}

int main(void)
{
    int rank, ranks, all;
    MPI_Init(NULL, NULL);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);

    double own = rank ? 1 : 1e300, other = -1e300, exact, sum;
    double terms[] = {own, rank ? 0 : other};
    if (summand_sum(terms, &exact, 2, MPI_DOUBLE, SUMMAND_ROOT_ALL, MPI_COMM_WORLD, NULL))
        failed = 1;
    check("the exact sum", exact, ranks - 1);

    for (int i = 0; summand__algorithms[i]; i++) {
        summand_options options = {.algorithm = summand__algorithms[i]->name};
        double operand = rank + 1;
        if (!summand__algorithms[i]->build[SUMMAND__COLL_ALLREDUCE] ||
            !summand__algorithm_does(summand__algorithms[i],
                                     &(struct summand__call){.collective = SUMMAND__COLL_ALLREDUCE,
                                                             .rank = rank,
                                                             .ranks = ranks,
                                                             .count = 1}))
            continue;
        if (summand_allreduce(&operand, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &options))
            failed = 1;
        check(summand__algorithms[i]->name, sum, ranks * (ranks + 1) / 2);
    }
    MPI_Allreduce(&failed, &all, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    MPI_Finalize();
    return all;
}
