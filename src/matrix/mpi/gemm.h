/* SPDX-License-Identifier: BSD-3-Clause */
/* Matrix products as plans. */
#pragma once

#include <summand/gemm.h>

#include "matrix/mpi/matrix.h"
#include "plan/call.h"

/* True if sums may have any order. */
static inline bool summand__gemm_any_order(const summand_gemm_options *options)
{
    return options->promise == SUMMAND_PROMISE_SAME || options->promise == SUMMAND_PROMISE_NONE;
}

/* The caller's arguments. */
struct summand__gemm_arguments {
    enum summand_transpose trans_a, trans_b;
    double alpha, beta;
    const struct summand_matrix *a, *b;
    struct summand_matrix *c;
    summand_gemm_options options;
};

/* The state of the first matrix that is not NULL; NULL if there is none. */
struct summand__state *summand__gemm_state(const struct summand__gemm_arguments *arguments);

/* Rows and columns of op(matrix). */
void summand__gemm_entering(const struct summand_matrix *matrix, enum summand_transpose trans,
                            int64_t *rows, int64_t *columns);

/* Collective: MPI_SUCCESS if `code`, the result of these checks, is MPI_SUCCESS on every rank and
 * the arguments agree. Otherwise an MPI error code on every rank: its own `code` if it has one.
 * `call`: name of the public call. `*alike`: true if all ranks gave this `number` of a cached
 * plan. */
int summand__gemm_agree(const struct summand__gemm_arguments *arguments, const char *call, int code,
                        int tag, uint64_t number, bool *alike);

/* Checks that need only this rank; an MPI error code. Local. */
int summand__gemm_check_arguments(const struct summand__gemm_arguments *arguments);

/* Collective: makes the plan of arguments that agree; an MPI error code, also if the algorithm that
 * they name does not do the product. */
int summand__gemm_plan(const struct summand__gemm_arguments *arguments, int tag,
                       summand_plan **plan);

/* True if a plan with this work serves a call with these arguments, once bound to the call's
 * biases, function and timeout. */
bool summand__gemm_serves(const void *work, const void *arguments);
void summand__gemm_rebind(summand_plan *plan, const struct summand__gemm_arguments *arguments);

/* Whether the plan uses the matrix; its bytes on this rank; the number of the call that made it. */
bool summand__gemm_uses(const void *work, const void *matrix);
size_t summand__gemm_bytes(const void *work);
uint64_t summand__gemm_number(const summand_plan *plan);

/* gemm_call.c: products as a kind of calls; `asked` is a call's arguments. */
extern const struct summand__call_kind summand__gemm_kind;

/* gemm_call.c: frees the cached plans of a matrix. */
void summand__gemm_forget(const struct summand_matrix *matrix);
