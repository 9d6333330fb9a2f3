/* SPDX-License-Identifier: BSD-3-Clause */
/* Compares Summand's plan of an all-reduce with MPI_Allreduce_init of the MPI, or of a library in
 * front of it.
 *
 *     mpiexec -np 2 bench-persistent [ROUNDS [KEY VALUE...]]
 *
 * MPI 4 has MPI_Allreduce_init. So do libraries that compile schedules for shared memory, such as
 * ext_mpi_collectives (Jocksch et al., IJHPCA 2025). Configure the build with such a library by
 * -DSUMMAND_PERSISTENT=FILE; only this program is linked with it. Its plans may have settings: each
 * VALUE gives plans made with the MPI_Info (KEY, VALUE), which get their own column.
 *
 * In each round, in shuffled order: a barrier, then consecutive all-reduces of doubles for about 50
 * us. The slowest rank counts. Times are medians in microseconds per call. "times as fast" compares
 * Summand's plan with the best of the others at that size, as the median of the ratios within a
 * round. */
#include <math.h>
#include <mpi.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <summand/reduce.h>

#include "bench/measure.h"
#include "bench/need.h"

/* If mpi.h is older than MPI 4. */
int MPI_Allreduce_init(const void *sendbuf, void *recvbuf, int count, MPI_Datatype type, MPI_Op op,
                       MPI_Comm comm, MPI_Info info, MPI_Request *request);

enum { LARGEST = 8 << 20, MOST_CALLS = 200, MOST_SUBJECTS = 16 };

/* The first two are Summand's and the MPI's; the others are plans, one for each setting. */
enum { PLAN, CALL, PLANS };

struct bench {
    int rank, ranks, rounds, subjects;
    const char *key, *const *values; /* of the settings; NULL: none */
    double *sendbuf, *recvbuf;
    summand_plan *plan;
    MPI_Request requests[MOST_SUBJECTS];
};

static void run(struct bench *b, int subject, int count)
{
    if (subject == PLAN) {
        summand_plan_start(b->plan);
        summand_plan_wait(b->plan);
    } else if (subject == CALL) {
        MPI_Allreduce(b->sendbuf, b->recvbuf, count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    } else {
        MPI_Start(&b->requests[subject]);
        MPI_Wait(&b->requests[subject], MPI_STATUS_IGNORE);
    }
}

static double time_of(struct bench *b, int subject, int count, int calls)
{
    double slowest, mine;
    MPI_Barrier(MPI_COMM_WORLD);
    mine = MPI_Wtime();
    for (int i = 0; i < calls; i++)
        run(b, subject, count);
    mine = (MPI_Wtime() - mine) / calls;
    MPI_Allreduce(&mine, &slowest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return slowest;
}

static void check(const struct bench *b, int subject, int count)
{
    for (int i = 0; i < count; i++) {
        double right = b->ranks * (double)(i % 1000) + b->ranks * (b->ranks - 1) / 2.0;
        if (b->recvbuf[i] != right) {
            fprintf(stderr, "bench-persistent: column %d, element %d of %d is %g, not %g\n",
                    subject, i, count, b->recvbuf[i], right);
            MPI_Abort(MPI_COMM_WORLD, 1);
        }
    }
}

static void make(struct bench *b, int count)
{
    summand_allreduce_init(b->sendbuf, b->recvbuf, count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, NULL,
                           &b->plan);
    for (int s = PLANS; s < b->subjects; s++) {
        MPI_Info info = MPI_INFO_NULL;
        if (b->values) {
            MPI_Info_create(&info);
            MPI_Info_set(info, b->key, b->values[s - PLANS]);
        }
        MPI_Allreduce_init(b->sendbuf, b->recvbuf, count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, info,
                           &b->requests[s]);
        if (b->values)
            MPI_Info_free(&info);
    }
}

static void end(struct bench *b)
{
    summand_plan_free(&b->plan);
    for (int s = PLANS; s < b->subjects; s++)
        MPI_Request_free(&b->requests[s]);
}

static void show(const struct bench *b, size_t bytes, const double *seconds)
{
    int best = CALL;
    double least = INFINITY;
    if (b->rank)
        return;
    printf("%9zu", bytes);
    for (int s = 0; s < b->subjects; s++) {
        double median = measure_median(seconds + s * b->rounds, b->rounds).median;
        printf(" %10.2f", 1e6 * median);
        if (s != PLAN && median < least) {
            best = s;
            least = median;
        }
    }
    struct measure_interval fast = measure_ratio(seconds + best * b->rounds, seconds, b->rounds);
    printf("   %5.2f [%5.2f, %5.2f]  column %d\n", fast.median, fast.low, fast.high, best);
}

static void measure(struct bench *b, size_t bytes, double *seconds)
{
    int count = (int)(bytes / sizeof(double)), calls;
    unsigned state = 1;
    make(b, count);
    for (int s = 0; s < b->subjects; s++) {
        memset(b->recvbuf, 0, bytes);
        run(b, s, count);
        check(b, s, count);
    }
    for (int i = 0; i < 1000 && bytes <= 65536; i++) /* queues grow, and are touched */
        run(b, PLAN, count);
    double once = time_of(b, PLAN, count, bytes > 65536 ? 1 : MOST_CALLS);
    calls = once > 25e-6 ? 1 : once * MOST_CALLS < 50e-6 ? MOST_CALLS : (int)(50e-6 / once);
    for (int round = 0; round < b->rounds; round++) {
        state = state * 1664525 + 1013904223; /* the same on all ranks */
        for (int i = 0; i < b->subjects; i++) {
            int s = (int)((state >> 16) + (unsigned)i) % b->subjects;
            seconds[s * b->rounds + round] = time_of(b, s, count, calls);
        }
    }
    show(b, bytes, seconds);
    end(b);
}

int main(int argc, char **argv)
{
    struct bench b = {.rounds = argc > 1 ? atoi(argv[1]) : 200,
                      .subjects = PLANS + (argc > 3 ? argc - 3 : 1)};
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &b.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &b.ranks);
    if (b.rounds < 1 || argc == 3 || b.subjects > MOST_SUBJECTS) {
        fprintf(stderr, "usage: bench-persistent [ROUNDS [KEY VALUE...]], at most %d values\n",
                MOST_SUBJECTS - PLANS);
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    if (argc > 3) {
        b.key = argv[2];
        b.values = (const char *const *)argv + 3;
    }
    b.sendbuf = need(malloc(LARGEST));
    b.recvbuf = need(malloc(LARGEST));
    double *seconds = need(calloc((size_t)b.subjects * (size_t)b.rounds, sizeof *seconds));
    for (int i = 0; i < LARGEST / (int)sizeof(double); i++)
        b.sendbuf[i] = i % 1000 + b.rank;
    if (b.rank == 0) {
        printf("# %d ranks; columns: 0 a plan of Summand, 1 MPI_Allreduce", b.ranks);
        for (int s = PLANS; s < b.subjects; s++)
            printf(", %d MPI_Allreduce_init%s%s", s, b.values ? " " : "",
                   b.values ? b.values[s - PLANS] : "");
        printf("\n#   bytes");
        for (int s = 0; s < b.subjects; s++)
            printf(" %7d us", s);
        printf("   times as fast as the best other\n");
    }
    for (size_t bytes = 8; bytes <= LARGEST; bytes *= 4)
        measure(&b, bytes, seconds);
    free(seconds);
    free(b.sendbuf);
    free(b.recvbuf);
    return MPI_Finalize();
}
