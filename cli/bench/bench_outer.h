/* SPDX-License-Identifier: BSD-3-Clause */
/* Sums of outer products beside the MPI's collectives of the whole matrix. */
#pragma once

#include <summand/outer.h>

#include "outer/algorithm/shape.h"

#include "cli/bench/bench.h"
#include "cli/bench/bench_choices.h"

/* The call, for any shape. */
struct outer_call {
    enum summand__outer_type type;
    enum summand__outer_result result;
    bool plan, any_order;
};

/* Name of the MPI's method for a result: mpi-allreduce, ... */
const char *outer_rival(enum summand__outer_result result);

/* One shape. */
struct outer_case {
    const struct outer_call *call;
    const struct bench_choices *choices;
    size_t rows, columns, pairs;
    int rank, ranks;
    size_t unit, result; /* bytes of an element of the factors, and of G */
    char *a, *b, *g;
    char *product; /* the rival's, if its result is another matrix; or NULL */
    summand_outer_part *part;
    int *counts; /* elements of each rank's part */
    summand_outer_matrix matrix;
    struct bench_subjects subjects;
};

/* Makes the rest of a struct outer_case. Ordered results are checked bit by bit against the chain
 * of fma, others within the bound for any order: up to 4096 elements of each rank's part. */
extern const struct bench_kind outer_kind;

/* By result: speed-up over its rival. */
extern const struct bench_form outer_forms[];
