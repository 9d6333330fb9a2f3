/* SPDX-License-Identifier: BSD-3-Clause */
/* Interleaved timing: every round runs all subjects once in a new random order. So other load of
 * the machine falls on all alike, and ratios are taken within a round. */
#pragma once

#include <stddef.h>

struct measure_subject {
    const char *name;
    /* Does the work once. The result is used, so that no call can be optimised away. */
    double (*run)(const void *context);
    const void *context;
};

/* A median and the order statistics that enclose it with at least 95 % confidence for any
 * distribution (Hoefler and Belli 2015, rule 5; Le Boudec 2010, 2.2). With fewer than 6 values: the
 * least and the greatest, which enclose it with confidence 1 - 2^(1-n). */
struct measure_interval {
    double median, low, high;
};

/* From now on measure_rounds reports processor seconds of this process, all its threads together:
 * for a machine with much other load. */
void measure_processor_time(void);

/* From now on measure_rounds calls this with the context of a subject before its clock starts. */
void measure_before(void (*prepare)(const void *context));

/* Times `calls` calls of each subject in each round. seconds [out]: subjects x rounds, seconds per
 * call. */
void measure_rounds(const struct measure_subject *subjects, int count, int rounds, size_t calls,
                    double *seconds);

/* Into ascending order; no NaN. */
void measure_sort(double *values, int n);

/* How many of n sorted values lie below the lower end of the interval, and above the upper end. */
int measure_enclosing_rank(int n);

/* The following functions skip values that are NaN; the result is NaN if none remains. */
struct measure_interval measure_median(const double *values, int n);
/* Median of the n ratios a[i] / b[i]. */
struct measure_interval measure_ratio(const double *a, const double *b, int n);

/* The least value that at least `part` of the n do not exceed. */
double measure_quantile(const double *values, int n, double part);
