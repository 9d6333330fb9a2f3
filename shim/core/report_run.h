/* SPDX-License-Identifier: BSD-3-Clause */
/* The making of a report, in the program's processes. */
#pragma once

#include "core/watch.h"

/* As the functions of watch.h of the same names. */
bool report_start(void);
void report_begin(struct shim_call *call);
void report_end(struct shim_call *call);
void report_aside(const char *name, const char *reason, const void *site);
void report_finish(void);

/* report_sample.c: what is measured of a sampled call. */
struct report_sample {
    bool taken;     /* the call is sampled: all ranks have met */
    bool of_mpi;    /* the MPI's function has run, too */
    double waiting; /* seconds until all ranks were there */
    double mpi;     /* seconds of the MPI's function */
};
double report_clock(void);
/* True for one of `period` calls, the same on all ranks. They do not follow a pattern, as the calls
 * of programs do. */
bool report_is_sampled(const struct shim_call *call, long long period);
/* Waits for all ranks of the communicator; for every other sample, runs the MPI's function with the
 * same input and a result that is thrown away, if `serves` and all ranks can. Collective. */
struct report_sample report_sample(const struct shim_call *call, bool serves);

/* report_gather.c: collects all ranks' rows on rank 0 and prints them; collective over
 * MPI_COMM_WORLD. */
struct report_part {
    char call[48], algorithm[48], transport[48], reason[64], site[120];
    int class;
    long long calls, bytes, waits, samples, mpi_samples, kept, lost;
    double seconds, waiting, moving, mpi;
};
struct report_own {
    int parts, bins;
    struct report_part *part;
    double seconds, inside, width;
    long long calls, period, checked, damaged, repaired;
    char damage[256]; /* the first one in words */
    double bin[128];  /* seconds inside calls */
};
void report_gather(const struct report_own *own, const char *file, const char *mode);
