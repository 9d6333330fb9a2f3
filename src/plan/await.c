#include "plan/await.h"

#include "base/patience.h"
#include "plan/started.h"

int summand__await(struct summand__state *state, MPI_Request *request)
{
    const struct summand__nodes *nodes = &state->nodes;
    struct summand__patience patience = {.crowded = nodes->node_size > nodes->processors,
                                         .awake = true};
    int code = MPI_SUCCESS;
    summand__started_take(state);
#ifdef SMPI_H /* SimGrid lets no time pass in MPI_Test: it would poll for ever */
    if (!state->busy.plans)
        return MPI_Wait(request, MPI_STATUS_IGNORE);
#endif
    for (int done = 0; !done && code == MPI_SUCCESS;) {
        code = MPI_Test(request, &done, MPI_STATUS_IGNORE);
        if (done || code != MPI_SUCCESS)
            break;
        summand__started_move(state, NULL);
        summand__wait_a_turn(&patience);
    }
    return code;
}
