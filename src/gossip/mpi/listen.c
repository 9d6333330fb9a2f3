/* SPDX-License-Identifier: BSD-3-Clause */
/* Asynchronous algorithms: one receive is always posted, and a rank waits for it and for its own
 * sends together. In this wait SimGrid's MPI sleeps until a message arrives. That is exact in time
 * and much cheaper than polling: each successful MPI_Test of version 3.32 slows down the matching
 * of later messages. */
#include "gossip/mpi/runner.h"

#include <stdlib.h>
#include <string.h>

enum { RECEIVE, TOKEN, SENDS }; /* requests tested together */

void summand__runner_listen(struct summand__runner *r)
{
    if (!r->listens)
        r->token = MPI_REQUEST_NULL;
    summand__runner_fail(r, PMPI_Irecv(r->store->received, SUMMAND__CHANNEL_WORDS, MPI_INT64_T,
                                       MPI_ANY_SOURCE, r->tags[SUMMAND__MASS],
                                       r->state->channel.comm, &r->receive));
    r->listens = r->code == MPI_SUCCESS;
}

static void take(struct summand__runner *r, const MPI_Status *status)
{
    struct summand__gossip_message message = {.kind = SUMMAND__MASS};
    struct summand__query sender;
    int count, from = summand__state_rank_of(r->state, status->MPI_SOURCE);
    int64_t words[SUMMAND__CHANNEL_WORDS];
    memcpy(words, r->store->received, sizeof words);
    summand__runner_fail(r, PMPI_Get_count(status, MPI_INT64_T, &count));
    summand__runner_listen(r);
    if (from == r->state->rank) { /* from summand__runner_sweep */
        r->sweeping = false;
        return;
    }
    if (r->code == MPI_SUCCESS &&
        summand__runner_read(r, from, SUMMAND__MASS, words, count, &sender, &message)) {
        r->node->algorithm->receive(r->node, from, &message, &r->outbox);
        summand__runner_flush(r, true);
    }
}

static int complete_any(bool sure, int count, MPI_Request *requests, int *at, MPI_Status *status)
{
#ifdef SMPI_H
    if (sure)
        return PMPI_Waitany(count, requests, at, status);
#endif
    (void)sure;
    int done, code = PMPI_Testany(count, requests, at, &done, status);
    if (!done)
        *at = MPI_UNDEFINED;
    return code;
}

bool summand__runner_receive(struct summand__runner *r)
{
    MPI_Request requests[SENDS + SUMMAND__SENDS] = {r->receive, r->token};
    int at = MPI_UNDEFINED;
    bool sure = r->token != MPI_REQUEST_NULL || r->sweeping;
    MPI_Status status;
    if (r->code != MPI_SUCCESS)
        return false;
    for (int k = 0; k < r->sending; k++) {
        requests[SENDS + k] = r->sends[k];
        sure |= r->sends[k] != MPI_REQUEST_NULL;
    }
    summand__runner_fail(r, complete_any(sure, SENDS + r->sending, requests, &at, &status));
    if (r->code != MPI_SUCCESS || at == MPI_UNDEFINED)
        return false;
    if (at == RECEIVE) {
        r->receive = MPI_REQUEST_NULL;
        take(r, &status);
    } else if (at == TOKEN)
        r->token = MPI_REQUEST_NULL;
    else
        r->sends[at - SENDS] = MPI_REQUEST_NULL;
    return true;
}

/* Sends a message to itself. One receive is posted at a time, so all messages matched before it
 * have been received when it arrives. */
static int send_to_itself(struct summand__runner *r, MPI_Request *request)
{
    return PMPI_Isend(NULL, 0, MPI_INT64_T,
                      summand__channel_peer(&r->state->channel, r->state->rank),
                      r->tags[SUMMAND__MASS], r->state->channel.comm, request);
}

void summand__runner_sweep(struct summand__runner *r)
{
    MPI_Request request;
    if (r->code != MPI_SUCCESS)
        return;
    summand__runner_fail(r, send_to_itself(r, &request));
    r->sweeping = r->code == MPI_SUCCESS;
    while (r->sweeping && r->code == MPI_SUCCESS)
        summand__runner_idle(r, summand__runner_receive(r));
    if (r->code == MPI_SUCCESS)
        summand__runner_fail(r, PMPI_Wait(&request, MPI_STATUS_IGNORE));
}

/* No other rank sends any more: the message to itself ends the receive, without MPI_Cancel. */
void summand__runner_stop_receiving(struct summand__runner *r)
{
    MPI_Request both[2] = {r->receive};
    if (r->code == MPI_SUCCESS && r->listens && send_to_itself(r, &both[1]) == MPI_SUCCESS) {
        PMPI_Waitall(2, both, MPI_STATUSES_IGNORE);
        r->receive = MPI_REQUEST_NULL;
        r->listens = false;
    }
}
