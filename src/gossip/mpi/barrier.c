/* A barrier by dissemination (Hensgen, Finkel, Manber, 1988) that serves messages meanwhile:
 * ceil(log2 p) empty messages per rank. Instead of MPI_Ibarrier, because SimGrid's lets ranks leave
 * before all have come. */
#include "gossip/mpi/runner.h"

/* By MPI_Iprobe and MPI_Recv, as all that may have to wait here: what MPI_Test completes in SimGrid
 * 3.32 leaves something behind that slows down whatever comes later. */
static bool probe(struct summand__runner *r, int from, int *code)
{
    int there = 0;
    *code = MPI_Iprobe(from, r->barrier_tag, summand__state_channel(r->state), &there,
                       MPI_STATUS_IGNORE);
    if (*code == MPI_SUCCESS && there)
        *code = MPI_Recv(NULL, 0, MPI_BYTE, from, r->barrier_tag, summand__state_channel(r->state),
                         MPI_STATUS_IGNORE);
    return there;
}

/* A rank that listens has the token among what it listens to. */
static int expect(struct summand__runner *r, int from)
{
    return r->listens ? MPI_Irecv(NULL, 0, MPI_BYTE, from, r->barrier_tag,
                                  summand__state_channel(r->state), &r->token)
                      : MPI_SUCCESS;
}

static bool has_come(struct summand__runner *r, int from, int *code)
{
    int there = r->token == MPI_REQUEST_NULL;
    if (!r->listens)
        return probe(r, from, code);
    if (!there && r->code != MPI_SUCCESS) /* it listens no more */
        *code = MPI_Test(&r->token, &there, MPI_STATUS_IGNORE);
    return there;
}

void summand__runner_barrier(struct summand__runner *r, bool (*serve)(struct summand__runner *))
{
    int rank = r->state->rank, ranks = r->state->ranks, code = MPI_SUCCESS;
    for (int distance = 1; distance < ranks && code == MPI_SUCCESS; distance *= 2) {
        MPI_Request request;
        int to = summand__state_peer(r->state, (int)(((int64_t)rank + distance) % ranks)), sent = 0;
        int from = summand__state_peer(r->state, (int)(((int64_t)rank + ranks - distance) % ranks));
        bool received = false;
        code = expect(r, from);
        if (code == MPI_SUCCESS)
            code = MPI_Isend(NULL, 0, MPI_BYTE, to, r->barrier_tag,
                             summand__state_channel(r->state), &request);
        while (code == MPI_SUCCESS && !(sent && received)) {
            bool busy = serve(r);
            if (!received)
                busy |= received = has_come(r, from, &code);
            if (!sent && code == MPI_SUCCESS)
                code = MPI_Test(&request, &sent, MPI_STATUS_IGNORE);
            summand__runner_idle(r, busy);
        }
    }
    if (r->code == MPI_SUCCESS)
        r->code = code;
}
