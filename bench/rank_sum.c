/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/rank_sum.h"

#include <math.h>
#include <stdlib.h>

#include "bench/need.h"

struct ranked {
    double value;
    int of_a;
};

static int ascending(const void *x, const void *y)
{
    const struct ranked *p = x, *q = y;
    return (p->value > q->value) - (p->value < q->value);
}

/* Sum of the ranks of a's values; equal values share the mean of their ranks. ties [out]: sum of
 * t^3 - t over groups of t equal values. */
static double ranks_of_a(struct ranked *all, int count, double *ties)
{
    double sum = 0;
    *ties = 0;
    qsort(all, (size_t)count, sizeof *all, ascending);
    for (int i = 0, end; i < count; i = end) {
        int of_a = 0;
        for (end = i; end < count && !(all[end].value > all[i].value); end++)
            of_a += all[end].of_a;
        double t = end - i;
        sum += of_a * (i + 1 + end) / 2.0;
        *ties += t * t * t - t;
    }
    return sum;
}

struct rank_sum rank_sum_test(const double *a, int n, const double *b, int m)
{
    double ties, pairs = (double)n * m, all = (double)n + m;
    struct rank_sum result = {.u = pairs / 2, .p = 1, .superior = 0.5};
    struct ranked *values = need(malloc(((size_t)(n + m) + 1) * sizeof *values));
    for (int i = 0; i < n; i++)
        values[i] = (struct ranked){a[i], 1};
    for (int i = 0; i < m; i++)
        values[n + i] = (struct ranked){b[i], 0};
    result.u = ranks_of_a(values, n + m, &ties) - n * (n + 1.0) / 2;
    result.superior = result.u / pairs;
    free(values);
    double variance = pairs / 12 * (all + 1 - ties / (all * (all - 1)));
    double off = fabs(result.u - pairs / 2) - 0.5;
    if (variance > 0 && off > 0)
        result.p = erfc(off / sqrt(2 * variance));
    return result;
}
