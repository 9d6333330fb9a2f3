/* SPDX-License-Identifier: BSD-3-Clause */
/* A program that asks for many requests at once whether they are complete, as of MPI 4.1; it knows
 * nothing of Summand. A result is there when the answer says so, before any request is completed.
 */
#include "shim/newer.h"
#include "shim/requests.h"

enum { VECTORS = 3, LENGTH = 400, ALL = VECTORS + 2 };

/* All-reduces, one of them persistent, a message that does not come yet, and no request. */
static void start(MPI_Request *requests, double *got)
{
    prepare(7);
    for (int v = 0; v < VECTORS; v++)
        MPI_Allreduce(in + v * LENGTH, wanted + v * LENGTH, LENGTH, MPI_DOUBLE, MPI_SUM, world);
    for (int v = 0; v < VECTORS - 1; v++)
        MPI_Iallreduce(in + v * LENGTH, out + v * LENGTH, LENGTH, MPI_DOUBLE, MPI_SUM, world,
                       &requests[v]);
    MPI_Allreduce_init(in + (VECTORS - 1) * LENGTH, out + (VECTORS - 1) * LENGTH, LENGTH,
                       MPI_DOUBLE, MPI_SUM, world, MPI_INFO_NULL, &requests[VECTORS - 1]);
    MPI_Start(&requests[VECTORS - 1]);
    MPI_Irecv(got, 1, MPI_DOUBLE, rank, 5, world, &requests[VECTORS]);
    requests[VECTORS + 1] = MPI_REQUEST_NULL;
}

static void check_one(const char *what, int v)
{
    check(v < VECTORS && !memcmp(out + v * LENGTH, wanted + v * LENGTH, LENGTH * sizeof *out), what,
          v);
}

/* Results stay as they are. */
static void end(const char *what, MPI_Request *requests)
{
    MPI_Request sent;
    MPI_Isend(in, 1, MPI_DOUBLE, rank, 5, world, &sent);
    MPI_Waitall(ALL, requests, MPI_STATUSES_IGNORE);
    MPI_Wait(&sent, MPI_STATUS_IGNORE);
    for (int v = 0; v < VECTORS; v++)
        check_one(what, v);
    MPI_Request_free(&requests[VECTORS - 1]);
}

static void any(void)
{
    MPI_Request requests[ALL];
    double got;
    start(requests, &got);
    for (int v = 0; v < VECTORS; v++) { /* one after the other, as each has an answer of its own */
        const MPI_Request one[2] = {MPI_REQUEST_NULL, requests[v]};
        int at, over = 0;
        while (!over)
            MPI_Request_get_status_any(2, one, &at, &over, MPI_STATUS_IGNORE);
        check(at == 1, "any: place", at);
        check_one("any", v);
    }
    end("any, completed", requests);
}

static void some(void)
{
    MPI_Request requests[ALL];
    double got;
    int done = 0, places[ALL];
    start(requests, &got);
    while (done < VECTORS) {
        MPI_Request_get_status_some(ALL, requests, &done, places, MPI_STATUSES_IGNORE);
        for (int i = 0; i < done; i++)
            check_one("some", places[i]);
    }
    end("some, completed", requests);
}

static void all(void)
{
    MPI_Request requests[ALL];
    double got;
    int over = 0;
    start(requests, &got);
    MPI_Request_get_status_all(ALL, requests, &over, MPI_STATUSES_IGNORE);
    check(!over, "all: the message", 0);
    while (!over)
        MPI_Request_get_status_all(VECTORS, requests, &over, MPI_STATUSES_IGNORE);
    for (int v = 0; v < VECTORS; v++)
        check_one("all", v);
    end("all, completed", requests);
}

static void none(void)
{
    const MPI_Request requests[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
    int at, over, done, places[2];
    MPI_Request_get_status_any(2, requests, &at, &over, MPI_STATUS_IGNORE);
    check(over && at == MPI_UNDEFINED, "none, any", at);
    MPI_Request_get_status_some(2, requests, &done, places, MPI_STATUSES_IGNORE);
    check(done == MPI_UNDEFINED, "none, some", done);
}

int main(int argc, char **argv)
{
    static const struct row rows[] = {{"any", any}, {"some", some}, {"all", all}, {"none", none}};
    return run_rows(argc, argv, MPI_THREAD_SINGLE, rows, sizeof rows / sizeof *rows);
}
