/* SPDX-License-Identifier: BSD-3-Clause */
/* bench-local-fann [--batch N] [SAMPLES [WIDTH...]]: an epoch of training beside FANN's (libfann),
 * of the same network on the same samples, in seconds of processor time on one thread. By default
 * batches of 64, 2000 samples and the widths 784 128 10.
 *
 * FANN runs "incremental" (fann_train: it changes all weights after each sample) and in "batch"
 * (FANN_TRAIN_BATCH: it adds up the gradients of a batch first). Ours is `summand train --mode
 * single` with the arithmetic "chain" and "blas". "bound" is the products' operations alone, at the
 * rate of the fastest kernel for the largest layer's product with a batch. All use sigmoids,
 * squared error and floats, as FANN does. All take turns; a time is the median of seven turns,
 * scaled to 60000 samples. Samples are noise, on which times do not depend, except that FANN takes
 * 0 for an input's weights as fast as any number. Built if CMake finds libfann. */
#include <floatfann.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/measure.h"
#include "bench/need.h"
#include "bench/train_parts.h"

enum { MOST = 16, TURNS = 7 };

struct subject {
    const char *name;
    double (*run)(struct subject *subject);
    struct fann *fann;
    struct train_run *train;
    size_t samples, batch;
    const float *inputs;
    const struct train_samples *of;
    double seconds[TURNS];
};

static double incremental(struct subject *s)
{
    size_t inputs = fann_get_num_input(s->fann), outputs = fann_get_num_output(s->fann);
    float *wanted = need(calloc(outputs, sizeof *wanted));
    double begin = train_thread_seconds();
    for (size_t i = 0; i < s->samples; i++) {
        wanted[s->of->label[i]] = 1;
        fann_train(s->fann, (float *)(uintptr_t)(s->inputs + i * inputs), wanted);
        wanted[s->of->label[i]] = 0;
    }
    double time = train_thread_seconds() - begin;
    free(wanted);
    return time;
}

/* A batch is an epoch of FANN's, whose data are made outside the timed part. */
static double in_batches(struct subject *s)
{
    size_t inputs = fann_get_num_input(s->fann), outputs = fann_get_num_output(s->fann);
    struct fann_train_data *data =
        need(fann_create_train((unsigned)s->batch, (unsigned)inputs, (unsigned)outputs));
    double time = 0;
    for (size_t first = 0; first + s->batch <= s->samples; first += s->batch) {
        for (size_t i = 0; i < s->batch; i++) {
            memcpy(data->input[i], s->inputs + (first + i) * inputs, inputs * sizeof(float));
            memset(data->output[i], 0, outputs * sizeof(float));
            data->output[i][s->of->label[first + i]] = 1;
        }
        double begin = train_thread_seconds();
        fann_train_epoch(s->fann, data);
        time += train_thread_seconds() - begin;
    }
    fann_destroy_train(data);
    return time;
}

static double ours(struct subject *s)
{
    struct summand__net_fault fault = {.text = ""};
    double begin = train_thread_seconds();
    for (size_t first = 0; first + s->batch <= s->samples; first += s->batch)
        s->train->mode->batch(s->train, first, s->batch, 0.1, &fault);
    return train_thread_seconds() - begin;
}

/* Operations per second: the maximum over some products of a batch with the largest layer. */
static double rate_of(const struct summand__net_shape *shape, size_t batch)
{
    enum { TRIES = 50 };
    int widest = 1;
    double best = 0;
    for (int l = 2; l <= shape->layers; l++)
        if (shape->widths[l - 1] * shape->widths[l] >
            shape->widths[widest - 1] * shape->widths[widest])
            widest = l;
    size_t k = shape->widths[widest - 1], n = shape->widths[widest];
    float *memory = need(calloc(k * n + batch * (k + n), sizeof *memory));
    struct summand__net_product product = {
        batch, n, k, false, false, memory + k * n, memory, memory + k * n + batch * k,
        k,     n, n, 1,     0};
    for (int a = 0; summand__net_arithmetics[a]; a++)
        for (int i = 0; i < TRIES && summand__net_arithmetic_available(summand__net_arithmetics[a]);
             i++) {
            double begin = train_thread_seconds();
            summand__net_multiply(summand__net_arithmetics[a], &product);
            double rate =
                2 * (double)batch * (double)n * (double)k / (train_thread_seconds() - begin);
            best = rate > best ? rate : best;
        }
    free(memory);
    return best;
}

static struct fann *make_fann(const struct summand__net_shape *shape, enum fann_train_enum how)
{
    unsigned widths[MOST];
    for (int l = 0; l <= shape->layers; l++)
        widths[l] = (unsigned)shape->widths[l];
    struct fann *fann = need(fann_create_standard_array((unsigned)shape->layers + 1, widths));
    fann_set_activation_function_hidden(fann, FANN_SIGMOID);
    fann_set_activation_function_output(fann, FANN_SIGMOID);
    fann_set_training_algorithm(fann, how);
    fann_set_learning_rate(fann, 0.1f);
    return fann;
}

static void make_samples(struct train_data *data, size_t count, size_t features, size_t classes)
{
    struct summand__net_fault fault = {.text = ""};
    if (!train_samples_make(&data->train, count, features, false, &fault))
        need(NULL);
    for (size_t i = 0; i < count * features; i++)
        ((float *)data->train.values)[i] = (float)(i * 2654435761u >> 13 & 255) / 255;
    for (size_t i = 0; i < count; i++)
        data->train.label[i] = (int32_t)(i % classes);
    data->classes = classes;
}

static void show(struct subject *subjects, int count, const struct summand__net_shape *shape,
                 size_t batch)
{
    double rate = rate_of(shape, batch), flops = train_epoch_flops(shape);
    for (int turn = 0; turn < TURNS; turn++)
        for (int i = 0; i < count; i++)
            subjects[i].seconds[turn] = subjects[i].run(&subjects[i]) * TRAIN_EPOCH /
                                        (double)(subjects[i].samples / batch * batch);
    printf("%-12s %10s %14s\n", "", "s/epoch", "times as fast");
    double slowest = measure_median(subjects[0].seconds, TURNS).median;
    for (int i = 0; i < count; i++) {
        double epoch = measure_median(subjects[i].seconds, TURNS).median;
        printf("%-12s %10.3f %14.2f\n", subjects[i].name, epoch, slowest / epoch);
    }
    printf("%-12s %10.3f %14.2f   %.1f Gflop/s\n", "bound", flops / rate, slowest * rate / flops,
           1e-9 * rate);
}

static size_t number(const char *text, size_t least)
{
    size_t n = strtoul(text, NULL, 10);
    if (n < least) {
        fprintf(stderr, "bench-local-fann: '%s' is too small\n", text);
        exit(2);
    }
    return n;
}

int main(int argc, char **argv)
{
    static struct train_data data;
    static struct train_run runs[TRAIN_RUNS];
    struct summand__net_shape shape = {.layers = 2,
                                       .widths = {784, 128, 10},
                                       .hidden = summand__net_activation_find("sigmoid"),
                                       .last = summand__net_activation_find("sigmoid"),
                                       .loss = summand__net_loss_find("squared")};
    size_t batch = 64, samples = 2000;
    if (argc > 2 && !strcmp(argv[1], "--batch")) {
        batch = number(argv[2], 1);
        argc -= 2;
        argv += 2;
    }
    if (argc > 1)
        samples = number(argv[1], batch);
    if (argc > 3)
        shape.layers = argc - 3 < MOST - 1 ? argc - 3 : MOST - 1;
    for (int l = 0; l <= shape.layers && argc > 3; l++)
        shape.widths[l] = number(argv[l + 2], 1);
    make_samples(&data, samples, shape.widths[0], shape.widths[shape.layers]);
    struct subject subjects[4] = {{"incremental",
                                   incremental,
                                   make_fann(&shape, FANN_TRAIN_INCREMENTAL),
                                   NULL,
                                   samples,
                                   batch,
                                   data.train.values,
                                   &data.train,
                                   {0}},
                                  {"batch",
                                   in_batches,
                                   make_fann(&shape, FANN_TRAIN_BATCH),
                                   NULL,
                                   samples,
                                   batch,
                                   data.train.values,
                                   &data.train,
                                   {0}}};
    int count = 2;
    const struct train_options options = {
        .batch = batch, .epochs = 1, .rate = 0.1, .schedule = train_rates[0], .seed = 1};
    int opened = train_open_runs("bench-local-fann", &shape, &data, &options, runs);
    for (int a = 0; a < opened; a++)
        subjects[count++] = (struct subject){summand__net_arithmetics[a]->name,
                                             ours,
                                             NULL,
                                             &runs[a],
                                             samples,
                                             batch,
                                             NULL,
                                             NULL,
                                             {0}};
    show(subjects, count, &shape, batch);
    return 0;
}
