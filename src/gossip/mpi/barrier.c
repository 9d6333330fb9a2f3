/* A barrier by dissemination (Hensgen, Finkel, Manber, 1988) that serves messages meanwhile:
 * ceil(log2 p) empty messages per rank. Instead of MPI_Ibarrier, because SimGrid's lets ranks leave
 * before all have come. */
#include "gossip/mpi/runner.h"

void summand__runner_barrier(struct summand__runner *r, bool (*serve)(struct summand__runner *))
{
    int rank = r->state->rank, ranks = r->state->ranks, code = MPI_SUCCESS;
    for (int distance = 1; distance < ranks && code == MPI_SUCCESS; distance *= 2) {
        MPI_Request both[2];
        int to = (int)(((int64_t)rank + distance) % ranks), done = 0;
        int from = (int)(((int64_t)rank + ranks - distance) % ranks);
        code = MPI_Irecv(NULL, 0, MPI_BYTE, from, r->barrier_tag, r->state->comm, &both[0]);
        if (code == MPI_SUCCESS)
            code = MPI_Isend(NULL, 0, MPI_BYTE, to, r->barrier_tag, r->state->comm, &both[1]);
        while (code == MPI_SUCCESS && !done) {
            bool busy = serve(r);
            code = MPI_Testall(2, both, &done, MPI_STATUSES_IGNORE);
            summand__runner_idle(r, busy || done);
        }
    }
    if (r->code == MPI_SUCCESS)
        r->code = code;
}
