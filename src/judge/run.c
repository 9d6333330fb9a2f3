/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "judge/judge.h"

bool summand__judge_same(double a, double b)
{
    return (isnan(a) && isnan(b)) || !memcmp(&a, &b, sizeof a);
}

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

void summand__judge_sort(double *values, size_t count)
{
    qsort(values, count, sizeof *values, by_value);
}

enum summand__judge_end summand__judge_run(const struct summand__judge_trial *trial,
                                           const double *x, size_t rows,
                                           const struct summand_judge_case *one, double *results)
{
    const size_t columns = trial->columns;
    double *arranged = malloc((rows * columns + 1) * sizeof *arranged);
    size_t *counts = malloc(one->parts * sizeof *counts);
    enum summand__judge_end end = SUMMAND__JUDGE_MEMORY;
    if (arranged && counts &&
        summand__judge_arrange(x, rows, columns, one->parts, one->order, arranged)) {
        for (size_t i = 0; i < one->parts; i++)
            counts[i] = summand__judge_share(rows, one->parts, i);
        const struct summand__judge_input input = {rows,   columns,  one->parts,
                                                   counts, arranged, one->order};
        end = trial->run(&input, results, trial->of);
    }
    free(arranged);
    free(counts);
    return end;
}
