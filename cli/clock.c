#include "clock.h"

#include <mpi.h>
#include <time.h>

enum { EXCHANGES = 20, TAG = 7 };

double clock_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void answer(int peer)
{
    for (int i = 0; i < EXCHANGES; i++) {
        double theirs, now;
        MPI_Recv(&theirs, 1, MPI_DOUBLE, peer, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        now = clock_now();
        MPI_Send(&now, 1, MPI_DOUBLE, peer, TAG, MPI_COMM_WORLD);
    }
}

/* The peer's clock at the middle of the shortest round trip is taken to be what it said. */
static double ask(int peer)
{
    double offset = 0, shortest = 1e300;
    for (int i = 0; i < EXCHANGES; i++) {
        double before = clock_now(), theirs;
        MPI_Send(&before, 1, MPI_DOUBLE, peer, TAG, MPI_COMM_WORLD);
        MPI_Recv(&theirs, 1, MPI_DOUBLE, peer, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        double after = clock_now();
        if (after - before < shortest) {
            shortest = after - before;
            offset = (before + after) / 2 - theirs;
        }
    }
    return offset;
}

double clock_offset(void)
{
    int rank, ranks;
    double offset = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (rank)
        offset = ask(0);
    for (int peer = 1; rank == 0 && peer < ranks; peer++)
        answer(peer);
    return offset;
}
