/* SPDX-License-Identifier: BSD-3-Clause */
/* The methods that `summand bench sum` compares, on one case. */
#pragma once

#include <summand/sum.h>

#include "cli/bench/bench.h"
#include "cli/sum/dataset.h"
#include "cli/timing/timing.h"

extern const struct bench_form bench_sum_form;

#define SUM_METHODS_ALL "exact,exact-call,tree,tree-call,naive,fast"

/* Notes errors in a list of methods. */
void sum_methods_check(const char *list, struct trouble *trouble);

/* One case of a struct bench_kind: `count` sums in one call, one per slice, by the listed methods.
 * The values are the first results of the last calls; that a plan and a call of one method differ
 * is an error. */
struct sum_case {
    const struct dataset *slice;
    int terms;
    const char *methods;
    summand_term *term;
    double *local; /* this rank's sums, for MPI_Allreduce */
    struct sum_subject {
        struct sum_case *c;
        double *results;
        summand_plan *plan;
        const struct sum_method *method;
    } subject[TIMING_SUBJECTS];
};
extern const struct bench_kind sum_kind;
