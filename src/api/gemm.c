/* SPDX-License-Identifier: BSD-3-Clause */
/* summand_gemm: arguments checked, a communicator found, plans made and run. */
#include <summand/gemm.h>

#include "comm/error.h"
#include "kernel/fpenv.h"
#include "matrix/mpi/gemm.h"

/* Matrices that are none have no communicator: the process's own raises the error. */
static int refuse(const char *call)
{
    int code = summand__mpi_runs() ? summand__refuse(SUMMAND_ERR_ARGUMENT, "a, b and c are NULL")
                                   : SUMMAND__NO_MPI;
    return summand__raise(call, MPI_COMM_NULL, code);
}

/* Begins a call, as summand__matrix_enter. */
static int enter(struct summand__state *state, bool init, int *tag)
{
    return summand__matrix_enter(state, SUMMAND__ENTERED_COLLECTIVE + SUMMAND__COLL_GEMM, init,
                                 tag);
}

static int run(const struct summand__gemm_arguments *arguments, const char *call)
{
    struct summand__state *state = summand__gemm_state(arguments);
    int tag, code = enter(state, false, &tag);
    if (code == MPI_SUCCESS)
        code = summand__gemm_call(arguments, call, tag);
    return summand__state_raise(call, state, code);
}

/* `refused`: whatever else is wrong. */
static int make(const struct summand__gemm_arguments *arguments, const char *call, int refused,
                summand_plan **plan)
{
    struct summand__state *state = summand__gemm_state(arguments);
    bool alike;
    int tag, code = enter(state, true, &tag);
    if (code == MPI_SUCCESS && refused == MPI_SUCCESS)
        refused = summand__gemm_check(arguments, false);
    if (code == MPI_SUCCESS)
        code = summand__gemm_agree(arguments, call, refused, tag, 0, &alike);
    if (code == MPI_SUCCESS)
        code = summand__gemm_plan(arguments, tag, plan);
    return summand__state_raise(call, state, code);
}

static struct summand__gemm_arguments arguments_of(enum summand_transpose trans_a,
                                                   enum summand_transpose trans_b, double alpha,
                                                   const summand_matrix *a, const summand_matrix *b,
                                                   double beta, summand_matrix *c,
                                                   const summand_gemm_options *options)
{
    static const summand_gemm_options none;
    return (struct summand__gemm_arguments){trans_a, trans_b, alpha, beta,
                                            a,       b,       c,     options ? *options : none};
}

int summand_gemm(enum summand_transpose trans_a, enum summand_transpose trans_b, double alpha,
                 const summand_matrix *a, const summand_matrix *b, double beta, summand_matrix *c,
                 const summand_gemm_options *options)
{
    SUMMAND__IN_DEFAULT_FPENV;
    static const char call[] = "summand_gemm";
    const struct summand__gemm_arguments arguments =
        arguments_of(trans_a, trans_b, alpha, a, b, beta, c, options);
    return a || b || c ? run(&arguments, call) : refuse(call);
}

int summand_gemm_init(enum summand_transpose trans_a, enum summand_transpose trans_b, double alpha,
                      const summand_matrix *a, const summand_matrix *b, double beta,
                      summand_matrix *c, const summand_gemm_options *options, summand_plan **plan)
{
    SUMMAND__IN_DEFAULT_FPENV;
    static const char call[] = "summand_gemm_init";
    const struct summand__gemm_arguments arguments =
        arguments_of(trans_a, trans_b, alpha, a, b, beta, c, options);
    summand_plan *made = NULL;
    int refused = plan ? MPI_SUCCESS
                       : summand__refuse(SUMMAND_ERR_ARGUMENT, "plan is NULL, not a place for one");
    int code = a || b || c ? make(&arguments, call, refused, &made) : refuse(call);
    if (plan)
        *plan = made;
    return code;
}
