/* SPDX-License-Identifier: BSD-3-Clause */
/* All methods of sums by number: the public ones and those of the study. */
#pragma once

#include <summand/sum.h>

#include "lab/index_tree/mpi/study.h"
#include "sum/calls.h"

enum { EXACT_METHOD, TREE_METHOD, STUDY_METHOD, METHODS };

static const char *const method_names[METHODS] = {"exact", "tree", "study"};

/* Of the public ones. */
static inline summand_options method_options(int method)
{
    return (summand_options){.promise = method == TREE_METHOD ? SUMMAND_PROMISE_INDEX
                                                              : SUMMAND_PROMISE_EXACT};
}

static inline int method_sums(int method, int root, int k, const summand_term *terms, void *results,
                              MPI_Datatype datatype, MPI_Comm comm)
{
    const summand_options options = method_options(method);
    return method == STUDY_METHOD
               ? summand__sums_by(&summand__study, k, terms, results, datatype, root, comm)
               : summand_sums(k, terms, results, datatype, root, comm, &options);
}

static inline int method_init(int method, int root, int k, const summand_term *terms, void *results,
                              MPI_Datatype datatype, MPI_Comm comm, summand_plan **plan)
{
    const summand_options options = method_options(method);
    return method == STUDY_METHOD
               ? summand__sums_init_by(&summand__study, k, terms, results, datatype, root, comm,
                                       plan)
               : summand_sums_init(k, terms, results, datatype, root, comm, &options, plan);
}

/* One sum, by its own call if it has one. */
static inline int method_sum(int method, int root, enum summand_kind kind, const void *x,
                             const void *y, void *result, MPI_Count count, MPI_Datatype datatype,
                             MPI_Comm comm)
{
    const summand_options options = method_options(method);
    summand_term term = {
        .kind = kind, .count = count, .displacement = SUMMAND_DISPLACEMENT_APPEND, .x = x, .y = y};
    if (method == STUDY_METHOD)
        return method_sums(method, root, 1, &term, result, datatype, comm);
    switch (kind) {
    case SUMMAND_KIND_ASUM:
        return summand_asum(x, result, count, datatype, root, comm, &options);
    case SUMMAND_KIND_DOT:
        return summand_dot(x, y, result, count, datatype, root, comm, &options);
    case SUMMAND_KIND_NRM2:
        return summand_nrm2(x, result, count, datatype, root, comm, &options);
    default:
        return summand_sum(x, result, count, datatype, root, comm, &options);
    }
}
