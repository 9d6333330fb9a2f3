/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/measure.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <time.h>

#include "bench/need.h"

static volatile double sink;

static clockid_t clock_read = CLOCK_MONOTONIC;

void measure_processor_time(void)
{
    clock_read = CLOCK_PROCESS_CPUTIME_ID;
}

static double now(void)
{
    struct timespec t;
    clock_gettime(clock_read, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static uint64_t random_bits(void)
{
    static uint64_t state = 88172645463325252u;
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state;
}

static void shuffle(int *order, int count)
{
    for (int i = count - 1; i > 0; i--) {
        int j = (int)(random_bits() % (uint64_t)(i + 1));
        int t = order[i];
        order[i] = order[j];
        order[j] = t;
    }
}

static void (*before)(const void *context);

void measure_before(void (*prepare)(const void *context))
{
    before = prepare;
}

static double time_calls(const struct measure_subject *subject, size_t calls)
{
    if (before)
        before(subject->context);
    double begin = now();
    for (size_t i = 0; i < calls; i++)
        sink = subject->run(subject->context);
    return (now() - begin) / (double)calls;
}

void measure_rounds(const struct measure_subject *subjects, int count, int rounds, size_t calls,
                    double *seconds)
{
    int *order = need(malloc((size_t)count * sizeof *order));
    for (int i = 0; i < count; i++)
        order[i] = i;
    for (int round = -1; round < rounds; round++) { /* round -1 warms up */
        shuffle(order, count);
        for (int i = 0; i < count; i++) {
            double t = time_calls(&subjects[order[i]], calls);
            if (round >= 0)
                seconds[order[i] * rounds + round] = t;
        }
    }
    free(order);
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

void measure_sort(double *values, int n)
{
    qsort(values, (size_t)n, sizeof *values, ascending);
}

/* P(X <= k) for X of the binomial distribution (n, 1/2), without overflow for any n. */
static double binomial_below(int n, int k)
{
    double sum = 0;
    for (int i = 0; i <= k; i++)
        sum += exp(lgamma(n + 1.0) - lgamma(i + 1.0) - lgamma(n - i + 1.0) - n * log(2));
    return sum;
}

int measure_enclosing_rank(int n)
{
    /* Above 1000, the normal approximation is off by less than one place: n/2 - 1.96 sqrt(n)/2. */
    if (n > 1000) {
        int k = (int)floor(n / 2.0 - 0.98 * sqrt((double)n));
        return k;
    }
    int k = 0; /* values that may be left out at either end */
    while (2 * binomial_below(n, k) <= 0.05)
        k++;
    return k > 0 ? k - 1 : 0;
}

static struct measure_interval enclose(double *values, int n)
{
    if (n == 0)
        return (struct measure_interval){NAN, NAN, NAN};
    measure_sort(values, n);
    int low = measure_enclosing_rank(n);
    return (struct measure_interval){.median = (values[(n - 1) / 2] + values[n / 2]) / 2,
                                     .low = values[low],
                                     .high = values[n - 1 - low]};
}

/* A copy without the NaNs. */
static double *numbers(const double *values, int *n)
{
    double *copy = need(malloc(((size_t)*n + 1) * sizeof *copy));
    int count = 0;
    for (int i = 0; i < *n; i++)
        if (!isnan(values[i]))
            copy[count++] = values[i];
    *n = count;
    return copy;
}

struct measure_interval measure_median(const double *values, int n)
{
    double *copy = numbers(values, &n);
    struct measure_interval interval = enclose(copy, n);
    free(copy);
    return interval;
}

struct measure_interval measure_ratio(const double *a, const double *b, int n)
{
    double *ratio = need(malloc(((size_t)n + 1) * sizeof *ratio));
    for (int i = 0; i < n; i++)
        ratio[i] = a[i] / b[i];
    struct measure_interval interval = measure_median(ratio, n);
    free(ratio);
    return interval;
}

double measure_quantile(const double *values, int n, double part)
{
    double *copy = numbers(values, &n);
    measure_sort(copy, n);
    int place = (int)ceil(part * n) - 1;
    double value = n ? copy[place < 0 ? 0 : place] : NAN;
    free(copy);
    return value;
}
