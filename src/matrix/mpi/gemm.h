/* Matrix products as plans. */
#ifndef SUMMAND_MATRIX_MPI_GEMM_H
#define SUMMAND_MATRIX_MPI_GEMM_H

#include <summand/gemm.h>

#include "matrix/mpi/matrix.h"

/* What the caller gave. */
struct summand__gemm_arguments {
    enum summand_transpose trans_a, trans_b;
    double alpha, beta;
    const struct summand_matrix *a, *b;
    struct summand_matrix *c;
    summand_gemm_options options;
};

/* Of whichever matrix is there, or NULL. */
struct summand__state *summand__gemm_state(const struct summand__gemm_arguments *arguments);

/* Collective: the plan, where `code` and the arguments of every rank are good; an MPI error code.
 * `call` for the agreement. */
int summand__gemm_plan(const struct summand__gemm_arguments *arguments, const char *call, int code,
                       int tag, summand_plan **plan);

#endif
