/* SPDX-License-Identifier: BSD-3-Clause */
#include "transport/p2p_requests.h"

#include <stdint.h>

#include "base/pace.h"

/* Nanoseconds to wait for messages that arrive after their operation has failed. */
enum { ENDING = 20000000 };

/* A cancelled receive ends at once if it has matched no message, else when the message has arrived.
 * A long send ends when it is received, so perhaps never. */
static bool has_ended(MPI_Request *request)
{
    int done = 0;
    return *request == MPI_REQUEST_NULL ||
           (PMPI_Test(request, &done, MPI_STATUS_IGNORE) == MPI_SUCCESS && done);
}

/* The last posted request that is not cancelled, or NULL; group g has `left[g]` such requests. */
static struct summand__request *take_last(const struct summand__requests *groups, unsigned turns,
                                          int left[SUMMAND__LINK_GROUPS])
{
    struct summand__request *last = NULL;
    int *of_last = NULL;
    for (int g = 0; g < SUMMAND__LINK_GROUPS; g++) {
        struct summand__request *request = groups[g].requests + left[g];
        if (left[g] == groups[g].through)
            continue;
        request--;
        if (!last || turns - request->turn < turns - last->turn) {
            last = request;
            of_last = &left[g];
        }
    }
    if (last)
        --*of_last;
    return last;
}

/* Cancels from the last posted to the first. So a message that arrives meanwhile matches its own
 * receive, the first of its rank. A match with a later, shorter receive would be an error, which
 * MPICH raises on MPI_COMM_WORLD. */
void summand__requests_cancel(const struct summand__requests *groups, unsigned turns)
{
    int left[SUMMAND__LINK_GROUPS];
    struct summand__request *request;
    for (int g = 0; g < SUMMAND__LINK_GROUPS; g++)
        left[g] = groups[g].posted;
    while ((request = take_last(groups, turns, left)))
        if (request->mpi != MPI_REQUEST_NULL)
            PMPI_Cancel(&request->mpi);
}

/* For cancelled requests of a failed operation. */
bool summand__requests_end(struct summand__requests *group)
{
    uint64_t begin = summand__clock();
    int left, receives;
    do {
        left = receives = 0;
        for (int i = group->through; i < group->posted; i++) {
            bool ended = has_ended(&group->requests[i].mpi);
            left += !ended;
            receives += !ended && group->requests[i].rank >= 0;
        }
    } while (receives && summand__clock() - begin < ENDING);
    for (int i = group->through; left && i < group->posted; i++)
        if (group->requests[i].mpi != MPI_REQUEST_NULL)
            PMPI_Request_free(&group->requests[i].mpi);
    return !left;
}
