/* SPDX-License-Identifier: BSD-3-Clause */
/* Diameter and spectral gap. */
#include "gossip/topology.h"

#include <math.h>
#include <stdlib.h>

static int64_t eccentricity(const struct summand__topology *t, int64_t from, int64_t *distance,
                            int64_t *queue)
{
    for (int64_t i = 0; i < t->n; i++)
        distance[i] = -1;
    int64_t head = 0, tail = 0;
    queue[tail++] = from;
    distance[from] = 0;
    while (head < tail) {
        int64_t i = queue[head++];
        for (int64_t k = t->start[i]; k < t->start[i + 1]; k++)
            if (distance[t->list[k]] < 0) {
                distance[t->list[k]] = distance[i] + 1;
                queue[tail++] = t->list[k];
            }
    }
    return tail == t->n ? distance[queue[tail - 1]] : -1;
}

int64_t summand__topology_diameter(const struct summand__topology *t)
{
    if (t->full)
        return t->n > 1;
    int64_t *room = malloc(2 * (size_t)t->n * sizeof *room), longest = 0;
    for (int64_t i = 0; room && i < t->n && longest >= 0; i++) {
        int64_t far = eccentricity(t, i, room, room + t->n);
        longest = far < 0 ? -1 : far > longest ? far : longest;
    }
    free(room);
    return longest;
}

/* y = (I + D^-1/2 A D^-1/2) / 2 x, similar to the matrix of push-sum. */
static void apply(const struct summand__topology *t, const double *x, double *y)
{
    for (int64_t i = 0; i < t->n; i++) {
        double sum = 0;
        double di = (double)(t->start[i + 1] - t->start[i]);
        for (int64_t k = t->start[i]; k < t->start[i + 1]; k++) {
            int64_t j = t->list[k];
            sum += x[j] / sqrt(di * (double)(t->start[j + 1] - t->start[j]));
        }
        y[i] = (x[i] + sum) / 2;
    }
}

static double scale_off_first(const struct summand__topology *t, double *x)
{
    double along = 0, length = 0, norm = 0;
    for (int64_t i = 0; i < t->n; i++) {
        double d = (double)(t->start[i + 1] - t->start[i]);
        along += x[i] * sqrt(d);
        length += d;
    }
    for (int64_t i = 0; i < t->n; i++) {
        x[i] -= along / length * sqrt((double)(t->start[i + 1] - t->start[i]));
        norm += x[i] * x[i];
    }
    norm = sqrt(norm);
    for (int64_t i = 0; norm > 0 && i < t->n; i++)
        x[i] /= norm;
    return norm;
}

double summand__topology_gap(const struct summand__topology *t)
{
    if (t->n == 1)
        return 1;
    if (t->full) /* A / (n - 1) has the eigenvalues 1 and -1 / (n - 1) */
        return 1 - 0.5 * (1 - 1 / (double)(t->n - 1));
    double *x = malloc(2 * (size_t)t->n * sizeof *x), *y = x + t->n, lambda = 0;
    if (!x)
        return NAN;
    struct summand__random random = {12345};
    for (int64_t i = 0; i < t->n; i++)
        x[i] = summand__random_unit(&random) - 0.5;
    scale_off_first(t, x);
    for (int64_t step = 0; step < 400000; step++) {
        apply(t, x, y);
        double product = 0;
        for (int64_t i = 0; i < t->n; i++)
            product += x[i] * y[i];
        bool steady = fabs(product - lambda) <= 1e-9 * (1 - product);
        lambda = product;
        double *swap = x;
        x = y;
        y = swap;
        scale_off_first(t, x);
        if (steady && step > 20)
            break;
    }
    free(x < y ? x : y);
    return 1 - lambda;
}
