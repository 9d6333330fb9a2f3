/* SPDX-License-Identifier: BSD-3-Clause */
/* Recorded runs of schedules on the present ranks, and their pictures. */
#pragma once

#include <stdio.h>
#include <summand/matrix.h>

#include "cli/ranks/agree.h"
#include "lab/sample/sample.h"
#include "lab/timeline/timeline.h"

/* A product of matrices across two groups (cli/ranks/two_groups.h). */
struct record_gemm {
    long long rows, columns, inner, block, panel;
    const char *algorithm; /* NULL: the library's choice */
    bool any_order;
};

struct record_run {
    const struct summand__sample *sample; /* NULL: the product */
    struct summand__sample_size size;
    struct record_gemm gemm;
    const char *window; /* name; NULL: the best one. [out] the window used; NULL: none */
    int starts;         /* number of starts; the last one is recorded */
};

/* record_gemm.c, collective over MPI_COMM_WORLD: makes the plan of a product; free it before its
 * matrices. Returns an MPI error code. */
enum { RECORD_MATRICES = 3 };
int record_gemm_make(const struct record_gemm *gemm, summand_matrix *matrix[RECORD_MATRICES],
                     summand_plan **plan);

/* Collective over MPI_COMM_WORLD. Gives the timeline on rank 0, which frees it. */
void record_run(struct record_run *run, struct summand__timeline *timeline,
                struct trouble *trouble);
void record_free(struct summand__timeline *timeline);

/* A row for each rank: computing, sending, waiting; an arrow for each transfer. */
void record_draw(const struct summand__timeline *timeline, const char *title, const char *note,
                 FILE *out);
