/* SPDX-License-Identifier: BSD-3-Clause */
/* The methods that `summand bench sum` compares, on one case. */
#pragma once

#include "cli/bench/bench.h"
#include "cli/sum/dataset.h"
#include "cli/timing/timing.h"

struct sum_case;

extern const struct bench_form bench_sum_form;

#define SUM_METHODS_ALL "exact,exact-call,tree,tree-call,naive,fast"

/* Notes errors in a list of methods. */
void sum_methods_check(const char *list, struct trouble *trouble);

/* `count` sums in one call, one per slice. Makes the plans. Collective. */
struct sum_case *sum_case_new(const struct dataset *terms, int count, struct trouble *trouble);
void sum_case_free(struct sum_case *c);

/* The listed methods as subjects, in the table's order; returns their number. */
int sum_case_subjects(struct sum_case *c, const char *list, struct timing_subject *subjects);

/* The first result of each subject's last call. Notes an error if a plan and a call of one method
 * differ. */
void sum_case_values(struct sum_case *c, const struct timing_subject *subjects, int count,
                     double *values, struct trouble *trouble);
