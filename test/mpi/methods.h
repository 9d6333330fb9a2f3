/* All methods of sums by number: the public ones and the study's. */
#ifndef SUMMAND_TEST_MPI_METHODS_H
#define SUMMAND_TEST_MPI_METHODS_H

#include <summand/sum.h>

#include "api/sums.h"
#include "lab/index_tree/mpi/study.h"

enum { STUDY_METHOD = SUMMAND_TREE + 1, METHODS };

static const char *const method_names[METHODS] = {"exact", "tree", "study"};

static inline int method_sums(int method, int root, int k, const summand_term *terms, void *results,
                              MPI_Datatype datatype, MPI_Comm comm)
{
    summand_sum_options options = {(enum summand_method)method, root};
    return method == STUDY_METHOD
               ? summand__sums_by(&summand__study, root, k, terms, results, datatype, comm)
               : summand_sums(k, terms, results, datatype, &options, comm);
}

static inline int method_init(int method, int root, int k, const summand_term *terms, void *results,
                              MPI_Datatype datatype, MPI_Comm comm, summand_plan **plan)
{
    summand_sum_options options = {(enum summand_method)method, root};
    return method == STUDY_METHOD
               ? summand__sums_init_by(&summand__study, root, k, terms, results, datatype, comm,
                                       plan)
               : summand_sums_init(k, terms, results, datatype, &options, comm, plan);
}

/* One sum, by its own call where it has one. */
static inline int method_sum(int method, int root, enum summand_kind kind, const void *x,
                             const void *y, void *result, MPI_Count count, MPI_Datatype datatype,
                             MPI_Comm comm)
{
    summand_sum_options options = {(enum summand_method)method, root};
    summand_term term = {
        .kind = kind, .count = count, .displacement = SUMMAND_RANK_ORDER, .x = x, .y = y};
    if (method == STUDY_METHOD)
        return method_sums(method, root, 1, &term, result, datatype, comm);
    switch (kind) {
    case SUMMAND_ASUM:
        return summand_asum(x, result, count, datatype, &options, comm);
    case SUMMAND_DOT:
        return summand_dot(x, y, result, count, datatype, &options, comm);
    case SUMMAND_NRM2:
        return summand_nrm2(x, result, count, datatype, &options, comm);
    default:
        return summand_sum(x, result, count, datatype, &options, comm);
    }
}

#endif
