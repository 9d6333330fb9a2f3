#include "measure.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <time.h>

static volatile double sink;

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
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

static double time_calls(const struct measure_subject *subject, size_t calls)
{
    double begin = now();
    for (size_t i = 0; i < calls; i++)
        sink = subject->run(subject->context);
    return (now() - begin) / (double)calls;
}

void measure_rounds(const struct measure_subject *subjects, int count, int rounds, size_t calls,
                    double *seconds)
{
    int *order = malloc((size_t)count * sizeof *order);
    if (!order)
        abort();
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

static struct measure_interval enclose(double *values, int n)
{
    qsort(values, (size_t)n, sizeof *values, ascending);
    /* Ranks n/2 -+ 1.96 sqrt(n)/2: the normal approximation of the binomial. */
    int reach = (int)ceil(0.98 * sqrt((double)n));
    int low = n / 2 - reach, high = n / 2 + reach;
    return (struct measure_interval){.median = (values[(n - 1) / 2] + values[n / 2]) / 2,
                                     .low = values[low < 0 ? 0 : low],
                                     .high = values[high > n - 1 ? n - 1 : high]};
}

struct measure_interval measure_median(const double *values, int n)
{
    double *copy = malloc((size_t)n * sizeof *copy);
    if (!copy)
        abort();
    for (int i = 0; i < n; i++)
        copy[i] = values[i];
    struct measure_interval interval = enclose(copy, n);
    free(copy);
    return interval;
}

struct measure_interval measure_ratio(const double *a, const double *b, int n)
{
    double *ratio = malloc((size_t)n * sizeof *ratio);
    if (!ratio)
        abort();
    for (int i = 0; i < n; i++)
        ratio[i] = a[i] / b[i];
    struct measure_interval interval = enclose(ratio, n);
    free(ratio);
    return interval;
}
