/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/common/methods.h"

#include <math.h>

#include "bench/baseline.h"
#include "lab/index_tree/mpi/study.h"
#include "sum/calls.h"

const char *const kind_names[] = {[SUMMAND_KIND_SUM] = "sum",
                                  [SUMMAND_KIND_ASUM] = "asum",
                                  [SUMMAND_KIND_DOT] = "dot",
                                  [SUMMAND_KIND_NRM2] = "nrm2",
                                  [SUMMAND_KIND_NRM2 + 1] = NULL};

static double plain_sum(const struct part *part)
{
    size_t n = part->count;
    switch (part->kind) {
    case SUMMAND_KIND_SUM:
        return baseline_plain_sum_f64(part->x, n);
    case SUMMAND_KIND_ASUM:
        return baseline_plain_asum_f64(part->x, n);
    case SUMMAND_KIND_DOT:
    case SUMMAND_KIND_DOT_CONJUGATED: /* the same for real numbers */
        return baseline_plain_dot_f64(part->x, part->y, n);
    case SUMMAND_KIND_NRM2:
        return baseline_plain_squares_f64(part->x, n);
    }
    return 0;
}

static summand_term term_of(const struct part *part)
{
    return (summand_term){.kind = part->kind,
                          .count = (MPI_Count)part->count,
                          .displacement = SUMMAND_DISPLACEMENT_APPEND,
                          .x = part->x,
                          .y = part->y};
}

static int run_ours(enum summand_promise promise, const struct part *part, double *result)
{
    const summand_options options = {.promise = promise};
    summand_term term = term_of(part);
    return summand_sums(1, &term, result, MPI_DOUBLE, SUMMAND_ROOT_ALL, MPI_COMM_WORLD, &options);
}

static int plan_ours(enum summand_promise promise, const struct part *part, double *result,
                     summand_plan **plan)
{
    const summand_options options = {.promise = promise};
    summand_term term = term_of(part);
    return summand_sums_init(1, &term, result, MPI_DOUBLE, SUMMAND_ROOT_ALL, MPI_COMM_WORLD,
                             &options, plan);
}

#define OURS(name, promise)                                                                        \
    static int run_##name(const struct part *part, double *result)                                 \
    {                                                                                              \
        return run_ours(promise, part, result);                                                    \
    }                                                                                              \
    static int plan_##name(const struct part *part, double *result, summand_plan **plan)           \
    {                                                                                              \
        return plan_ours(promise, part, result, plan);                                             \
    }
OURS(exact, SUMMAND_PROMISE_EXACT)
OURS(tree, SUMMAND_PROMISE_INDEX)

static int run_study(const struct part *part, double *result)
{
    summand_term term = term_of(part);
    return summand__sums_by(&summand__study, 1, &term, result, MPI_DOUBLE, SUMMAND_ROOT_ALL,
                            MPI_COMM_WORLD);
}

static int plan_study(const struct part *part, double *result, summand_plan **plan)
{
    summand_term term = term_of(part);
    return summand__sums_init_by(&summand__study, 1, &term, result, MPI_DOUBLE, SUMMAND_ROOT_ALL,
                                 MPI_COMM_WORLD, plan);
}

static int run_naive(const struct part *part, double *result)
{
    double sum = plain_sum(part);
    int code = MPI_Allreduce(&sum, result, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    if (part->kind == SUMMAND_KIND_NRM2)
        *result = sqrt(*result);
    return code;
}

const struct method methods[METHODS_NAMED] = {
    {"exact", "the exact sum, rounded once", true, run_exact, plan_exact},
    {"tree", "the fixed binary tree over the element index", true, run_tree, plan_tree},
    {"naive", "a plain loop and MPI_Allreduce", false, run_naive, NULL},
    {"study", "the tree's bits, a message per subtree as in the thesis", true, run_study,
     plan_study}};
