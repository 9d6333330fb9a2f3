#include "comm/agree.h"

#include <summand/error.h>

int summand__agree(struct summand__state *state, int code, uint32_t signature)
{
    int64_t mine[3] = {code != MPI_SUCCESS, signature, -(int64_t)signature}, all[3];
    int failed = MPI_Allreduce(mine, all, 3, MPI_INT64_T, MPI_MAX, state->comm);
    if (code != MPI_SUCCESS || failed != MPI_SUCCESS)
        return code != MPI_SUCCESS ? code : failed;
    if (all[0])
        return summand_error_code(SUMMAND_ERR_REMOTE);
    return all[1] == -all[2] ? MPI_SUCCESS : summand_error_code(SUMMAND_ERR_MISMATCH);
}
