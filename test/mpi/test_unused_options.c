/* np: 1 2 3; together */
/* SPDX-License-Identifier: BSD-3-Clause */
/* A field of the options that the named algorithm does not use is refused, by its name. */
#include <summand.h>

#include "algorithm/algorithm.h"
#include "mpi/harness.h"

/* Each algorithm with each field of the options: it uses it, or the field is named. */
TESTS
{
    MPI_Comm comm;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    static const char *const fields[] = {"segment", "radix", "node_size", "leaders",
                                         "radix_between"};
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
