/* SPDX-License-Identifier: BSD-3-Clause */
/* Invalid options and strides of sums. test_words.c includes this file after it defines WRONG,
 * which checks the words of an error, and `error`. */
#pragma once

#include <summand.h>

#include "mpi/harness.h"

static void test_sum_options(MPI_Comm on)
{
    static double x[4], y[4];
    const summand_term term = {.count = 1, .x = x, .displacement = SUMMAND_DISPLACEMENT_APPEND};
    const summand_term far = {.kind = SUMMAND_KIND_DOT,
                              .count = 3,
                              .x = x,
                              .y = x,
                              .stride_x = -2,
                              .stride_y = INT64_MIN};
    WRONG(error(SUMMAND_ERR_ARGUMENT),
          "terms[0].stride_y is -9223372036854775808: 3 elements so far apart",
          summand_sums(1, &far, y, MPI_DOUBLE, SUMMAND_ROOT_ALL, on, NULL));
    const summand_options algorithms[] = {{.algorithm = "binomal"},
                                          {.algorithm = "outer-grid"},
                                          {.algorithm = "ring", .promise = SUMMAND_PROMISE_INDEX},
                                          {.timeout = -1}};
    const struct {
        enum summand_error code;
        const char *words;
    } wanted[] = {{SUMMAND_ERR_ALGORITHM, "options.algorithm is 'binomal'"},
                  {SUMMAND_ERR_ALGORITHM, "'outer-grid', which does not do allreduce"},
                  {SUMMAND_ERR_ALGORITHM, "'ring', which does not combine in rank order"},
                  {SUMMAND_ERR_ARGUMENT, "options.timeout is -1 s"}};
    for (int i = 0; i < 4; i++) {
        const enum summand_error code = wanted[i].code;
        summand_plan *plan = NULL;
        WRONG(error(code), wanted[i].words,
              summand_sums(1, &term, y, MPI_DOUBLE, SUMMAND_ROOT_ALL, on, &algorithms[i]));
        WRONG(error(code), wanted[i].words,
              summand_sums_init(1, &term, y, MPI_DOUBLE, SUMMAND_ROOT_ALL, on, &algorithms[i],
                                &plan));
        WRONG(error(code), wanted[i].words,
              summand_ordered_reduce(x, y, 1, SUMMAND_DISPLACEMENT_APPEND, MPI_DOUBLE, MPI_SUM,
                                     SUMMAND_ROOT_ALL, on, &algorithms[i]));
    }
    const summand_options exact = {.promise = SUMMAND_PROMISE_EXACT};
    WRONG(error(SUMMAND_ERR_ARGUMENT),
          "options.promise is SUMMAND_PROMISE_EXACT; this call keeps at most SUMMAND_PROMISE_INDEX",
          summand_ordered_reduce(x, y, 1, SUMMAND_DISPLACEMENT_APPEND, MPI_DOUBLE, MPI_SUM,
                                 SUMMAND_ROOT_ALL, on, &exact));
}
