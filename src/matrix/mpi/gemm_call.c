/* SPDX-License-Identifier: BSD-3-Clause */
/* Products as a kind of calls. The communicator caches the plans of the last blocking ones: a later
 * call with the same matrices, scalars and options runs the cached plan after one agreement. The
 * agreement also checks that all ranks still have the plan, because a rank may drop it by itself:
 * after an error, for lack of memory, or when it frees a matrix. A cached plan holds its matrices,
 * so a later matrix cannot have the address of one of them. */
#include "matrix/mpi/gemm.h"
#include "process/error.h"

static summand_plan **kept(const struct summand__plan_call *call)
{
    return call->cache ? summand__plan_cache_find(call->cache, summand__gemm_serves, call->asked)
                       : NULL;
}

static int check(struct summand__plan_call *call)
{
    return summand__gemm_check_arguments(call->asked);
}

static int meet(struct summand__plan_call *call, int code)
{
    const struct summand__gemm_arguments *g = call->asked;
    bool alike;
    summand_plan **plan = code == MPI_SUCCESS ? kept(call) : NULL;
    code = summand__gemm_agree(g, call->name, code, call->tag,
                               plan ? summand__gemm_number(*plan) : 0, &alike);
    call->told = code != MPI_SUCCESS;
    if (code == MPI_SUCCESS && plan && alike)
        call->plan = plan;
    else if (code == MPI_SUCCESS && plan)
        summand_plan_free(plan);
    return code;
}

static int rebind(const struct summand__plan_call *call, summand_plan *plan)
{
    summand__gemm_rebind(plan, call->asked);
    return MPI_SUCCESS;
}

static int make(struct summand__plan_call *call, int code, summand_plan **plan)
{
    (void)code; /* all ranks know of an error */
    return summand__gemm_plan(call->asked, call->tag, plan);
}

const struct summand__call_kind summand__gemm_kind = {.together = true,
                                                      .check = check,
                                                      .meet = meet,
                                                      .serves = summand__gemm_serves,
                                                      .rebind = rebind,
                                                      .make = make,
                                                      .bytes = summand__gemm_bytes,
                                                      .keeps_newest = true};

void summand__gemm_forget(const struct summand_matrix *matrix)
{
    summand__plan_cache_forget(matrix->state, &summand__gemm_kind, summand__gemm_uses, matrix);
}
