/* SPDX-License-Identifier: BSD-3-Clause */
/* This rank's slice of the numbers of a file, or of generated ones. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "cli/common/cli.h"
#include "cli/ranks/agree.h"
#include "cli/sum/source.h"

/* Options of reading and distributing. */
struct dataset_options {
    struct source_choice choice;
    int distribution; /* enum summand__distribution_kind */
    double alpha;     /* of the optimised distribution */
    bool no_nan;      /* promised: every value is finite */
};

/* Rows of these options for an option table. */
#define DATASET_OPTIONS(o)                                                                           \
    {"column",    0,                                                                                 \
     OPTION_TEXT, &(o).choice.column,                                                                \
     "NAME|N",    "a column of a table or a matrix, by its name or its number from 0 (also #N)",     \
     NULL},                                                                                          \
        {"array", 0, OPTION_TEXT, &(o).choice.array, "NAME", "an array of an archive (.npz)", NULL}, \
        {"format",           'f', OPTION_CHOICE,                                                     \
         &(o).choice.format, "F", "format of the files; auto: by their bytes, then by their names",  \
         format_choices},                                                                            \
        {"header",           0,   OPTION_CHOICE,                                                     \
         &(o).choice.header, "H", "whether the first line of a table names its columns",             \
         header_choices},                                                                            \
        {"distribution",                                                                             \
         0,                                                                                          \
         OPTION_CHOICE,                                                                              \
         &(o).distribution,                                                                          \
         "D",                                                                                        \
         "which rank gets which part",                                                               \
         summand__distribution_names},                                                               \
        {"alpha",                                                                                    \
         0,                                                                                          \
         OPTION_REAL,                                                                                \
         &(o).alpha,                                                                                 \
         "A",                                                                                        \
         "optimized, balanced: how far the start of a part may move, relative to its length",        \
         NULL,                                                                                       \
         0,                                                                                          \
         1},                                                                                         \
    {                                                                                                \
        "no-nan", 0, OPTION_FLAG, &(o).no_nan, NULL,                                                 \
            "promise that all values are finite; an error if not", NULL                              \
    }

/* Notes errors of the options. */
void dataset_options_check(const struct dataset_options *options, const struct parsing *parsing,
                           struct trouble *trouble);

struct dataset {
    const char *name;
    uint64_t n;     /* elements on all ranks */
    uint64_t first; /* global index of this rank's first element */
    uint64_t count; /* elements on this rank */
    int terms;      /* doubles of each: 1, or 2 whose exact sum it is */
    bool complex;   /* of complex numbers: their real or imaginary parts */
    double *values;
};

/* What becomes an element. */
struct dataset_how {
    int part;   /* of complex numbers: 0 the real one, 1 the imaginary one, -1 both in turn */
    bool pairs; /* a value that no double can hold is read as two */
};

/* Collective over MPI_COMM_WORLD. True on all ranks, or false on all after a complaint. */
bool dataset_read(struct dataset *dataset, const char *command,
                  const struct dataset_options *options, const char *path, struct dataset_how how);
/* Makes n values like log-likelihoods (psllh_like.h), distributed the same way. Collective. */
bool dataset_generate(struct dataset *dataset, const char *command,
                      const struct dataset_options *options, const char *name, uint64_t n,
                      uint64_t seed);
void dataset_free(struct dataset *dataset);
