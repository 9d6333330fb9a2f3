/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/train_parts.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

double train_thread_seconds(void)
{
    struct timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* Products forward, of errors (not for the first layer), and of the gradient. */
double train_epoch_flops(const struct summand__net_shape *shape)
{
    double flops = 0;
    for (int l = 1; l <= shape->layers; l++)
        flops += (l > 1 ? 6.0 : 4.0) * (double)shape->widths[l - 1] * (double)shape->widths[l];
    return flops * TRAIN_EPOCH;
}

int train_open_runs(const char *program, const struct summand__net_shape *shape,
                    struct train_data *data, const struct train_options *options,
                    struct train_run runs[TRAIN_RUNS])
{
    struct summand__net_fault fault = {.text = ""};
    int count = 0;
    for (; summand__net_arithmetics[count] &&
           summand__net_arithmetic_available(summand__net_arithmetics[count]);
         count++) {
        struct train_run *run = &runs[count];
        if (!train_run_open(run, shape, summand__net_arithmetics[count], data, options,
                            &train_mode_single, NULL, &fault)) {
            fprintf(stderr, "%s: %s\n", program, fault.text);
            exit(1);
        }
        summand__permutation_make(&run->order, run->train, 1, 1);
    }
    return count;
}
