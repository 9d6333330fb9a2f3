/* SPDX-License-Identifier: BSD-3-Clause */
/* Speed of training on one core: seconds of processor time for an epoch of 60000 samples, from
 * batches that take turns, and ratios of times in the same rounds.
 *     bench-local-train [--batch N] [ROUNDS [WIDTH...]]      default: 64, 15 rounds, 784 128 10
 * chain, blas   summand train's batches, with either arithmetic
 * plain         the same step in plain C with calls of the installed BLAS (SUMMAND_BLAS), its data
 *               in floats, as in a hand-written program
 * Then the rates of each layer's three products of a batch, each alone and repeated, by either
 * arithmetic: no epoch takes less time than its products at these rates (`products`). Last the rate
 * of the fastest of these and of a square product, and the time of all operations of an epoch at
 * that rate (`bound`).
 * Samples are noise: the time does not depend on them. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/measure.h"
#include "bench/need.h"
#include "bench/train_parts.h"
#include "compute/blas.h"

enum { BATCHES = 10, SAMPLES = TRAIN_EPOCH, MOST = 16 };

struct plain {
    int layers;
    size_t width[MOST], batch;
    float *x[MOST], *d[MOST], *w[MOST], *b[MOST], *samples;
    int *labels;
    summand__sgemm *multiply;
};

static double train_batches(const void *context)
{
    struct train_run *run = (struct train_run *)(uintptr_t)context;
    struct summand__net_fault fault = {.text = ""};
    for (size_t i = 0; i < BATCHES; i++)
        run->mode->batch(run, i * run->options.batch, run->options.batch, 0.01, &fault);
    return (double)run->weights.memory[0];
}

/* C = A B by rows, each optionally transposed. */
static void product(const struct plain *p, bool ta, bool tb, size_t m, size_t n, size_t k,
                    float alpha, const float *a, const float *b, float beta, float *c)
{
    p->multiply(SUMMAND__BLAS_ROW_MAJOR, ta ? SUMMAND__BLAS_TRANSPOSED : SUMMAND__BLAS_PLAIN,
                tb ? SUMMAND__BLAS_TRANSPOSED : SUMMAND__BLAS_PLAIN, (int)m, (int)n, (int)k, alpha,
                a, (int)(ta ? m : k), b, (int)(tb ? k : n), beta, c, (int)n);
}

static void plain_forward(struct plain *p)
{
    for (int l = 1; l <= p->layers; l++) {
        size_t n = p->width[l];
        for (size_t s = 0; s < p->batch; s++)
            memcpy(p->x[l] + s * n, p->b[l], n * sizeof(float));
        product(p, false, false, p->batch, n, p->width[l - 1], 1, p->x[l - 1], p->w[l], 1, p->x[l]);
        for (size_t i = 0; l < p->layers && i < p->batch * n; i++)
            p->x[l][i] = p->x[l][i] > 0 ? p->x[l][i] : 0;
    }
}

static void plain_errors(struct plain *p, const int *labels)
{
    size_t n = p->width[p->layers];
    for (size_t s = 0; s < p->batch; s++) {
        float *x = p->x[p->layers] + s * n, *d = p->d[p->layers] + s * n, sum = 0;
        float greatest = x[0];
        for (size_t i = 1; i < n; i++)
            greatest = x[i] > greatest ? x[i] : greatest;
        for (size_t i = 0; i < n; i++)
            sum += d[i] = summand__net_exp(x[i] - greatest);
        for (size_t i = 0; i < n; i++)
            d[i] = d[i] / sum - (float)(i == (size_t)labels[s]);
    }
}

static void plain_back(struct plain *p, float step)
{
    for (int l = p->layers; l >= 1; l--) {
        size_t n = p->width[l], inputs = p->width[l - 1];
        if (l > 1)
            product(p, false, true, p->batch, inputs, n, 1, p->d[l], p->w[l], 0, p->d[l - 1]);
        for (size_t i = 0; l > 1 && i < p->batch * inputs; i++)
            p->d[l - 1][i] = p->x[l - 1][i] > 0 ? p->d[l - 1][i] : 0;
        product(p, true, false, inputs, n, p->batch, step, p->x[l - 1], p->d[l], 1, p->w[l]);
        for (size_t s = 0; s < p->batch; s++)
            for (size_t i = 0; i < n; i++)
                p->b[l][i] += step * p->d[l][s * n + i];
    }
}

static double plain_batches(const void *context)
{
    struct plain *p = (struct plain *)(uintptr_t)context;
    for (size_t i = 0; i < BATCHES; i++) {
        p->x[0] = p->samples + i * p->batch * p->width[0];
        plain_forward(p);
        plain_errors(p, p->labels + i * p->batch);
        plain_back(p, -0.01f / (float)p->batch);
    }
    return (double)p->w[1][0];
}

static float *floats(size_t count)
{
    float *x = need(aligned_alloc(64, (count * sizeof *x + 127) / 64 * 64));
    for (size_t i = 0; i < count; i++)
        x[i] = (float)(i * 2654435761u % 1000) * 1e-4f - 0.05f;
    return x;
}

static void make_plain(struct plain *p, const struct summand__net_shape *shape, size_t batch)
{
    p->layers = shape->layers;
    p->batch = batch;
    p->samples = floats(BATCHES * batch * shape->widths[0]);
    p->labels = need(calloc(BATCHES * batch, sizeof *p->labels));
    for (int l = 0; l <= p->layers; l++) {
        size_t n = p->width[l] = shape->widths[l];
        p->x[l] = floats(batch * n);
        p->d[l] = floats(batch * n);
        p->w[l] = floats(l ? shape->widths[l - 1] * n : 1);
        p->b[l] = floats(n);
    }
}

static void make_data(struct train_data *data, size_t features, size_t classes)
{
    struct summand__net_fault fault = {.text = ""};
    if (!train_samples_make(&data->train, SAMPLES, features, true, &fault))
        need(NULL);
    for (size_t i = 0; i < SAMPLES * features; i++)
        ((unsigned char *)data->train.values)[i] = (unsigned char)(i * 2654435761u >> 13);
    for (size_t i = 0; i < SAMPLES; i++)
        data->train.label[i] = (int32_t)(i % classes);
    data->classes = classes;
}

static void show(const struct measure_subject *subjects, int count, int rounds, size_t batch,
                 double flops)
{
    double *seconds = need(malloc((size_t)(count * rounds) * sizeof *seconds));
    for (int i = 0; i < count * (rounds + 1); i++) { /* the first round warms up */
        int round = i / count - 1, s = (i + i / count) % count;
        double begin = train_thread_seconds();
        subjects[s].run(subjects[s].context);
        if (round >= 0)
            seconds[s * rounds + round] = train_thread_seconds() - begin;
    }
    printf("%-6s %10s %8s   %s\n", "", "s/epoch", "Gflop/s", "plain / this [95 %]");
    for (int s = 0; s < count; s++) {
        double epoch = measure_median(seconds + s * rounds, rounds).median * SAMPLES /
                       (double)(BATCHES * batch);
        printf("%-6s %10.3f %8.1f", subjects[s].name, epoch, 1e-9 * flops / epoch);
        struct measure_interval r =
            measure_ratio(seconds + (count - 1) * rounds, seconds + s * rounds, rounds);
        printf("   %.2f [%.2f, %.2f]\n", r.median, r.low, r.high);
    }
    free(seconds);
}

static double peak; /* operations per second of the fastest product so far */

/* Seconds of a product: the minimum of several runs. */
static double product_time(const struct summand__net_arithmetic *arithmetic,
                           const struct summand__net_product *product)
{
    double flops = 2 * (double)product->m * (double)product->n * (double)product->k;
    enum { TRIES = 40, AGAIN = 4 };
    double least = 0;
    for (int i = 0; i < TRIES; i++) {
        double begin = train_thread_seconds();
        for (int k = 0; k < AGAIN; k++)
            summand__net_multiply(arithmetic, product);
        double time = (train_thread_seconds() - begin) / AGAIN;
        least = !i || time < least ? time : least;
    }
    peak = flops / least > peak ? flops / least : peak;
    return least;
}

/* Shows the rates of a layer's products: forward, of errors (not for the first layer) and of the
 * gradient, which is added to the weights. Returns the seconds of all. */
static double show_layer(const struct summand__net_arithmetic *arithmetic,
                         const struct summand__net_shape *shape, int l, size_t batch)
{
    size_t in = shape->widths[l - 1], out = shape->widths[l];
    float *x = floats(batch * in), *d = floats(batch * out), *w = floats(in * out);
    const struct summand__net_product of[] = {
        {batch, out, in, false, false, x, w, d, in, out, out, 1, 0},
        {in, out, batch, true, false, x, d, w, in, out, out, 1e-9f, 1},
        {batch, in, out, false, true, d, w, x, out, out, in, 1, 0}};
    double flops = 2 * (double)batch * (double)in * (double)out, all = 0;
    printf("%-6s %5zu x %-5zu", arithmetic->name, in, out);
    for (int i = 0; i < (l > 1 ? 3 : 2); i++) {
        double time = product_time(arithmetic, &of[i]);
        printf(" %10.1f", 1e-9 * flops / time);
        all += time;
    }
    putchar('\n');
    free(x);
    free(d);
    free(w);
    return all;
}

static void show_products(const struct summand__net_shape *shape, size_t batch)
{
    printf("\n%-6s %-13s %10s %10s %10s   Gflop/s\n", "", "layer", "forward", "gradient", "errors");
    for (int a = 0; summand__net_arithmetics[a] &&
                    summand__net_arithmetic_available(summand__net_arithmetics[a]);
         a++) {
        double all = 0;
        for (int l = 1; l <= shape->layers; l++)
            all += show_layer(summand__net_arithmetics[a], shape, l, batch);
        printf("%-6s products: %.3f s/epoch\n", summand__net_arithmetics[a]->name,
               all * SAMPLES / (double)batch);
    }
}

static void show_bound(const struct summand__net_shape *shape)
{
    enum { SIDE = 768 };
    float *a = floats(SIDE * SIDE), *b = floats(SIDE * SIDE), *c = floats(SIDE * SIDE);
    const struct summand__net_product product = {SIDE, SIDE, SIDE, false, false, a, b,
                                                 c,    SIDE, SIDE, SIDE,  1,     0};
    for (int i = 0; summand__net_arithmetics[i] &&
                    summand__net_arithmetic_available(summand__net_arithmetics[i]);
         i++)
        product_time(summand__net_arithmetics[i], &product);
    printf("peak   %.1f Gflop/s\nbound  %.3f s/epoch\n", 1e-9 * peak,
           train_epoch_flops(shape) / peak);
    free(a);
    free(b);
    free(c);
}

int main(int argc, char **argv)
{
    size_t batch = 64;
    struct summand__net_shape shape = {.layers = 2,
                                       .widths = {784, 128, 10},
                                       .hidden = summand__net_activation_find("relu"),
                                       .last = summand__net_activation_find("linear"),
                                       .loss = summand__net_loss_find("cross-entropy")};
    if (argc > 2 && !strcmp(argv[1], "--batch")) {
        batch = strtoul(argv[2], NULL, 10);
        argc -= 2;
        argv += 2;
    }
    int rounds = argc > 1 ? atoi(argv[1]) : 15;
    if (argc > 3 && argc - 2 <= MOST)
        shape.layers = argc - 3;
    for (int i = 2; i < argc && argc > 3 && i - 2 < MOST; i++)
        shape.widths[i - 2] = strtoul(argv[i], NULL, 10);
    const struct train_options options = {
        .batch = batch, .epochs = 1, .rate = 0.01, .schedule = train_rates[0], .seed = 1};
    static struct train_data data;
    static struct train_run runs[TRAIN_RUNS];
    static struct plain plain;
    struct measure_subject subjects[TRAIN_RUNS + 1];
    make_data(&data, shape.widths[0], shape.widths[shape.layers]);
    int count = train_open_runs("bench-local-train", &shape, &data, &options, runs);
    for (int a = 0; a < count; a++)
        subjects[a] =
            (struct measure_subject){summand__net_arithmetics[a]->name, train_batches, &runs[a]};
    if (summand__blas()) {
        make_plain(&plain, &shape, batch);
        plain.multiply = summand__blas()->sgemm;
        subjects[count++] = (struct measure_subject){"plain", plain_batches, &plain};
        printf("BLAS: %s\n", summand__blas()->name);
    }
    show(subjects, count, rounds, batch, train_epoch_flops(&shape));
    show_products(&shape, batch);
    show_bound(&shape);
    return 0;
}
