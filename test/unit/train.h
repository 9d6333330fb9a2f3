/* SPDX-License-Identifier: BSD-3-Clause */
/* Helpers shared by the tests of training. */
#pragma once

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "train/network.h"
#include "train/run.h"

static inline struct summand__net_shape train_test_shape(const char *hidden, const char *last,
                                                         const char *loss, int layers,
                                                         const size_t *widths)
{
    struct summand__net_shape shape = {.layers = layers,
                                       .hidden = summand__net_activation_find(hidden),
                                       .last = summand__net_activation_find(last),
                                       .loss = summand__net_loss_find(loss)};
    memcpy(shape.widths, widths, (size_t)(layers + 1) * sizeof *widths);
    return shape;
}

static inline struct train_options train_test_options(size_t batch, size_t epochs, double rate)
{
    return (struct train_options){
        .batch = batch, .epochs = epochs, .rate = rate, .schedule = train_rates[0], .seed = 5};
}

/* A training in stages: a network and its training parameters. */
struct train_variant {
    const char *hidden, *loss;
    size_t batch, epochs, piece;
    int layers;
    size_t widths[21];
    int schedule; /* of train_rates */
    double momentum, decay;
};

/* The fewest layers and the most. */
#define TRAIN_VARIANT_ONE_LAYER                                                                    \
    {                                                                                              \
        "relu", "cross-entropy", 16, 1, 0, 1, {784, 10}, 0, 0, 0                                   \
    }
#define TRAIN_VARIANT_TWENTY_LAYERS                                                                \
    {                                                                                              \
        "tanh", "cross-entropy", 40, 1, 0, 20,                                                     \
            {784, 6, 5, 7, 6, 5, 7, 6, 5, 7, 6, 5, 7, 6, 5, 7, 6, 5, 7, 6, 10}, 0, 0, 0            \
    }

static inline struct train_options train_variant_options(const struct train_variant *variant)
{
    struct train_options options = train_test_options(variant->batch, variant->epochs, 0.1);
    options.piece = variant->piece;
    options.schedule = train_rates[variant->schedule];
    options.momentum = variant->momentum;
    options.decay = variant->decay;
    return options;
}

static inline void train_test_write(const char *path, const void *bytes, size_t count)
{
    FILE *file = fopen(path, "wb");
    if (!file || fwrite(bytes, 1, count, file) != count || fclose(file))
        abort();
}

/* All bytes of a file; the caller frees them. */
static inline unsigned char *train_test_read(const char *path, size_t *count)
{
    FILE *file = fopen(path, "rb");
    unsigned char *bytes = file ? malloc(1 << 24) : NULL;
    if (!bytes)
        abort();
    *count = fread(bytes, 1, 1 << 24, file);
    fclose(file);
    return bytes;
}
