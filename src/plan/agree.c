#include "plan/agree.h"

#include <summand/error.h>

#include "plan/await.h"

/* One exchange; the largest of what all ranks have. */
static int exchange(struct summand__state *state, int code, uint32_t signature)
{
    int64_t *all = state->agreement;
    MPI_Request request;
    int failed = summand__await_earlier(state);
    if (failed != MPI_SUCCESS)
        return failed;
    all[0] = code != MPI_SUCCESS;
    all[1] = signature;
    all[2] = -(int64_t)signature;
    all[3] = (int64_t)state->calls;
    all[4] = -(int64_t)state->calls;
    failed = MPI_Iallreduce(MPI_IN_PLACE, all, 5, MPI_INT64_T, MPI_MAX, state->comm, &request);
    if (failed == MPI_SUCCESS)
        failed = summand__await(state, &request);
    return failed == MPI_SUCCESS ? summand__await_given_up(state) : failed;
}

/* After ranks have left agreements (plan/await.h), one may still answer those of an earlier call:
 * that call is over, and the others ask again until it has come to theirs. */
int summand__agree(struct summand__state *state, int code, uint32_t signature)
{
    const int64_t *all = state->agreement;
    int failed;
    do {
        failed = exchange(state, code, signature);
    } while (failed == MPI_SUCCESS && all[3] == (int64_t)state->calls && all[3] != -all[4]);
    if (code != MPI_SUCCESS || failed != MPI_SUCCESS)
        return code != MPI_SUCCESS ? code : failed;
    if (all[0] || all[3] != -all[4])
        return summand_error_code(SUMMAND_ERR_REMOTE);
    return all[1] == -all[2] ? MPI_SUCCESS : summand_error_code(SUMMAND_ERR_MISMATCH);
}
