/* SPDX-License-Identifier: BSD-3-Clause */
#include "train/data.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "train/data/bytes.h"

const struct train_format *const train_formats[] = {&train_format_idx, &train_format_csv,
                                                    &train_format_npy, NULL};

bool train_samples_make(struct train_samples *samples, size_t count, size_t features, bool bytes,
                        struct summand__net_fault *fault)
{
    size_t size = bytes ? 1 : sizeof(float);
    *samples = (struct train_samples){.count = count, .features = features, .bytes = bytes};
    if (!features || count <= SIZE_MAX / size / features) {
        samples->values = malloc(count * features * size + 1);
        samples->label = calloc(count + 1, sizeof *samples->label);
    }
    return (samples->values && samples->label) || summand__net_fail_memory(fault);
}

void train_samples_free(struct train_samples *samples)
{
    free(samples->values);
    free(samples->label);
    free(samples->target);
    *samples = (struct train_samples){0};
}

void train_data_free(struct train_data *data)
{
    train_samples_free(&data->train);
    train_samples_free(&data->test);
}

double train_samples_largest(const struct train_samples *samples)
{
    const float *values = samples->values;
    float largest = samples->bytes ? 1 : 0;
    for (size_t i = 0; !samples->bytes && i < samples->count * samples->features; i++)
        largest = fmaxf(largest, fabsf(values[i]));
    return (double)largest;
}

void train_sample_read(const struct train_samples *samples, size_t i, float *to)
{
    size_t n = samples->features;
    if (!samples->bytes) {
        memcpy(to, (const float *)samples->values + i * n, n * sizeof *to);
        return;
    }
    const unsigned char *from = (const unsigned char *)samples->values + i * n;
    for (size_t j = 0; j < n; j++)
        to[j] = (float)from[j] * (1.0f / 255);
}

void train_sample_target(const struct train_samples *samples, size_t i, size_t outputs, float *to)
{
    if (samples->target) {
        memcpy(to, samples->target + i * outputs, outputs * sizeof *to);
        return;
    }
    memset(to, 0, outputs * sizeof *to);
    to[samples->label[i]] = 1;
}

void train_sample_fetch(const struct train_samples *samples, size_t i)
{
    enum { LINE = 64, MOST = 32 * LINE }; /* the hardware prefetches the rest of a long sample */
    size_t bytes = samples->features * (samples->bytes ? 1 : sizeof(float));
    const char *from = (const char *)samples->values + i * bytes;
    for (size_t at = 0; at < bytes && at < MOST; at += LINE)
        __builtin_prefetch(from + at);
    __builtin_prefetch(&samples->label[i]);
}

/* Checks that labels are classes and that both parts have the same number of features; counts the
 * classes. */
static bool check(const char *folder, struct train_data *data, struct summand__net_fault *fault)
{
    int32_t greatest = 0;
    const struct train_samples *part[] = {&data->train, &data->test};
    if (!data->train.count || !data->train.features)
        return summand__net_fail(fault, "%s: there is nothing to train with", folder);
    if (data->test.count && data->test.features != data->train.features)
        return summand__net_fail(fault,
                                 "%s: samples to train with have %zu features, those to test %zu",
                                 folder, data->train.features, data->test.features);
    if (data->test.count && data->test.targets != data->train.targets)
        return summand__net_fail(fault,
                                 "%s: samples to train with have %zu targets, those to test %zu",
                                 folder, data->train.targets, data->test.targets);
    data->classes = data->train.targets;
    if (data->classes)
        return true;
    for (int p = 0; p < 2; p++)
        for (size_t i = 0; i < part[p]->count; i++) {
            if (part[p]->label[i] < 0 || part[p]->label[i] > 65535)
                return summand__net_fail(fault,
                                         "%s: class %ld of sample %zu is not from 0 to 65535",
                                         folder, (long)part[p]->label[i], i);
            greatest = part[p]->label[i] > greatest ? part[p]->label[i] : greatest;
        }
    data->classes = (size_t)greatest + 1;
    return true;
}

bool train_data_load(const char *folder, struct train_data *data, struct summand__net_fault *fault)
{
    *data = (struct train_data){0};
    for (int i = 0; train_formats[i]; i++) {
        const struct train_format *format = train_formats[i];
        if (!train_bytes_there(folder, format->first))
            continue;
        bool good = format->load(folder, data, fault) && check(folder, data, fault);
        if (!good)
            train_data_free(data);
        return good;
    }
    return summand__net_fail(
        fault, "%s: no such folder, or none of %s, %s, %s is in it (also with .gz)", folder,
        train_formats[0]->first, train_formats[1]->first, train_formats[2]->first);
}

bool train_samples_load(const char *path, struct train_samples *samples,
                        struct summand__net_fault *fault)
{
    struct train_bytes bytes;
    const struct train_format *format = &train_format_csv; /* text has no mark */
    *samples = (struct train_samples){0};
    if (!train_bytes_read_file(path, &bytes, fault))
        return false;
    for (int i = 0; train_formats[i]; i++)
        if (train_formats[i]->is_samples(&bytes))
            format = train_formats[i];
    bool good = format->samples(&bytes, samples, fault) &&
                ((samples->count && samples->features) ||
                 summand__net_fail(fault, "%s: no samples in it", path));
    train_bytes_free(&bytes);
    if (!good)
        train_samples_free(samples);
    return good;
}
