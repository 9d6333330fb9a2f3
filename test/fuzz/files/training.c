/* SPDX-License-Identifier: BSD-3-Clause */
/* Samples, models and checkpoints of trainings. In accepted samples, all classes and numbers must
 * keep the reader's promises. */
#include "fuzz/files/reader.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "network/model_file.h"
#include "train/checkpoint.h"
#include "train/data.h"
#include "train/run.h"

static struct summand__net_fault fault;

static enum outcome take_samples(const char **why)
{
    struct train_data data;
    fault.text[0] = 0;
    *why = fault.text;
    if (!train_data_load(".", &data, &fault))
        return REFUSED;
    bool fine = data.train.count > 0 && data.train.features > 0 && data.classes > 0;
    for (size_t i = 0; i < data.train.count * data.train.targets; i++)
        fine &= isfinite(data.train.target[i]) != 0;
    float values[64];
    for (size_t i = 0; i < data.train.count && data.train.features <= 64; i++) {
        fine &= data.train.label[i] >= 0 && (size_t)data.train.label[i] < data.classes;
        train_sample_read(&data.train, i, values);
        for (size_t j = 0; j < data.train.features; j++)
            fine &= isfinite(values[j]) != 0;
    }
    train_data_free(&data);
    *why = "samples that are none";
    return fine ? TAKEN : WRONG;
}

static bool make_csv(int seed)
{
    static const char *const texts[] = {"class,a,b\r\n2,1.5,-2\r\n\n 0 , 3e1 ,4\n", "1,5,6\n0,7,8",
                                        "3,1\n2,0x1p3\n1,3\n0,-4e-3\n"};
    if (seed < 3)
        put_file("train.csv", texts[seed], strlen(texts[seed]));
    return seed < 3;
}

static enum outcome take_csv(const struct bytes *bytes, const char **why)
{
    (void)bytes;
    return take_samples(why);
}

static const struct reader csv = {"csv", "train.csv", false, make_csv, take_csv, NULL};

static const char images[] = "\0\0\10\3\0\0\0\3\0\0\0\2\0\0\0\3"
                             "\0\1\2\3\4\5\6\7\10\11\12\13\377\376\375\374\373\372";
static const char labels[] = "\0\0\10\1\0\0\0\3\2\0\1";

static bool make_idx(int seed)
{
    put_file("train-images-idx3-ubyte", images, sizeof images - 1);
    put_file("train-labels-idx1-ubyte", labels, sizeof labels - 1);
    return !seed;
}

static void end_idx(void)
{
    unlink("train-images-idx3-ubyte");
    unlink("train-labels-idx1-ubyte");
}

static const struct reader idx = {"idx",  "train-images-idx3-ubyte", false, make_idx, take_csv,
                                  end_idx};
static const struct reader idx_labels = {
    "idx-labels", "train-labels-idx1-ubyte", false, make_idx, take_csv, end_idx};

static bool make_arrays(int seed)
{
    static const double x[] = {1.5, 3, -2, 4};
    static const float y[] = {2, 0};
    char bytes[256];
    put_file("train-x.npy", bytes, npy_bytes(bytes, "<f8", "True", "(2, 2)", x, sizeof x));
    put_file("train-y.npy", bytes, npy_bytes(bytes, "<f4", "True", "(2,)", y, sizeof y));
    return !seed;
}

static void end_arrays(void)
{
    unlink("train-x.npy");
    unlink("train-y.npy");
}

static const struct reader arrays = {"npy-samples", "train-x.npy", false,
                                     make_arrays,   take_csv,      end_arrays};
static const struct reader classes = {"npy-classes", "train-y.npy", false,
                                      make_arrays,   take_csv,      end_arrays};

/* One file of samples without classes, of each format. */
static bool make_unlabelled(int seed)
{
    static const char *const texts[] = {"a,b\n1.5,-2\n\n 3e1 ,4\n", "5\n-7"};
    static const float x[] = {1.5F, 3, -2, 4};
    char bytes[256];
    if (seed < 2)
        put_file("unlabelled", texts[seed], strlen(texts[seed]));
    else if (seed == 2)
        put_file("unlabelled", bytes, npy_bytes(bytes, "<f4", "False", "(2, 2)", x, sizeof x));
    else
        put_file("unlabelled", images, sizeof images - 1);
    return seed < 4;
}

static enum outcome take_unlabelled(const struct bytes *bytes, const char **why)
{
    struct train_samples samples;
    float values[64];
    (void)bytes;
    fault.text[0] = 0;
    *why = fault.text;
    if (!train_samples_load("unlabelled", &samples, &fault))
        return REFUSED;
    bool fine = samples.count > 0 && samples.features > 0;
    for (size_t i = 0; i < samples.count && samples.features <= 64; i++) {
        train_sample_read(&samples, i, values);
        for (size_t j = 0; j < samples.features; j++)
            fine &= isfinite(values[j]) != 0;
    }
    train_samples_free(&samples);
    *why = "samples that are none";
    return fine ? TAKEN : WRONG;
}

static const struct reader unlabelled = {"unlabelled",    "unlabelled",    false,
                                         make_unlabelled, take_unlabelled, NULL};

/* A small training, whose files are the input. */
static struct summand__net_shape shape;
static struct train_data few;
static struct train_run training;
static bool open;

static void open_training(void)
{
    const struct train_options options = {.batch = 4,
                                          .epochs = 1,
                                          .rate = 0.1,
                                          .momentum = 0.5,
                                          .schedule = train_rates[0],
                                          .seed = 5};
    const struct train_hooks hooks = {0};
    if (open)
        return;
    shape = (struct summand__net_shape){.layers = 1,
                                        .widths = {3, 2},
                                        .hidden = summand__net_activation_find("relu"),
                                        .last = summand__net_activation_find("linear"),
                                        .loss = summand__net_loss_find("cross-entropy")};
    need_fine(train_samples_make(&few.train, 8, 3, true, &fault), fault.text);
    memcpy(few.train.values, images, (size_t)8 * 3);
    for (int i = 0; i < 8; i++)
        few.train.label[i] = i % 2;
    few.classes = 2;
    need_fine(shape.hidden && shape.last && shape.loss, "no such network");
    need_fine(train_run_open(&training, &shape, summand__net_arithmetic_find("chain"), &few,
                             &options, &train_mode_single, NULL, &fault),
              fault.text);
    need_fine(train_run_go(&training, &hooks, &fault) != TRAIN_FAILED, fault.text);
    open = true;
}

static bool make_model(int seed)
{
    open_training();
    need_fine(summand__net_model_save("m.model", &shape, &training.weights, &fault), fault.text);
    return !seed;
}

static enum outcome take_model(const struct bytes *bytes, const char **why)
{
    struct summand__net_shape got;
    struct summand__net_weights weights;
    (void)bytes;
    fault.text[0] = 0;
    *why = fault.text;
    if (!summand__net_model_load("m.model", &got, &weights, &fault))
        return REFUSED;
    summand__net_weights_free(&weights);
    return TAKEN;
}

static const struct reader model = {"model", "m.model", true, make_model, take_model, NULL};

static bool make_checkpoint(int seed)
{
    open_training();
    need_fine(train_checkpoint_save("c.model", &training, &fault), fault.text);
    return !seed;
}

static enum outcome take_checkpoint(const struct bytes *bytes, const char **why)
{
    (void)bytes;
    fault.text[0] = 0;
    *why = fault.text;
    return train_checkpoint_load("c.model", &training, &fault) ? TAKEN : REFUSED;
}

static void end_training(void)
{
    train_run_close(&training);
    train_data_free(&few);
    open = false;
}

static const struct reader checkpoint = {"training",      "c.model",       true,
                                         make_checkpoint, take_checkpoint, end_training};

const struct reader *const readers_of_training[] = {
    &csv, &idx, &idx_labels, &arrays, &classes, &unlabelled, &model, &checkpoint, NULL};
