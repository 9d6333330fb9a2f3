/* SPDX-License-Identifier: BSD-3-Clause */
/* This rank's slice of the numbers of a file, or of generated ones. */
#ifndef SUMMAND_CLI_SUM_DATASET_H
#define SUMMAND_CLI_SUM_DATASET_H

#include <stdbool.h>
#include <stdint.h>

#include "cli/common/agree.h"
#include "cli/common/cli.h"

/* Options of reading and distributing. */
struct dataset_options {
    int format;       /* index in format_choices */
    int distribution; /* enum summand__distribution_kind */
    double alpha;     /* of the optimised distribution */
    bool no_nan;      /* promised: every value is finite */
};

/* Rows of these options for an option table. */
#define DATASET_OPTIONS(o)                                                                           \
    {"format", 'f', OPTION_CHOICE, &(o).format, "F", "format of the files", format_choices},         \
        {"distribution",                                                                             \
         0,                                                                                          \
         OPTION_CHOICE,                                                                              \
         &(o).distribution,                                                                          \
         "D",                                                                                        \
         "which rank gets which part",                                                               \
         summand__distribution_names},                                                               \
        {"alpha",    0,   OPTION_REAL,                                                               \
         &(o).alpha, "A", "optimized: how far the start of a part may move, relative to its length", \
         NULL,       0,   1},                                                                        \
    {                                                                                                \
        "no-nan", 0, OPTION_FLAG, &(o).no_nan, NULL,                                                 \
            "promise that all values are finite; an error if not", NULL                              \
    }

/* Notes errors of the options. */
void dataset_options_check(const struct dataset_options *options, const struct parsing *parsing,
                           struct trouble *trouble);

struct dataset {
    const char *name;
    uint64_t n;     /* values on all ranks */
    uint64_t first; /* global index of this rank's first value */
    uint64_t count; /* values on this rank */
    double *values;
};

/* Collective over MPI_COMM_WORLD. True on all ranks, or false on all after a complaint. */
bool dataset_read(struct dataset *dataset, const char *command,
                  const struct dataset_options *options, const char *path);
/* Makes n values like log-likelihoods (psllh_like.h), distributed the same way. Collective. */
bool dataset_generate(struct dataset *dataset, const char *command,
                      const struct dataset_options *options, const char *name, uint64_t n,
                      uint64_t seed);
void dataset_free(struct dataset *dataset);

#endif
