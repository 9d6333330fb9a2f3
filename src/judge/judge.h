/* SPDX-License-Identifier: BSD-3-Clause */
/* The trial of a sum, whoever runs it: a function of this process, or a program. A matrix of rows
 * and columns is added up to one number a column; a plain sum has one column, and its rows are
 * terms. */
#pragma once

#include <stdbool.h>
#include <summand/judge.h>

#include "judge/data.h"

/* One run: rows of `columns` numbers, in `parts` parts of counts[] rows. */
struct summand__judge_input {
    size_t rows, columns, parts;
    const size_t *counts;
    const double *x;
    enum summand_judge_order order;
};

/* FAILED: one run gave no result; a fault of the sum, unless it is the first run. STOPPED: the
 * trial ends. */
enum summand__judge_end {
    SUMMAND__JUDGE_DONE,
    SUMMAND__JUDGE_FAILED,
    SUMMAND__JUDGE_STOPPED,
    SUMMAND__JUDGE_MEMORY
};

struct summand__judge_trial {
    /* Writes a sum for each column. */
    enum summand__judge_end (*run)(const struct summand__judge_input *input, double *results,
                                   void *of);
    void *of;
    size_t rows, columns;
    const size_t *parts; /* numbers of parts to try, the first one first */
    int parts_count;
    bool row_each;     /* each part has one row: a witness has as many parts as rows */
    uint64_t left_out; /* bit i: data set i is not tried */
    int shrinks;       /* most runs to make a witness smaller */
};

/* Judges on all data sets. FAILED: the first run did. After FAILED and STOPPED the report holds the
 * verdicts so far; after MEMORY it is NULL. */
enum summand__judge_end summand__judge_try(const struct summand__judge_trial *trial,
                                           summand_judge_report **report);

/* Rows of x in an order, into y. Local. False: no memory. */
bool summand__judge_arrange(const double *x, size_t rows, size_t columns, size_t parts,
                            enum summand_judge_order order, double *y);

/* Terms of part i of n: as equal as can be, the first ones longer. */
size_t summand__judge_share(size_t n, size_t parts, size_t i);

/* Leaves out rows of a witness as long as its two cases differ. */
enum summand__judge_end summand__judge_shrink(const struct summand__judge_trial *trial,
                                              struct summand_judge_witness *witness);

/* Runs one case. */
enum summand__judge_end summand__judge_run(const struct summand__judge_trial *trial,
                                           const double *x, size_t rows,
                                           const struct summand_judge_case *one, double *results);

/* A letter for each fault, '-' where it is not: "po--e-". */
enum { SUMMAND__JUDGE_FAULTS = 6 };
void summand__judge_letters(unsigned faults, char letters[SUMMAND__JUDGE_FAULTS + 1]);

/* True if the two are one number: the same bits, or both NaN. */
bool summand__judge_same(double a, double b);

/* In ascending order; there is no NaN. */
void summand__judge_sort(double *values, size_t count);
