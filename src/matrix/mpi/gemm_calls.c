/* SPDX-License-Identifier: BSD-3-Clause */
/* summand_gemm: checks arguments, finds a communicator, and makes and runs plans. */
#include <summand/gemm.h>

#include "kernel/fpenv_call.h"
#include "matrix/mpi/gemm.h"
#include "process/error.h"

/* If all matrices are NULL there is no communicator, so the error is raised on MPI_COMM_SELF. */
static int refuse(const char *call)
{
    int code = summand__mpi_runs() ? summand__refuse(SUMMAND_ERR_ARGUMENT, "a, b and c are NULL")
                                   : SUMMAND__NO_MPI;
    return summand__raise(call, MPI_COMM_NULL, code);
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

static struct summand__plan_call call_of(struct summand__gemm_arguments *arguments,
                                         const char *name)
{
    return (struct summand__plan_call){.kind = &summand__gemm_kind,
                                       .name = name,
                                       .entered = SUMMAND__ENTERED_COLLECTIVE + SUMMAND__COLL_GEMM,
                                       .timeout = arguments->options.timeout,
                                       .asked = arguments,
                                       .state = summand__gemm_state(arguments)};
}

int summand_gemm(enum summand_transpose trans_a, enum summand_transpose trans_b, double alpha,
                 const summand_matrix *a, const summand_matrix *b, double beta, summand_matrix *c,
                 const summand_gemm_options *options)
{
    SUMMAND__IN_DEFAULT_FPENV;
    struct summand__gemm_arguments arguments =
        arguments_of(trans_a, trans_b, alpha, a, b, beta, c, options);
    struct summand__plan_call call = call_of(&arguments, "summand_gemm");
    if (!call.state)
        return refuse(call.name);
    int code = summand__matrix_usable(call.state) ? summand__call_on(&call) : MPI_ERR_COMM;
    return summand__state_raise(call.name, call.state, code);
}

int summand_gemm_init(enum summand_transpose trans_a, enum summand_transpose trans_b, double alpha,
                      const summand_matrix *a, const summand_matrix *b, double beta,
                      summand_matrix *c, const summand_gemm_options *options, summand_plan **plan)
{
    SUMMAND__IN_DEFAULT_FPENV;
    struct summand__gemm_arguments arguments =
        arguments_of(trans_a, trans_b, alpha, a, b, beta, c, options);
    struct summand__plan_call call = call_of(&arguments, "summand_gemm_init");
    if (plan)
        *plan = NULL;
    if (!call.state)
        return refuse(call.name);
    int code =
        summand__matrix_usable(call.state) ? summand__call_init_on(&call, plan) : MPI_ERR_COMM;
    return summand__state_raise(call.name, call.state, code);
}
