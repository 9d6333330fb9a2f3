/* SPDX-License-Identifier: BSD-3-Clause */
/* Exact sums of vectors beside MPI_Allreduce and the plain call, which take turns: medians over the
 * rounds, and the exact call's ratio by rounds, with quartiles. On two ranks also by the spread of
 * the exponents.
 *     mpirun -np 2 bench-exact-vectors [ROUNDS] */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <summand/reduce.h>

enum { WAYS = 4, MPI = 0, PLAIN, CANONICAL, EXACT, MOST_ROUNDS = 999, SIZES = 11, SPREADS = 8 };

static int rank, ranks, rounds;

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Terms of both signs whose magnitudes differ by up to 2^spread. */
static void fill(double *x, int n, int spread)
{
    for (int i = 0; i < n; i++)
        x[i] = ldexp(0.5 + (double)rand() / RAND_MAX / 2.001, rand() % (spread + 1)) *
               (rand() % 2 ? 1 : -1);
}

static void call(int way, const double *x, double *y, int n)
{
    static const enum summand_promise promise[WAYS] = {
        [CANONICAL] = SUMMAND_PROMISE_CANONICAL, [EXACT] = SUMMAND_PROMISE_EXACT};
    const summand_options options = {.promise = promise[way]};
    if (way == MPI)
        MPI_Allreduce(x, y, n, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    else
        summand_allreduce(x, y, n, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &options);
}

static double time_of(int way, const double *x, double *y, int n)
{
    const int calls = n < 1024 ? 300 : n < 32768 ? 50 : n < 200000 ? 10 : 2;
    MPI_Barrier(MPI_COMM_WORLD);
    const double begin = MPI_Wtime();
    for (int i = 0; i < calls; i++)
        call(way, x, y, n);
    return (MPI_Wtime() - begin) / calls;
}

static void measure(int n, int spread, const char *label)
{
    static double time[WAYS][MOST_ROUNDS], ratio[MOST_ROUNDS];
    double *x = malloc((size_t)n * sizeof *x), *y = malloc((size_t)n * sizeof *y);
    if (!x || !y)
        MPI_Abort(MPI_COMM_WORLD, 1);
    fill(x, n, spread);
    for (int way = 0; way < WAYS; way++)
        time_of(way, x, y, n);
    for (int round = 0; round < rounds; round++) {
        for (int way = 0; way < WAYS; way++)
            time[way][round] = time_of(way, x, y, n);
        ratio[round] = time[EXACT][round] / time[MPI][round];
    }
    for (int way = 0; way < WAYS; way++)
        qsort(time[way], (size_t)rounds, sizeof(double), by_value);
    qsort(ratio, (size_t)rounds, sizeof(double), by_value);
    const int half = rounds / 2;
    if (!rank)
        printf("%10s %10.2f %6.2f %9.2f %6.2f [%.2f, %.2f] %10.2f\n", label, time[MPI][half] * 1e6,
               time[PLAIN][half] / time[MPI][half], time[CANONICAL][half] / time[MPI][half],
               ratio[half], ratio[rounds / 4], ratio[rounds * 3 / 4], time[EXACT][half] * 1e9 / n);
    free(x);
    free(y);
}

int main(int argc, char **argv)
{
    static const int sizes[SIZES] = {1,    8,     64,    256,    1024,   4096,
                                     8192, 16384, 32768, 131072, 1048576},
                     spreads[SPREADS] = {0, 20, 40, 60, 100, 200, 500, 1000};
    char label[32];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    rounds = argc > 1 ? atoi(argv[1]) : 31;
    rounds = rounds < 1 ? 1 : rounds > MOST_ROUNDS ? MOST_ROUNDS : rounds;
    srand((unsigned)rank + 1);
    if (!rank)
        printf("all-reduce of doubles on %d ranks, %d rounds; times of MPI_Allreduce\n%10s %10s "
               "%6s %9s %6s %12s %10s\n",
               ranks, rounds, "doubles", "MPI, us", "plain", "canonical", "exact", "[quartiles]",
               "exact ns/1");
    for (int s = 0; s < SIZES; s++) {
        snprintf(label, sizeof label, "%d", sizes[s]);
        measure(sizes[s], 11, label);
    }
    for (int s = 0; s < SPREADS && ranks == 2; s++) {
        snprintf(label, sizeof label, "2^%d", spreads[s]);
        measure(30000 + 256 * s, spreads[s], label); /* another shape: no formats are remembered */
    }
    MPI_Finalize();
    return 0;
}
