/* SPDX-License-Identifier: BSD-3-Clause */
/* The methods of `summand sum`, and the plain methods to which the benchmark compares them. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <summand/sum.h>

/* This rank's part of one sum. */
struct part {
    enum summand_kind kind;
    uint64_t count;
    const double *x, *y; /* y: only for dot */
};

struct method {
    const char *name;
    const char *summary;
    bool fixed; /* promises the same bits on any number of ranks */
    int (*run)(const struct part *part, double *result); /* collective; returns an MPI error code */
    /* Makes a plan of the same sum into `result`; NULL: the method has none. Collective; returns an
     * MPI error code. */
    int (*plan)(const struct part *part, double *result, summand_plan **plan);
};

/* The first METHODS rows of the table are those of `summand sum`; the last one is for a study. */
enum { METHODS = 3, METHODS_NAMED = 4 };

extern const struct method methods[METHODS_NAMED];

extern const char *const kind_names[]; /* by enum summand_kind, NULL-terminated */

/* Rows of options: when a message of buffered values leaves; long long. */
#define OUTBOUND_OPTIONS(values, summands)                                                         \
    {                                                                                              \
        "buffer",  0,   OPTION_INT,                                                                \
        &(values), "V", "values of a message at most; 1: no buffer",                               \
        NULL,      1,   SUMMAND__OUTBOUND_MAX},                                                    \
    {                                                                                              \
        "flush", 0, OPTION_INT, &(summands), "S",                                                  \
            "a message leaves before a subtree of more than S elements", NULL, 1, NO_MOST          \
    }
