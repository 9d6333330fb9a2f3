/* Asynchronous algorithms: one receive is posted all the time, and a rank waits for it and for its
 * own sends at once. SimGrid's MPI sleeps in that until something comes, which is both exact in
 * time and much cheaper than to poll: each MPI_Test of version 3.32 that succeeds leaves something
 * behind which later messages search through. */
#include "gossip/mpi/runner.h"

#include <stdlib.h>
#include <string.h>

enum { EAR, AT_ONCE = 32 /* requests looked at together */ };

void summand__runner_listen(struct summand__runner *r)
{
    if (r->code == MPI_SUCCESS)
        r->code = MPI_Irecv(r->heard, SUMMAND__CHANNEL_WORDS, MPI_INT64_T, MPI_ANY_SOURCE,
                            r->tags[SUMMAND__MASS], r->state->comm, &r->ear);
    r->listens = r->code == MPI_SUCCESS;
}

static void hear(struct summand__runner *r, int from)
{
    struct summand__gossip_message message = {.kind = SUMMAND__MASS};
    memcpy(message.body, r->heard + SUMMAND__CHANNEL_HEAD, r->width * sizeof *message.body);
    summand__runner_listen(r);
    r->node->algorithm->receive(r->node, from, &message, &r->outbox);
    summand__runner_flush(r, true);
}

static int complete_any(bool patient, int count, MPI_Request *requests, int *at, MPI_Status *status)
{
#ifdef SMPI_H
    if (patient)
        return MPI_Waitany(count, requests, at, status);
#endif
    (void)patient;
    int done, code = MPI_Testany(count, requests, at, &done, status);
    if (!done)
        *at = MPI_UNDEFINED;
    return code;
}

bool summand__runner_hear(struct summand__runner *r, bool patient)
{
    MPI_Request requests[AT_ONCE] = {r->ear};
    struct summand__parcel **links[AT_ONCE], **link = &r->under_way;
    int count = 1, at = MPI_UNDEFINED;
    MPI_Status status;
    if (r->code != MPI_SUCCESS)
        return false;
    for (; *link && count < AT_ONCE; link = &(*link)->next) {
        links[count] = link;
        requests[count++] = (*link)->request;
    }
    r->code = complete_any(patient && count > 1, count, requests, &at, &status);
    if (r->code != MPI_SUCCESS || at == MPI_UNDEFINED)
        return false;
    if (at == EAR) {
        hear(r, status.MPI_SOURCE);
        return true;
    }
    struct summand__parcel *sent = *links[at];
    *links[at] = sent->next;
    free(sent);
    return true;
}

void summand__runner_deaf(struct summand__runner *r)
{
    MPI_Request both[2] = {r->ear};
    if (!r->listens)
        return;
    /* Nobody else sends any more: a message to itself ends the receive, without MPI_Cancel. */
    r->listens = false;
    if (MPI_Isend(NULL, 0, MPI_INT64_T, r->state->rank, r->tags[SUMMAND__MASS], r->state->comm,
                  &both[1]) == MPI_SUCCESS)
        MPI_Waitall(2, both, MPI_STATUSES_IGNORE);
}
