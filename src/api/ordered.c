/* summand_ordered_reduce: check, make a plan, run it. */
#include <summand/ordered.h>

#include "comm/error.h"
#include "kernel/fpenv.h"
#include "ordered/reduce.h"
#include "plan/plan.h"

/* `error`: what is wrong with the other arguments of this rank. */
static int make(const struct summand__ordered_call *call, MPI_Comm comm, int error, bool blocking,
                summand_plan **plan)
{
    struct summand__state *state;
    *plan = NULL;
    int code = summand__state_of(comm, &state);
    if (code != MPI_SUCCESS)
        return code;
    summand__enter(state, SUMMAND__ENTERED_ORDERED_REDUCE | (blocking ? 0 : SUMMAND__ENTERED_INIT));
    if (error == MPI_SUCCESS)
        error = summand__ordered_check(call, state);
    int tag;
    code = blocking ? summand__agreeing_tag(state, &tag) : summand__plan_tag(state, &tag);
    if (code != MPI_SUCCESS)
        return error != MPI_SUCCESS ? error : code;
    return summand__ordered_plan(state, call, error, tag, plan);
}

int summand_ordered_reduce(const void *sendbuf, void *recvbuf, MPI_Count count,
                           MPI_Count displacement, MPI_Datatype datatype, MPI_Op op, int root,
                           MPI_Comm comm)
{
    SUMMAND__IN_DEFAULT_FPENV;
    struct summand__ordered_call call = {sendbuf,  recvbuf, count, displacement,
                                         datatype, op,      root,  false};
    summand_plan *plan;
    int code = make(&call, comm, MPI_SUCCESS, true, &plan);
    if (code == MPI_SUCCESS)
        code = summand__plan_run(plan);
    summand_plan_free(&plan);
    return summand__raise("summand_ordered_reduce", comm, code);
}

int summand_ordered_reduce_init(const void *sendbuf, void *recvbuf, MPI_Count count,
                                MPI_Count displacement, MPI_Datatype datatype, MPI_Op op, int root,
                                MPI_Comm comm, summand_plan **plan)
{
    SUMMAND__IN_DEFAULT_FPENV;
    struct summand__ordered_call call = {sendbuf,  recvbuf, count, displacement,
                                         datatype, op,      root,  true};
    summand_plan *made;
    int error = plan ? MPI_SUCCESS : summand__refuse(SUMMAND_ERR_ARGUMENT, "plan is NULL");
    int code = make(&call, comm, error, false, &made);
    if (plan)
        *plan = made;
    return summand__raise("summand_ordered_reduce_init", comm, code);
}
