#include "plan/agree.h"

#include <summand/error.h>

#include "plan/await.h"

int summand__agree(struct summand__state *state, int code, uint32_t signature)
{
    int64_t *all = state->agreement;
    MPI_Request request;
    all[0] = code != MPI_SUCCESS;
    all[1] = signature;
    all[2] = -(int64_t)signature;
    int failed = MPI_Iallreduce(MPI_IN_PLACE, all, 3, MPI_INT64_T, MPI_MAX, state->comm, &request);
    if (failed == MPI_SUCCESS)
        failed = summand__await(state, &request);
    if (code != MPI_SUCCESS || failed != MPI_SUCCESS)
        return code != MPI_SUCCESS ? code : failed;
    if (all[0])
        return summand_error_code(SUMMAND_ERR_REMOTE);
    return all[1] == -all[2] ? MPI_SUCCESS : summand_error_code(SUMMAND_ERR_MISMATCH);
}
