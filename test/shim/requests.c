/* SPDX-License-Identifier: BSD-3-Clause */
/* A program with non-blocking and persistent collectives; it knows nothing of Summand. Each result
 * must have the bits of the blocking call. */
#include <math.h>

#include "shim/requests.h"

static void multiply(void *from, void *inout, int *count, MPI_Datatype *type)
{
    (void)type;
    for (int i = 0; i < *count; i++)
        ((double *)inout)[i] = ((double *)from)[i] * 1e-3 + ((double *)inout)[i];
}

/* A collective in its three forms, with `n` elements of a block or a vector. */
enum form { BLOCKING, STARTED, MADE };
struct call {
    const char *name;
    void (*run)(enum form form, const double *from, double *to, int n, MPI_Datatype type, MPI_Op op,
                MPI_Request *request);
    int combines;
};

#define ROW(name, Name, Iname, take)                                                               \
    static void name(enum form form, const double *from, double *to, int n, MPI_Datatype type,     \
                     MPI_Op op, MPI_Request *request)                                              \
    {                                                                                              \
        static int counts[RANKS], places[RANKS];                                                   \
        for (int r = 0; r < ranks; r++)                                                            \
            places[r] = n * r, counts[r] = n;                                                      \
        (void)from, (void)op, (void)counts, (void)places;                                          \
        if (form == BLOCKING)                                                                      \
            MPI_##Name(take, world);                                                               \
        else if (form == STARTED)                                                                  \
            MPI_##Iname(take, world, request);                                                     \
        else                                                                                       \
            MPI_##Name##_init(take, world, MPI_INFO_NULL, request);                                \
    }
#define ARGUMENTS(...) __VA_ARGS__
ROW(all, Allreduce, Iallreduce, ARGUMENTS(from, to, n, type, op))
ROW(one, Reduce, Ireduce, ARGUMENTS(from, to, n, type, op, ranks - 1))
ROW(block, Reduce_scatter_block, Ireduce_scatter_block, ARGUMENTS(from, to, n, type, op))
ROW(scatter, Reduce_scatter, Ireduce_scatter, ARGUMENTS(from, to, counts, type, op))
ROW(scan, Scan, Iscan, ARGUMENTS(from, to, n, type, op))
ROW(exscan, Exscan, Iexscan, ARGUMENTS(from, to, n, type, op))
ROW(bcast, Bcast, Ibcast, ARGUMENTS(to, n, type, ranks / 2))
ROW(gather, Allgather, Iallgather, ARGUMENTS(from, n, type, to, n, type))
ROW(gatherv, Allgatherv, Iallgatherv, ARGUMENTS(from, n, type, to, counts, places, type))

static const struct call calls[] = {{"allreduce", all, 1},     {"reduce", one, 1},
                                    {"block", block, 1},       {"reduce_scatter", scatter, 1},
                                    {"scan", scan, 1},         {"exscan", exscan, 1},
                                    {"bcast", bcast, 0},       {"allgather", gather, 0},
                                    {"allgatherv", gatherv, 0}};
enum { CALLS = sizeof calls / sizeof *calls };

static const int counts[] = {1, 3, 130, MOST};

/* Each call, each size; datatypes and operators end when it has started. */
static void forms(void)
{
    for (int c = 0; c < CALLS; c++)
        for (int s = 0; s < 4; s++)
            for (int kind = 0; kind < 3; kind++) {
                MPI_Request request;
                MPI_Datatype type = MPI_DOUBLE;
                MPI_Op op = MPI_SUM;
                const int n = kind == 1 ? (counts[s] + 1) / 2 : counts[s];
                if (kind == 1) {
                    MPI_Type_contiguous(2, MPI_DOUBLE, &type);
                    MPI_Type_commit(&type);
                }
                if (kind && calls[c].combines)
                    MPI_Op_create(multiply, kind == 2, &op);
                if (kind == 1 && calls[c].combines) /* the operator is for single numbers */
                    MPI_Type_free(&type), type = MPI_DOUBLE;
                prepare(c + s);
                calls[c].run(BLOCKING, in, wanted, n, type, op, NULL);
                calls[c].run(STARTED, in, out, n, type, op, &request);
                if (type != MPI_DOUBLE)
                    MPI_Type_free(&type);
                if (op != MPI_SUM)
                    MPI_Op_free(&op);
                if (s % 2) {
                    MPI_Wait(&request, MPI_STATUS_IGNORE);
                } else {
                    for (int done = 0; !done;)
                        MPI_Test(&request, &done, MPI_STATUS_IGNORE);
                }
                check(request == MPI_REQUEST_NULL, "a handle stays", c);
                check(!memcmp(out, wanted, sizeof out), calls[c].name, counts[s] * 10 + kind);
            }
}

static void persistent(void)
{
    static double each[3][MOST * RANKS];
    int some = CALLS;
#ifndef OPEN_MPI /* MPI_Allgather_init of MPICH 4 sends what was there when it was made */
    while (!calls[some - 1].combines)
        some--;
#endif
    for (int c = 0; c < some; c++)
        for (int s = 0; s < 4; s++) {
            MPI_Request request;
            MPI_Op op = MPI_SUM;
            if (s == 2) /* the requests use it until they end */
                MPI_Op_create(multiply, 0, &op);
            calls[c].run(MADE, in, out, counts[s], MPI_DOUBLE, op, &request);
#ifdef OPEN_MPI /* MPICH 4 never returns from an inactive one */
            MPI_Wait(&request, MPI_STATUS_IGNORE);
#endif
            for (int turn = 0; turn < 3; turn++) {
                prepare(c + s + turn);
                calls[c].run(BLOCKING, in, wanted, counts[s], MPI_DOUBLE, op, NULL);
                memcpy(each[turn], wanted, sizeof wanted);
            }
            if (op != MPI_SUM)
                MPI_Op_free(&op);
            for (int turn = 0; turn < 3; turn++) {
                prepare(c + s + turn);
                MPI_Start(&request);
                MPI_Wait(&request, MPI_STATUS_IGNORE);
                check(request != MPI_REQUEST_NULL, "a persistent handle is gone", c);
                check(!memcmp(out, each[turn], sizeof out), calls[c].name, counts[s] * 10 + 7);
            }
            MPI_Request_free(&request);
            check(request == MPI_REQUEST_NULL, "a freed handle stays", c);
        }
}

/* Rank 1 completes its call before it sends what rank 0 waits for in another call. */
enum {
    BY_RECV,
    BY_SEND,
    BY_SSEND,
    BY_PROBE,
    BY_MPROBE,
    BY_EXCHANGE,
    BY_WAIT,
    BY_BARRIER, /* all ranks come to it, and to the next ones */
    BY_OTHER_BARRIER,
    BY_OTHER_GATHER,
    BY_NONE,
    BYS
};
static MPI_Comm other_world; /* of the same ranks */
static void meet(int by, int other, int first)
{
    MPI_Request request;
    MPI_Message message;
    static double big[1 << 16];
    const int n = by == BY_SEND ? 1 << 16 : 1; /* by rendezvous */
    if (by == BY_BARRIER) {
        MPI_Barrier(world);
    } else if (by == BY_OTHER_BARRIER) {
        MPI_Barrier(other_world);
    } else if (by == BY_OTHER_GATHER) {
        static double all[RANKS * 5000];
        MPI_Gather(in, 5000, MPI_DOUBLE, all, 5000, MPI_DOUBLE, 1, other_world);
    } else if (by == BY_NONE) { /* without elements it is the MPI's */
        MPI_Allreduce(in, wanted, 0, MPI_DOUBLE, MPI_SUM, world);
        MPI_Gather(in, 1, MPI_INT, wanted, 1, MPI_INT, 1, world);
        MPI_Scatter(in, 1, MPI_INT, wanted, 1, MPI_INT, 1, world);
    } else if (by == BY_SEND || by == BY_SSEND) {
        if (!first)
            MPI_Recv(big, n, MPI_DOUBLE, other, 5, world, MPI_STATUS_IGNORE);
        else
            (by == BY_SEND ? MPI_Send : MPI_Ssend)(big, n, MPI_DOUBLE, other, 5, world);
    } else if (by == BY_EXCHANGE) {
        MPI_Status status;
        MPI_Sendrecv(big, 1, MPI_DOUBLE, other, 5, big + 1, 9, MPI_DOUBLE, other, 5, world,
                     &status);
        check(status.MPI_SOURCE == other && status.MPI_TAG == 5, "a status", 0);
    } else if (!first) {
        MPI_Send(big, n, MPI_DOUBLE, other, 5, world);
    } else if (by == BY_MPROBE) {
        MPI_Mprobe(other, 5, world, &message, MPI_STATUS_IGNORE);
        MPI_Mrecv(big, n, MPI_DOUBLE, &message, MPI_STATUS_IGNORE);
    } else if (by == BY_WAIT) {
        MPI_Irecv(big, n, MPI_DOUBLE, other, 5, world, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    } else {
        if (by == BY_PROBE)
            MPI_Probe(other, 5, world, MPI_STATUS_IGNORE);
        MPI_Recv(big, n, MPI_DOUBLE, other, 5, world, MPI_STATUS_IGNORE);
    }
}

static void progress(void)
{
    MPI_Comm_dup(world, &other_world);
    for (int by = 0; by < 2 * BYS && ranks > 1; by++) {
        MPI_Request request;
        const int n = by % 2 ? MOST : 10, persists = by >= BYS;
        prepare(by);
        if (persists) {
            MPI_Allreduce_init(in, out, n, MPI_DOUBLE, MPI_SUM, world, MPI_INFO_NULL, &request);
            MPI_Start(&request);
        } else {
            MPI_Iallreduce(in, out, n, MPI_DOUBLE, MPI_SUM, world, &request);
        }
        if (rank == 0)
            meet(by % BYS, 1, 1);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        if (rank == 1 || (rank > 1 && by % BYS >= BY_BARRIER))
            meet(by % BYS, 0, 0);
        if (persists)
            MPI_Request_free(&request);
        MPI_Allreduce(in, wanted, n, MPI_DOUBLE, MPI_SUM, world);
        check(!memcmp(out, wanted, (size_t)n * sizeof *out), "progress", by);
    }
    MPI_Comm_free(&other_world);
}

/* No rank waits for another in a start, on a communicator that was never used. */
static void starts(void)
{
    MPI_Comm own, before = world, grid;
    const int none = 0;
    MPI_Comm_dup(world, &own);
    MPI_Cart_create(world, 1, &ranks, &none, 0, &grid);
    MPI_Comm comms[] = {own, grid};
    for (int i = 0; i < 2; i++) {
        MPI_Request request;
        world = comms[i];
        prepare(i);
        if (rank == 1)
            MPI_Recv(wanted, 1, MPI_DOUBLE, 0, 9, world, MPI_STATUS_IGNORE);
        MPI_Iallreduce(in, out, 100, MPI_DOUBLE, MPI_SUM, world, &request);
        if (rank == 0 && ranks > 1)
            MPI_Ssend(in, 1, MPI_DOUBLE, 1, 9, world);
        MPI_Comm_free(&comms[i]);
        world = before;
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        MPI_Allreduce(in, wanted, 100, MPI_DOUBLE, MPI_SUM, world);
        check(!memcmp(out, wanted, 100 * sizeof *out), "a new communicator", i);
    }
}

/* The program forgets them; the memory stays. */
static void freed(void)
{
    MPI_Request request;
    if (ranks == 1) /* Open MPI does not free what is complete */
        return;
    static double w[3][1000];
    fill(in, 1000, 5);
    MPI_Iallreduce(in, w[0], 1000, MPI_DOUBLE, MPI_SUM, world, &request);
    MPI_Request_free(&request);
    MPI_Allreduce_init(in, w[1], 1000, MPI_DOUBLE, MPI_SUM, world, MPI_INFO_NULL, &request);
    MPI_Start(&request);
    MPI_Request_free(&request);
    MPI_Iallreduce(in, w[2], 1000, MPI_DOUBLE, MPI_SUM, world, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Iallreduce(in, out, 1000, MPI_DOUBLE, MPI_SUM, world, &request);
    MPI_Request_free(&request);
}

/* Persistent requests start and complete in another order on each rank, beside a barrier. */
static void orders(void)
{
    enum { REQUESTS = 5, LENGTH = 300 };
    static double x[REQUESTS][LENGTH], y[REQUESTS][LENGTH];
    MPI_Request requests[REQUESTS], barrier;
    for (int i = 0; i < REQUESTS; i++) {
        fill(x[i], LENGTH, i);
        MPI_Allreduce_init(x[i], y[i], LENGTH, MPI_DOUBLE, MPI_SUM, world, MPI_INFO_NULL,
                           &requests[i]);
    }
    for (int turn = 0; turn < 2; turn++) {
        memset(y, 0, sizeof y);
        for (int i = 0; i < REQUESTS; i++) {
            if (i == 1)
                MPI_Ibarrier(world, &barrier);
            MPI_Start(&requests[(i + rank) % REQUESTS]);
        }
        MPI_Wait(&barrier, MPI_STATUS_IGNORE);
        for (int i = 0; i < REQUESTS; i++)
            MPI_Wait(&requests[(i + 2 * rank) % REQUESTS], MPI_STATUS_IGNORE);
        for (int i = 0; i < REQUESTS; i++) {
            MPI_Allreduce(x[i], wanted, LENGTH, MPI_DOUBLE, MPI_SUM, world);
            check(!memcmp(y[i], wanted, sizeof y[i]), "an order", i);
        }
    }
    for (int i = 0; i < REQUESTS; i++)
        MPI_Request_free(&requests[i]);
}

/* So many at once as no table of ours foresees. */
static void crowd(void)
{
    enum { CROWD = 5000 };
    static MPI_Request requests[CROWD];
    static double x[CROWD], y[CROWD];
    fill(x, CROWD, 9);
    for (int i = 0; i < CROWD; i++)
        MPI_Iallreduce(&x[i], &y[i], 1, MPI_DOUBLE, MPI_SUM, world, &requests[i]);
    MPI_Allreduce(x, wanted, CROWD, MPI_DOUBLE, MPI_SUM, world);
    MPI_Waitall(CROWD, requests, MPI_STATUSES_IGNORE);
    check(!memcmp(y, wanted, sizeof y), "a crowd", 0);
}

/* Parts of one buffer, which MPI forbids and Open MPI allows; and MPI_IN_PLACE. */
static void one_buffer(void)
{
    enum { LENGTH = 500 };
    static double parts[2 * LENGTH];
    for (int place = 0; place < 2; place++)
        for (int c = 0; c < CALLS && calls[c].combines; c++) {
            MPI_Request request;
            const int n =
                calls[c].run == block || calls[c].run == scatter ? LENGTH / ranks : LENGTH;
            const void *from =
                place && (calls[c].run != one || rank == ranks - 1) ? MPI_IN_PLACE : parts;
            double *to = place ? parts : parts + 1;
#ifndef OPEN_MPI
            if (!place)
                continue;
#endif
            fill(in, 2 * LENGTH, c);
            memcpy(parts, in, sizeof parts);
            memcpy(wanted, in + !place, LENGTH * sizeof *in);
            calls[c].run(BLOCKING, in, wanted, n, MPI_DOUBLE, MPI_SUM, NULL);
            calls[c].run(STARTED, from, to, n, MPI_DOUBLE, MPI_SUM, &request);
            MPI_Wait(&request, MPI_STATUS_IGNORE);
            check(!memcmp(to, wanted, (size_t)n * sizeof *to), calls[c].name, place);
        }
}

/* Zeros, infinities and NaNs, elements with gaps, and a result that is read before it is waited
 * for. */
static void kinds(void)
{
    static const double odd[] = {0, -0.0, 1e308, -1e308, 5e-324, INFINITY, -INFINITY, NAN};
    const int count = sizeof odd / sizeof *odd;
    struct pair {
        double value;
        int place;
    } x[64], y[64], z[64];
    MPI_Request request;
    memset(y, 0, sizeof y), memset(z, 0, sizeof z), memset(x, 0, sizeof x);
    for (int i = 0; i < count * count; i++) {
        in[i] = odd[rank % 2 ? i / count : i % count];
        x[i].value = in[i], x[i].place = i + rank;
    }
    for (int max = 0; max < 2; max++) {
        const MPI_Op op = max ? MPI_MAX : MPI_SUM;
        MPI_Allreduce(in, wanted, count * count, MPI_DOUBLE, op, world);
        MPI_Iallreduce(in, out, count * count, MPI_DOUBLE, op, world, &request);
        for (int done = 0; !done;)
            MPI_Request_get_status(request, &done, MPI_STATUS_IGNORE);
        check(!memcmp(out, wanted, (size_t)(count * count) * sizeof *out), "odd numbers", max);
        in[0] = 77; /* the result does not change again */
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        check(!memcmp(out, wanted, (size_t)(count * count) * sizeof *out), "odd numbers", max + 2);
        in[0] = odd[0];
    }
    MPI_Allreduce(x, z, count * count, MPI_DOUBLE_INT, MPI_MAXLOC, world);
    MPI_Iallreduce(x, y, count * count, MPI_DOUBLE_INT, MPI_MAXLOC, world, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    for (int i = 0; i < count * count; i++)
        check(!memcmp(&y[i].value, &z[i].value, sizeof y[i].value) && y[i].place == z[i].place,
              "pairs", i);
}

static void one_element(void)
{
    MPI_Request request;
    prepare(0);
    MPI_Iallreduce(in, out, 1, MPI_DOUBLE, MPI_SUM, world, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void cancel(void)
{
    MPI_Request request;
    if (ranks == 1) /* nothing to serve */
        return;
    MPI_Iallreduce(in, out, 10, MPI_DOUBLE, MPI_SUM, world, &request);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    check(MPI_Cancel(&request) != MPI_SUCCESS, "a collective was cancelled", 0);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

int main(int argc, char **argv)
{
    static const struct row rows[] = {{"forms", forms},       {"persistent", persistent},
                                      {"progress", progress}, {"starts", starts},
                                      {"freed", freed},       {"orders", orders},
                                      {"crowd", crowd},       {"one_buffer", one_buffer},
                                      {"kinds", kinds},       {"one_element", one_element},
                                      {"cancel", cancel}};
    return run_rows(argc, argv, MPI_THREAD_SINGLE, rows, sizeof rows / sizeof *rows);
}
