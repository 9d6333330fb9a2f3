/* SPDX-License-Identifier: BSD-3-Clause */
/* Exact sums of vectors beside other calls, which take turns: medians over the rounds, and the
 * exact call's ratio by rounds, with quartiles.
 *     mpirun -np 2 bench-exact-vectors [ROUNDS [TABLE [CALLS]]]
 * TABLE: doubles (beside MPI_Allreduce), spread (the same, by the spread of the exponents), plain
 * (beside our plain call), halves (beside the plain call for as many floats), sums (beside
 * summand_sums of as many terms). CALLS: per round; fewer in a simulation. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <summand.h>

enum { MOST_WAYS = 4, MOST_ROUNDS = 999 };

/* What is timed; ratios are those to the first. */
enum way { MPI, PLAIN, CANONICAL, EXACT, FLOATS, FLOAT16, BFLOAT16, SUMS };
static const char *const way_names[] = {"MPI",    "plain",   "canonical", "exact",
                                        "floats", "float16", "bfloat16",  "sums"};

static int rank, ranks, rounds, given_calls;
static MPI_Datatype float16, bfloat16;
static summand_term *terms; /* one per element */

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

/* Halves are bits of numbers between 1 and 2, or 1/2 and 2. */
static void fill_halves(void *x, int n, enum way way)
{
    uint16_t *half = x;
    for (int i = 0; i < n; i++)
        half[i] = way == FLOAT16 ? (uint16_t)(0x3c00 + rand() % 0x400)
                                 : (uint16_t)(0x3f00 + rand() % 0x80);
}

static void fill_for(enum way way, void *x, int n, int spread)
{
    if (way == FLOAT16 || way == BFLOAT16)
        fill_halves(x, n, way);
    else if (way == FLOATS)
        for (int i = 0; i < n; i++)
            ((float *)x)[i] = (float)rand() / (float)RAND_MAX;
    else
        fill(x, n, spread);
}

static void call(enum way way, const void *x, void *y, int n)
{
    const summand_options exact = {.promise = SUMMAND_PROMISE_EXACT},
                          canonical = {.promise = SUMMAND_PROMISE_CANONICAL};
    const MPI_Comm comm = MPI_COMM_WORLD;
    switch (way) {
    case MPI:
        MPI_Allreduce(x, y, n, MPI_DOUBLE, MPI_SUM, comm);
        break;
    case PLAIN:
        summand_allreduce(x, y, n, MPI_DOUBLE, MPI_SUM, comm, NULL);
        break;
    case CANONICAL:
        summand_allreduce(x, y, n, MPI_DOUBLE, MPI_SUM, comm, &canonical);
        break;
    case EXACT:
        summand_allreduce(x, y, n, MPI_DOUBLE, MPI_SUM, comm, &exact);
        break;
    case FLOATS:
        summand_allreduce(x, y, n, MPI_FLOAT, MPI_SUM, comm, NULL);
        break;
    case FLOAT16:
        summand_allreduce(x, y, n, float16, MPI_SUM, comm, &exact);
        break;
    case BFLOAT16:
        summand_allreduce(x, y, n, bfloat16, MPI_SUM, comm, &exact);
        break;
    case SUMS:
        for (int i = 0; i < n; i++)
            terms[i].x = (const double *)x + i;
        summand_sums(n, terms, y, MPI_DOUBLE, SUMMAND_ROOT_ALL, comm, NULL);
    }
}

static double time_of(enum way way, const void *x, void *y, int n)
{
    const int by_size = n < 1024 ? 300 : n < 32768 ? 50 : n < 200000 ? 10 : 2;
    const int calls = given_calls ? given_calls : by_size;
    MPI_Barrier(MPI_COMM_WORLD);
    const double begin = MPI_Wtime();
    for (int i = 0; i < calls; i++)
        call(way, x, y, n);
    return (MPI_Wtime() - begin) / calls;
}

static void sort(double *x)
{
    qsort(x, (size_t)rounds, sizeof *x, by_value);
}

/* A row of a table: the time of the first way, and the others over it. */
static void measure(int n, int spread, const enum way *ways, int count)
{
    static double time[MOST_WAYS][MOST_ROUNDS];
    void *x[MOST_WAYS], *y = malloc((size_t)n * sizeof(double));
    terms = calloc((size_t)n, sizeof *terms);
    for (int w = 0; w < count; w++) {
        x[w] = malloc((size_t)n * sizeof(double));
        if (!x[w] || !y || !terms)
            MPI_Abort(MPI_COMM_WORLD, 1);
        fill_for(ways[w], x[w], n, spread);
    }
    for (int i = 0; i < n; i++)
        terms[i] = (summand_term){
            .kind = SUMMAND_KIND_SUM, .count = 1, .displacement = SUMMAND_DISPLACEMENT_APPEND};
    for (int w = 0; w < count; w++)
        time_of(ways[w], x[w], y, n);
    for (int round = 0; round < rounds; round++)
        for (int w = 0; w < count; w++)
            time[w][round] = time_of(ways[w], x[w], y, n);
    for (int w = count - 1; w > 0; w--) {
        for (int round = 0; round < rounds; round++)
            time[w][round] /= time[0][round];
        sort(time[w]);
    }
    sort(time[0]);
    if (!rank)
        printf("%10d %6d %12.2f", n, spread, time[0][rounds / 2] * 1e6);
    for (int w = 1; w < count && !rank; w++)
        printf("  %9.2f [%.2f, %.2f]", time[w][rounds / 2], time[w][rounds / 4],
               time[w][rounds * 3 / 4]);
    if (!rank)
        printf("\n");
    for (int w = 0; w < count; w++)
        free(x[w]);
    free(y);
    free(terms);
}

struct table {
    const char *name;
    int ways;
    enum way way[MOST_WAYS];
    int rows;
    int n[12], spread[12]; /* spread: of exponents, in bits */
};

static const struct table tables[] = {
    {"doubles",
     4,
     {MPI, PLAIN, CANONICAL, EXACT},
     11,
     {1, 8, 64, 256, 1024, 4096, 8192, 16384, 32768, 131072, 1048576},
     {11, 11, 11, 11, 11, 11, 11, 11, 11, 11, 11}},
    /* Another shape in each row: no formats are remembered. */
    {"spread",
     2,
     {MPI, EXACT},
     8,
     {30000, 30256, 30512, 30768, 31024, 31280, 31536, 31792},
     {0, 20, 40, 60, 100, 200, 500, 1000}},
    {"plain", 2, {PLAIN, EXACT}, 4, {1024, 8192, 32768, 131072}, {11, 11, 11, 11}},
    {"halves", 3, {FLOATS, FLOAT16, BFLOAT16}, 5, {64, 1024, 32768, 131072, 1048576}, {0}},
    {"sums", 2, {SUMS, EXACT}, 5, {1, 8, 64, 256, 1024}, {11, 11, 11, 11, 11}}};

static void show(const struct table *table)
{
    if (!rank) {
        printf("%s: all-reduce on %d ranks, %d rounds; over %s, with quartiles\n%10s %6s %8s, us",
               table->name, ranks, rounds, way_names[table->way[0]], "elements", "spread",
               way_names[table->way[0]]);
        for (int w = 1; w < table->ways; w++)
            printf("  %9s             ", way_names[table->way[w]]);
        printf("\n");
    }
    for (int r = 0; r < table->rows; r++)
        measure(table->n[r], table->spread[r], table->way, table->ways);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    summand_float16_datatype(&float16);
    summand_bfloat16_datatype(&bfloat16);
    rounds = argc > 1 ? atoi(argv[1]) : 31;
    rounds = rounds < 1 ? 1 : rounds > MOST_ROUNDS ? MOST_ROUNDS : rounds;
    given_calls = argc > 3 ? atoi(argv[3]) : 0;
    srand((unsigned)rank + 1);
    for (size_t t = 0; t < sizeof tables / sizeof *tables; t++)
        if (argc < 3 || !strcmp(argv[2], tables[t].name))
            show(&tables[t]);
    MPI_Finalize();
    return 0;
}
