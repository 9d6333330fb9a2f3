/* SPDX-License-Identifier: BSD-3-Clause */
/* A step of data-parallel training of one layer, three ways side by side.
 *
 *     mpiexec -n 2 bench-training-step [STEPS] [layers]
 *
 * A layer's weights W are N x M, the same on all ranks. Each rank has a batch of K samples: for
 * each the error at the layer's output, a row of A (N), and the layer's input, a row of B (M). The
 * gradient is G = sum over all samples of a b^T, and a step is
 *
 *     W = (1 - decay) W - rate / samples G
 *
 * all-reduce  as training codes do: each rank makes its own G, MPI_Allreduce adds these up, and a
 *             pass over W applies the sum
 * call        summand_outer: one call does all of it; the library chooses how
 * factored    summand_outer gathers the factors of all ranks, and their product updates W; no rank
 *             stores G
 *
 * All memory is allocated before. The same kernel makes the local products of all three (a
 * summand_outer on MPI_COMM_SELF), of floats. In every step each way has its turn, and the slowest
 * rank's time counts. "times as fast" is the median of the ratios within a step; above 1 is better.
 * MB is the data that a rank receives. At the end the three must have the same weights, except for
 * rounding.
 *
 * layers: 64 gradients of 256 x 256 instead, in one call of summand_outer and in 64. */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <summand.h>

enum { WAYS = 3, MOST_STEPS = 1000 };

static const double rate = 0.01, decay = 1e-4;
static const char *const names[WAYS] = {"all-reduce", "call", "factored"};
static int rank, ranks;

struct layer {
    MPI_Count n, m, k;    /* W is n x m; k samples of each rank */
    float *a, *b;         /* k rows of n; of m */
    float *w[WAYS];       /* the weights, of each way */
    float *gradient;      /* of all-reduce */
    float *factors;       /* of factored: rows of n + m, of all samples of all ranks */
    summand_plan *update; /* of call */
    summand_plan *gather, *product, *local; /* of factored, and of all-reduce */
};

static void check(int code, const char *what)
{
    if (code == MPI_SUCCESS)
        return;
    fprintf(stderr, "bench-training-step: %s failed on rank %d\n", what, rank);
    MPI_Abort(MPI_COMM_WORLD, 1);
}

static float *floats(MPI_Count count, unsigned seed)
{
    float *x = malloc(((size_t)count + 1) * sizeof *x);
    if (!x)
        check(MPI_ERR_NO_MEM, "malloc");
    for (MPI_Count i = 0; i < count; i++) {
        seed = seed * 1664525u + 1013904223u;
        x[i] = (float)(seed >> 8) * 0x1p-23f - 1;
    }
    return x;
}

static double alpha_of(const struct layer *l)
{
    return -rate / (double)(l->k * ranks);
}

static void make(struct layer *l)
{
    summand_outer_options step = {.replicated = 1}, gather = {.result = SUMMAND_OUTER_FACTORS};
    l->a = floats(l->k * l->n, 1 + 2 * (unsigned)rank);
    l->b = floats(l->k * l->m, 2 + 2 * (unsigned)rank);
    for (int i = 0; i < WAYS; i++)
        l->w[i] = floats(l->n * l->m, 12345);
    l->gradient = floats(l->n * l->m, 0);
    l->factors = floats(l->k * ranks * (l->n + l->m), 0);
    summand_outer_matrix own = {.rows = l->n, .columns = l->m, .a = l->a, .b = l->b};

    own.g = l->gradient;
    check(summand_outer_init(l->k, 1, 1, &own, 0, MPI_FLOAT, SUMMAND_ROOT_ALL, MPI_COMM_SELF, NULL,
                             &l->local),
          "local product");
    own.g = l->w[1];
    check(summand_outer_init(l->k, 1, alpha_of(l), &own, 1 - decay, MPI_FLOAT, SUMMAND_ROOT_ALL,
                             MPI_COMM_WORLD, &step, &l->update),
          "summand_outer_init");
    gather.room = l->k * ranks;
    own.g = l->factors;
    check(summand_outer_init(l->k, 1, 1, &own, 0, MPI_FLOAT, SUMMAND_ROOT_ALL, MPI_COMM_WORLD,
                             &gather, &l->gather),
          "gather");
    summand_outer_matrix all = {.rows = l->n,
                                .columns = l->m,
                                .a = l->factors,
                                .lead_a = l->n + l->m,
                                .b = l->factors + l->n,
                                .lead_b = l->n + l->m,
                                .g = l->w[2]};
    check(summand_outer_init(l->k * ranks, 1, alpha_of(l), &all, 1 - decay, MPI_FLOAT,
                             SUMMAND_ROOT_ALL, MPI_COMM_SELF, &step, &l->product),
          "product of all factors");
}

static void release(struct layer *l)
{
    summand_plan_free(&l->local);
    summand_plan_free(&l->update);
    summand_plan_free(&l->gather);
    summand_plan_free(&l->product);
    for (int i = 0; i < WAYS; i++)
        free(l->w[i]);
    free(l->a);
    free(l->b);
    free(l->gradient);
    free(l->factors);
}

static void run(summand_plan *plan, const char *what)
{
    int code = summand_plan_start(plan);
    check(code == MPI_SUCCESS ? summand_plan_wait(plan) : code, what);
}

static void step(struct layer *l, int way)
{
    const float alpha = (float)alpha_of(l), beta = (float)(1 - decay);
    if (way == 0) {
        run(l->local, "local product");
        check(MPI_Allreduce(MPI_IN_PLACE, l->gradient, (int)(l->n * l->m), MPI_FLOAT, MPI_SUM,
                            MPI_COMM_WORLD),
              "MPI_Allreduce");
        for (MPI_Count i = 0; i < l->n * l->m; i++)
            l->w[0][i] = beta * l->w[0][i] + alpha * l->gradient[i];
    } else if (way == 1) {
        run(l->update, "summand_outer");
    } else {
        run(l->gather, "gather");
        run(l->product, "product of all factors");
    }
}

static int ascending(const void *x, const void *y)
{
    double a = *(const double *)x, b = *(const double *)y;
    return (a > b) - (a < b);
}

static double median(double *values, int count)
{
    qsort(values, (size_t)count, sizeof *values, ascending);
    return values[count / 2];
}

/* The data that a rank receives, in 10^6 bytes: the factors of all samples. If each rank makes a
 * part of the weights for all, also at most the other parts. */
static void received(const struct layer *l, int way, const char *algorithm, char *text, size_t room)
{
    double others = (double)(ranks - 1), weights = 4e-6 * (double)(l->n * l->m) / ranks;
    double factors = 4e-6 * others * (double)(l->k * (l->n + l->m));
    if (way == 0)
        snprintf(text, room, "%.2f", 2 * others * weights);
    else if (way == 2 || !strcmp(algorithm, "outer-gather"))
        snprintf(text, room, "%.2f", factors);
    else
        snprintf(text, room, "<= %.2f", factors + others * weights);
}

/* The largest difference of weights between the first way and another, over all ranks. */
static double difference(const struct layer *l, int way)
{
    double most = 0;
    for (MPI_Count i = 0; i < l->n * l->m; i++)
        most = fmax(most, fabs((double)l->w[0][i] - (double)l->w[way][i]));
    MPI_Allreduce(MPI_IN_PLACE, &most, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return most;
}

static int measure(struct layer *l, int steps)
{
    static double seconds[WAYS][MOST_STEPS], ratio[MOST_STEPS], sorted[MOST_STEPS];
    summand_options chosen;
    char moved[32];
    make(l);
    check(summand_plan_describe(l->update, &chosen, NULL), "summand_plan_describe");
    for (int s = -1; s < steps; s++) /* the first warms up */
        for (int turn = 0; turn < WAYS; turn++) {
            int way = (turn + s + 1) % WAYS;
            MPI_Barrier(MPI_COMM_WORLD);
            double time = MPI_Wtime();
            step(l, way);
            time = MPI_Wtime() - time;
            MPI_Allreduce(MPI_IN_PLACE, &time, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
            if (s >= 0)
                seconds[way][s] = time;
        }
    int bad = 0;
    for (int way = 0; way < WAYS; way++) {
        for (int s = 0; s < steps; s++) {
            ratio[s] = seconds[0][s] / seconds[way][s];
            sorted[s] = seconds[way][s];
        }
        double times = median(ratio, steps), time = median(sorted, steps);
        double off = difference(l, way);
        bad += !(off <= 1e-5);
        received(l, way, chosen.algorithm, moved, sizeof moved);
        if (rank == 0)
            printf("%5lldx%-5lld %6lld  %-10s %10.3f %14.2f %10s  %s%s\n", (long long)l->n,
                   (long long)l->m, (long long)l->k, names[way], 1e3 * time, times, moved,
                   way == 1 ? chosen.algorithm : "", off <= 1e-5 ? "" : "  DIFFERS");
    }
    release(l);
    return bad;
}

enum { LAYERS = 64, WIDTH = 256 };

/* Gradients of as many layers as a call takes, in one call or one by one; both must give the
 * same. */
static int measure_layers(MPI_Count pairs, int steps)
{
    static double seconds[2][MOST_STEPS], ratio[MOST_STEPS], sorted[MOST_STEPS];
    static summand_outer_matrix layer[2][LAYERS];
    const size_t bytes = sizeof(float) * WIDTH * WIDTH;
    int bad = 0;
    for (int m = 0; m < LAYERS; m++)
        for (int way = 0; way < 2; way++)
            layer[way][m] =
                (summand_outer_matrix){.rows = WIDTH,
                                       .columns = WIDTH,
                                       .a = floats(pairs * WIDTH, (unsigned)(rank + 9 * m)),
                                       .b = floats(pairs * WIDTH, (unsigned)(rank + 9 * m + 5)),
                                       .g = floats((MPI_Count)WIDTH * WIDTH, 0)};
    for (int s = -1; s < steps; s++)
        for (int turn = 0; turn < 2; turn++) {
            int way = (turn + s + 1) % 2, n = way ? LAYERS : 1;
            MPI_Barrier(MPI_COMM_WORLD);
            double time = MPI_Wtime();
            for (int m = 0; m < LAYERS; m += n)
                check(summand_outer(pairs, n, 1, &layer[way][m], 0, MPI_FLOAT, SUMMAND_ROOT_ALL,
                                    MPI_COMM_WORLD, NULL),
                      "summand_outer");
            time = MPI_Wtime() - time;
            MPI_Allreduce(MPI_IN_PLACE, &time, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
            if (s >= 0)
                seconds[way][s] = time;
        }
    for (int s = 0; s < steps; s++) {
        ratio[s] = seconds[0][s] / seconds[1][s];
        sorted[s] = seconds[1][s];
    }
    double once = median(sorted, steps), times = median(ratio, steps);
    for (int m = 0; m < LAYERS; m++) {
        bad += memcmp(layer[0][m].g, layer[1][m].g, bytes) != 0;
        for (int way = 0; way < 2; way++) {
            free((void *)layer[way][m].a);
            free((void *)layer[way][m].b);
            free(layer[way][m].g);
        }
    }
    if (rank == 0)
        printf("%6lld %14.3f %14.3f %14.2f%s\n", (long long)pairs, 1e3 * median(seconds[0], steps),
               1e3 * once, times, bad ? "  DIFFERS" : "");
    return bad;
}

static int all_layers(int steps)
{
    int bad = 0;
    if (rank == 0)
        printf(
            "%d ranks, %d gradients of %d x %d floats, medians of %d steps\n%6s %14s %14s %14s\n",
            ranks, LAYERS, WIDTH, WIDTH, steps, "batch", "64 calls, ms", "one call, ms",
            "times as fast");
    for (MPI_Count pairs = 1; pairs <= 16; pairs *= 4)
        bad += measure_layers(pairs, steps);
    return bad;
}

static int all_shapes(int steps)
{
    static const MPI_Count shapes[][2] = {{784, 512}, {4096, 4096}}, batches[] = {1, 4, 16, 64};
    int bad = 0;
    if (rank == 0)
        printf("%d ranks, floats, medians of %d steps\n%11s %6s  %-10s %10s %14s %10s  %s\n", ranks,
               steps, "W", "batch", "way", "ms/step", "times as fast", "MB/rank", "chosen");
    for (int s = 0; s < 2; s++)
        for (int b = 0; b < 4; b++) {
            struct layer l = {.n = shapes[s][0], .m = shapes[s][1], .k = batches[b]};
            bad += measure(&l, steps);
        }
    return bad;
}

int main(int argc, char **argv)
{
    int steps = argc > 1 ? atoi(argv[1]) : 25;
    const bool layers = argc > 2 && !strcmp(argv[2], "layers");
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (steps < 1 || steps > MOST_STEPS) {
        fprintf(stderr, "usage: bench-training-step [STEPS, 1 to %d] [layers]\n", MOST_STEPS);
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    int bad = layers ? all_layers(steps) : all_shapes(steps);
    MPI_Finalize();
    return bad > 0;
}
