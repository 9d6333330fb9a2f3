/* SPDX-License-Identifier: BSD-3-Clause */
/* After a failure: every rank learns of it and of its cause, and receives messages in flight, so
 * that the next call finds none of them. A later message still has this call's number. */
#include "gossip/mpi/runner.h"
#include "kernel/seal.h"
#include "wait/cause.h"

#include <stdlib.h>
#include <string.h>

/* Sends three words to each other rank: no MPI makes so short a message wait for its receiver. */
static void tell_all(struct summand__runner *r)
{
    int64_t words[3] = {r->epoch, r->code};
    words[2] = (int64_t)summand__seal((uint64_t)r->state->rank, words, 2);
    for (int k = 1; k < r->state->ranks; k++)
        PMPI_Send(words, 3, MPI_INT64_T,
                  summand__channel_peer(&r->state->channel, (r->state->rank + k) % r->state->ranks),
                  r->tags[SUMMAND__ABORT], r->state->channel.comm);
}

/* Receives and drops one message of the kind. */
static bool forget_one(struct summand__runner *r, int kind)
{
    static const int most = 2 * SUMMAND__EXCHANGE_WORDS;
    int64_t words[2 * SUMMAND__EXCHANGE_WORDS];
    int there = 0;
    MPI_Status status;
    int code = PMPI_Iprobe(MPI_ANY_SOURCE, r->tags[kind], r->state->channel.comm, &there, &status);
    if (code == MPI_SUCCESS && there)
        code = PMPI_Recv(words, most, MPI_INT64_T, status.MPI_SOURCE, r->tags[kind],
                         r->state->channel.comm, MPI_STATUS_IGNORE);
    return code == MPI_SUCCESS && there;
}

static bool forget(struct summand__runner *r)
{
    bool any = false;
    for (int kind = 0; kind < SUMMAND__TAGS; kind++)
        if (kind != SUMMAND__FAREWELL)
            any |= forget_one(r, kind);
    summand__runner_sent(r);
    return any;
}

static void cancel(MPI_Request *request)
{
    if (*request != MPI_REQUEST_NULL && PMPI_Cancel(request) == MPI_SUCCESS)
        PMPI_Wait(request, MPI_STATUS_IGNORE);
}

void summand__runner_farewell(struct summand__runner *r)
{
    int code = r->code;
    const bool of_another = summand_error_of(code) == SUMMAND_ERR_REMOTE;
    int64_t cause = of_another ? 0 : (int64_t)summand__cause(r->state->rank, code);
    if (code == MPI_SUCCESS || r->leaving)
        return;
    if (!r->told)
        tell_all(r);
    cancel(&r->token);
    cancel(&r->receive);
    r->listens = false;
    r->leaving = true;
    r->exchanges = 0;
    r->since = 0;
    r->late = false;
    r->code = MPI_SUCCESS;
    if (summand__runner_exchange(r, &cause, 1, 0, forget))
        while (forget(r))
            ;
    if (of_another)
        summand__cause_explain((uint64_t)cause);
    r->code = code;
}
