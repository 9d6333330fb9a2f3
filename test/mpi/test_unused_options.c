/* np: 1 2 3; together */
/* SPDX-License-Identifier: BSD-3-Clause */
/* A field of the options that the named algorithm does not use is refused, by its name. What a plan
 * says of itself is taken again. */
#include <summand.h>

#include "algorithm/algorithm.h"
#include "mpi/harness.h"

static void check_described(const summand_options *given, MPI_Comm comm)
{
    double one = 1, all = -7;
    summand_options said;
    summand_plan *plan, *again;
    if (summand_allreduce_init(&one, &all, 1, MPI_DOUBLE, MPI_SUM, comm, given, &plan) !=
        MPI_SUCCESS)
        return;
    summand_plan_describe(plan, &said, NULL);
    const int code =
        summand_allreduce_init(&one, &all, 1, MPI_DOUBLE, MPI_SUM, comm, &said, &again);
    CHECK(code == MPI_SUCCESS, "%s, promise %d: %s", said.algorithm, (int)given->promise,
          summand_error_text(code));
    summand_plan_free(&again);
    summand_plan_free(&plan);
}

/* Each algorithm with each field of the options: it uses it, or the field is named. */
TESTS
{
    MPI_Comm comm;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    static const char *const fields[] = {"segment", "radix", "node_size", "leaders",
                                         "radix_between"};
    for (int a = 0; summand__algorithms[a]; a++)
        for (int p = SUMMAND_PROMISE_DEFAULT; p <= SUMMAND_PROMISE_EXACT; p++)
            check_described(&(summand_options){.algorithm = summand__algorithms[a]->name,
                                               .promise = (enum summand_promise)p},
                            comm);
    for (int p = SUMMAND_PROMISE_DEFAULT; p <= SUMMAND_PROMISE_EXACT; p++)
        check_described(&(summand_options){.promise = (enum summand_promise)p}, comm);
    for (int a = 0; summand__algorithms[a]; a++)
        for (int f = 0; f < SUMMAND__PARAMETERS; f++) {
            const struct summand__algorithm *algorithm = summand__algorithms[a];
            summand_options o = {.algorithm = algorithm->name};
            char words[128];
            double one = 1, all = -7;
            if (f == SUMMAND__SEGMENT)
                o.segment = 2;
            else
                *(f == SUMMAND__RADIX       ? &o.radix
                  : f == SUMMAND__NODE_SIZE ? &o.node_size
                  : f == SUMMAND__LEADERS   ? &o.leaders
                                            : &o.radix_between) = 2;
            snprintf(words, sizeof words, "options.%s is 2, which '%s' does not use", fields[f],
                     algorithm->name);
            int code = summand_allreduce(&one, &all, 1, MPI_DOUBLE, MPI_SUM, comm, &o);
            const bool named = code == summand_error_code(SUMMAND_ERR_ARGUMENT) && all == -7 &&
                               strstr(summand_error_text(code), words);
            CHECK(named == !algorithm->limits[f].most, "%s, %s: %s", algorithm->name, fields[f],
                  summand_error_text(code));
        }
    MPI_Comm_free(&comm);
}
