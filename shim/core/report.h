/* SPDX-License-Identifier: BSD-3-Clause */
/* A report: what the calls of a run took. The shim makes it, the command reads it; both print it.
 */
#pragma once

#include <stdbool.h>
#include <stdio.h>

enum {
    REPORT_NAME = 48,
    REPORT_REASON = 64,
    REPORT_SITE = 120,
    REPORT_DAMAGE = 256,
    REPORT_BINS = 128
};

/* Calls of one function and size class that were done in one way. */
struct report_row {
    char call[REPORT_NAME];      /* "MPI_Allreduce" */
    long long least, most;       /* bytes of the class: of the vector, or of all blocks together */
    char algorithm[REPORT_NAME]; /* served by Summand: how; else empty */
    char transport[REPORT_NAME];
    char reason[REPORT_REASON];   /* why it was passed on to the MPI; else empty */
    long long calls;              /* of the rank with the most */
    long long bytes;              /* of all these calls */
    double seconds, most_seconds; /* inside the calls: mean and maximum over the ranks */
    /* Sampled calls of all ranks: first all ranks wait for the last one, then data move. */
    long long waits, samples, mpi_samples;
    double waiting; /* mean seconds for the last rank, of `waits` calls */
    double moving;  /* mean seconds after that, of `samples` calls */
    double mpi;     /* the same of the MPI's own function, of `mpi_samples` calls */
    /* Of the rank with the most: reductions that may round, done as the mode promises, and not. */
    long long kept, lost;
    char site[REPORT_SITE]; /* the first call site of the latter, or empty */
};

struct report_rank {
    double inside; /* seconds in all calls */
    long long calls;
    long long checked, damaged, repaired; /* chunks with check words (SUMMAND_CHECKED) */
    char damage[REPORT_DAMAGE];           /* the first damage in words; or empty */
};

struct report {
    char program[256], mpi[128], mode[1024];
    char machine[160], date[32]; /* processor of rank 0; when the run ended. A file may lack them */
    int ranks;
    double seconds;   /* from MPI_Init to MPI_Finalize, of the slowest rank */
    long long period; /* one of so many calls is sampled; 0: none */
    int rows;
    struct report_row *row; /* by time, the longest first */
    struct report_rank *rank;
    /* The part of the time that ranks are inside calls, in bins of `width` seconds. */
    int bins;
    double width, mean[REPORT_BINS], most[REPORT_BINS];
};

void report_free(struct report *report);
/* Rows by time, the longest first. */
void report_sort(struct report *report);
/* "256-1k": the bytes of a class. */
void report_class(long long least, long long most, char *text, size_t room);
/* How a row's calls were done, in words: "ring, shm" or "MPI: one rank". */
void report_way(const struct report_row *row, char *text, size_t room);
/* Whether the promise of the mode held in all reductions that may round, as a sentence. False: the
 * mode promises nothing, or there were none. */
bool report_promise(const struct report *report, char *text, size_t room);
/* What the check words of all ranks have shown, as a sentence. False: there were none. */
bool report_checks(const struct report *report, char *text, size_t room);
/* The seconds of a row that are spent waiting, as the samples tell; negative: no samples. */
double report_waiting(const struct report_row *row);

/* A table of at most 100 columns, and JSON. */
void report_print(const struct report *report, FILE *out);
void report_write(const struct report *report, FILE *out);
