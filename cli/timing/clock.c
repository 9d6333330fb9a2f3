/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/timing/clock.h"

#include <stdlib.h>
#include <time.h>

#include "base/environment.h"
#include "bench/need.h"
#include "fabric/node_split.h"

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

/* Assumes that the peer read its clock at the middle of the shortest round trip. */
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

static long simulated_node_size(void)
{
    struct summand__setting setting;
    struct summand__complaint complaint;
    summand__environment_read("SUMMAND_NODE_SIZE", &setting, &complaint);
    return (long)setting.number;
}

void clock_open(struct clock_nodes *nodes)
{
    int rank, ranks, place;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    long size = simulated_node_size();
    MPI_Bcast(&size, 1, MPI_LONG, 0, MPI_COMM_WORLD);
    if (size)
        MPI_Comm_split(MPI_COMM_WORLD, (int)(rank / size), rank, &nodes->node);
    else
        summand__node_split(MPI_COMM_WORLD, &nodes->node);
    MPI_Comm_rank(nodes->node, &place);
    nodes->leader = need(malloc((size_t)ranks * sizeof *nodes->leader));
    nodes->count = 0;
    MPI_Gather(&place, 1, MPI_INT, nodes->leader, 1, MPI_INT, 0, MPI_COMM_WORLD);
    for (int r = 1; rank == 0 && r < ranks; r++)
        if (nodes->leader[r] == 0)
            nodes->leader[nodes->count++] = r;
}

void clock_close(struct clock_nodes *nodes)
{
    MPI_Comm_free(&nodes->node);
    free(nodes->leader);
}

double clock_offset(const struct clock_nodes *nodes)
{
    int rank, place;
    double offset = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_rank(nodes->node, &place);
    if (rank && !place)
        offset = ask(0);
    for (int i = 0; rank == 0 && i < nodes->count; i++)
        answer(nodes->leader[i]);
    MPI_Bcast(&offset, 1, MPI_DOUBLE, 0, nodes->node);
    return offset;
}
