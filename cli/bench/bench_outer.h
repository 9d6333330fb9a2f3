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

struct outer_case;

/* Factors and matrices with touched pages. Local. */
struct outer_case *outer_case_new(const struct outer_call *call, size_t rows, size_t columns,
                                  size_t pairs, struct trouble *trouble);
/* Makes communicators and plans of the choices that make the result. Collective. */
void outer_case_subjects_make(struct outer_case *c, const struct bench_choices *choices,
                              struct trouble *trouble);
/* Runs each subject once and notes the first wrong result: ordered ones bit by bit against the
 * chain of fma, others within the bound for any order. Checks up to 4096 elements of each rank's
 * part. Collective. */
void outer_case_check(struct outer_case *c, struct trouble *trouble);
/* Returns their number. */
int outer_case_subjects(struct outer_case *c, struct timing_subject *subjects);
/* Writes the choices into the report's last rows, one per subject. */
void outer_case_chosen(const struct outer_case *c, struct bench_report *report);
void outer_case_free(struct outer_case *c);

/* By result: speed-up over its rival. */
extern const struct bench_form outer_forms[];
