/* SPDX-License-Identifier: BSD-3-Clause */
/* Files of `summand bench ... --json`, as far as a comparison needs them. */
#ifndef SUMMAND_CLI_BENCH_BENCH_MEASURED_H
#define SUMMAND_CLI_BENCH_BENCH_MEASURED_H

#include <stdbool.h>

struct measured_case {
    char name[256]; /* "bytes=8 count=2 algorithm=auto" */
    int launches, samples;
    double *sample;         /* seconds, of all launches */
    double median;          /* of the launches' medians */
    double least, greatest; /* of these */
};

struct measured {
    char title[256]; /* file, commit, MPI, machine, date */
    char what[512];  /* benchmark, ranks, options: to be the same in both files */
    int launches, count;
    struct measured_case *cases;
};

/* False after a complaint of `command`. */
bool measured_read(const char *command, const char *path, struct measured *measured);
void measured_free(struct measured *measured);

/* The case of that name, or NULL. */
const struct measured_case *measured_named(const struct measured *measured, const char *name);

#endif
