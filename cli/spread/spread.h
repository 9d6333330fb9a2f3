/* SPDX-License-Identifier: BSD-3-Clause */
/* Results of `summand sum --json` for several rank counts, gathered by file. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "cli/common/methods.h"

/* The methods of `summand sum`, and one that only a benchmark has: the loop compiled with
 * -ffast-math. */
enum { SPREAD_RUNS = 64, SPREAD_FAST = METHODS, SPREAD_METHODS };

/* One method's results for one file. */
struct spread_method {
    int runs;
    int ranks[SPREAD_RUNS];
    double value[SPREAD_RUNS];
    double seconds; /* median from a benchmark, NaN without one */
    bool settled;   /* its interval is narrow enough */
};

struct spread_file {
    char *path, *op;
    uint64_t n;
    struct spread_method method[SPREAD_METHODS]; /* as in methods[] */
};

struct spread {
    int files;
    struct spread_file *file;
    char mpi[128], setting[512]; /* setting: for pictures (setting.h) */
    int bench_ranks;             /* of the benchmark; 0 without one */
};

/* Adds the results of one JSON file; false after a complaint. */
bool spread_add(struct spread *spread, const char *command, const char *path);
/* Adds medians from the JSON of `bench sum`. */
bool spread_add_bench(struct spread *spread, const char *command, const char *path);
void spread_free(struct spread *spread);

/* Largest minus smallest result: 0 if all have the same bits, else above 0 (NaN for NaN). */
double spread_of(const struct spread_method *method);

const char *base_name(const char *path);

/* Draws for each file each method's distance from the exact sum against the rank count. */
bool spread_plot(const struct spread *spread, const char *command, const char *path);
