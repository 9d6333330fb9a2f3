/* SPDX-License-Identifier: BSD-3-Clause */
/* How far a whole sum of outer products is from what the memory allows: each rank writes the N x N
 * doubles of G with nothing but non-temporal stores, by memset, and by calls of Summand and the MPI
 * that make G, in turn, a pair of each rank. An example too: the public headers are all it needs.
 *     mpirun -n 2 bench-outer-limit [N [ROUNDS]]
 * Times are those of the slowest rank after a barrier: medians, and medians of the ratio to the
 * stores of the same round. G's pages are there before. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <summand/outer.h>
#if defined __SSE2__
#include <emmintrin.h>
#endif

enum { STORES, MEMSET, CHOSEN, HYBRID, RABENSEIFNER, ALLREDUCE, WAYS };

static const char *const names[] = {"non-temporal stores", "memset",
                                    "summand_outer",       "outer-hybrid",
                                    "outer-rabenseifner",  "MPI_Allreduce"};

struct work {
    size_t n;
    double *a, *b, *g, *own; /* own: the rank's product */
    summand_plan *plan[WAYS];
};

static void *allocated(size_t count)
{
    double *memory = aligned_alloc(64, (count * sizeof(double) + 63) / 64 * 64);
    if (!memory)
        MPI_Abort(MPI_COMM_WORLD, 1);
    for (size_t i = 0; i < count; i++)
        memory[i] = (double)(i % 7);
    return memory;
}

static void store(double *g, size_t count)
{
#if defined __SSE2__
    const __m128d one = _mm_set1_pd(1);
    for (size_t i = 0; i + 1 < count; i += 2)
        _mm_stream_pd(g + i, one);
    _mm_sfence();
#else
    memset(g, 1, count * sizeof *g);
#endif
}

static void run(struct work *work, int way)
{
    const size_t n = work->n;
    if (way == STORES) {
        store(work->g, n * n);
    } else if (way == MEMSET) {
        memset(work->g, 0, n * n * sizeof *work->g);
    } else if (way < ALLREDUCE) {
        summand_plan_start(work->plan[way]);
        summand_plan_wait(work->plan[way]);
    } else {
        for (size_t i = 0; i < n; i++)
            for (size_t j = 0; j < n; j++)
                work->own[i * n + j] = work->a[i] * work->b[j];
        MPI_Allreduce(work->own, work->g, (int)(n * n), MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    }
}

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *values, int count)
{
    qsort(values, (size_t)count, sizeof *values, compare);
    return values[count / 2];
}

static void make_plans(struct work *work)
{
    const summand_outer_matrix matrix = {.rows = (MPI_Count)work->n,
                                         .columns = (MPI_Count)work->n,
                                         .a = work->a,
                                         .b = work->b,
                                         .g = work->g};
    for (int way = CHOSEN; way < ALLREDUCE; way++) {
        summand_outer_options options = summand_outer_options_default();
        options.algorithm = way == CHOSEN ? NULL : names[way];
        if (summand_outer_init(1, 1, 1, &matrix, 0, MPI_DOUBLE, SUMMAND_ROOT_ALL, MPI_COMM_WORLD,
                               &options, &work->plan[way]) != MPI_SUCCESS)
            MPI_Abort(MPI_COMM_WORLD, 1);
    }
}

static void report(double *const seconds[], double *const ratio[], const struct work *work,
                   int rounds)
{
    summand_options chosen = {.algorithm = ""};
    summand_plan_describe(work->plan[CHOSEN], &chosen, NULL);
    printf("%-20s %10s %8s\n", "", "ms", "x stores");
    for (int way = 0; way < WAYS; way++)
        printf("%-20s %10.2f %8.2f%s%s\n", names[way], 1e3 * median(seconds[way], rounds),
               median(ratio[way], rounds), way == CHOSEN ? "  by " : "",
               way == CHOSEN ? chosen.algorithm : "");
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    struct work work = {.n = argc > 1 ? (size_t)atoi(argv[1]) : 4000};
    const int rounds = argc > 2 ? atoi(argv[2]) : 25;
    double *seconds[WAYS], *ratio[WAYS];
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    work.a = allocated(work.n);
    work.b = allocated(work.n);
    work.g = allocated(work.n * work.n);
    work.own = allocated(work.n * work.n);
    for (int way = 0; way < WAYS; way++) {
        seconds[way] = allocated((size_t)rounds);
        ratio[way] = allocated((size_t)rounds);
    }
    make_plans(&work);
    for (int round = -1; round < rounds; round++)
        for (int way = 0; way < WAYS; way++) {
            MPI_Barrier(MPI_COMM_WORLD);
            double own = -MPI_Wtime(), longest;
            run(&work, way);
            own += MPI_Wtime();
            MPI_Allreduce(&own, &longest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
            if (round < 0)
                continue;
            seconds[way][round] = longest;
            ratio[way][round] = longest / seconds[STORES][round];
        }
    if (!rank)
        report(seconds, ratio, &work, rounds);
    for (int way = CHOSEN; way < ALLREDUCE; way++)
        summand_plan_free(&work.plan[way]);
    MPI_Finalize();
    return 0;
}
