/* SPDX-License-Identifier: BSD-3-Clause */
/* Arrays of NumPy: train-x.npy, samples x features, and train-y.npy, the classes as a vector, or
 * targets as a matrix (samples x outputs), of any type that base/npy.h reads; the same of test. A
 * matrix of one column holds targets if it is of floats, else classes. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/npy.h"
#include "train/data/bytes.h"

/* A number of an array of any order, rows x columns. NaN if no double has its value. */
static double number_at(const struct train_bytes *bytes, const struct summand__npy *npy, size_t row,
                        size_t column, size_t rows, size_t columns)
{
    const size_t i = npy->columns ? column * rows + row : row * columns + column;
    double value;
    return summand__npy_values(npy, bytes->at + npy->begin + i * npy->width, 1, &value)
               ? value
               : (double)NAN;
}

/* Reads the header of an array, and checks that all its numbers are there. */
static bool read_head(struct train_bytes *bytes, struct summand__npy *npy,
                      struct summand__net_fault *fault)
{
    if (summand__npy_start(bytes->at, bytes->count, npy) && npy->begin > bytes->count)
        return summand__net_fail(fault, "%s: the file ends within its .npy header", bytes->path);
    if (npy->wrong[0] || !summand__npy_read(bytes->at, npy))
        return summand__net_fail(fault, "%s: %s", bytes->path, npy->wrong);
    if (npy->kind == 'c')
        return summand__net_fail(fault, "%s: its values are complex; real numbers expected",
                                 bytes->path);
    const uint64_t there = (bytes->count - npy->begin) / npy->width;
    if ((bytes->count - npy->begin) % npy->width || npy->count != there)
        return summand__net_fail(fault, "%s: its header says %s numbers, and %llu follow",
                                 bytes->path, npy->shape, (unsigned long long)there);
    return true;
}

/* Copies a matrix to floats, row by row. */
static bool copy_rows(const struct train_bytes *bytes, const struct summand__npy *npy,
                      size_t columns, float *to, struct summand__net_fault *fault)
{
    const size_t rows = npy->extent[0];
    for (size_t i = 0; i < rows; i++)
        for (size_t j = 0; j < columns; j++) {
            float value = (float)number_at(bytes, npy, i, j, rows, columns);
            to[i * columns + j] = value;
            if (!isfinite(value))
                return summand__net_fail(fault, "%s: row %zu: not a finite float", bytes->path, i);
        }
    return true;
}

static bool read_samples(struct train_bytes *bytes, struct train_samples *samples,
                         struct summand__net_fault *fault)
{
    struct summand__npy npy;
    if (!read_head(bytes, &npy, fault))
        return false;
    if (npy.dimensions != 2)
        return summand__net_fail(fault,
                                 "%s: its shape is %s; two dimensions, samples and features, "
                                 "expected",
                                 bytes->path, npy.shape);
    return train_samples_make(samples, npy.extent[0], npy.extent[1], false, fault) &&
           copy_rows(bytes, &npy, samples->features, samples->values, fault);
}

static bool read_targets(const struct train_bytes *bytes, const struct summand__npy *npy,
                         struct train_samples *part, struct summand__net_fault *fault)
{
    part->targets = npy->extent[1];
    part->target = malloc(part->count * part->targets * sizeof *part->target + 1);
    return part->target ? copy_rows(bytes, npy, part->targets, part->target, fault)
                        : summand__net_fail_memory(fault);
}

/* A vector of classes. */
static bool read_classes(const struct train_bytes *bytes, const struct summand__npy *npy,
                         struct train_samples *part, struct summand__net_fault *fault)
{
    for (size_t i = 0; i < part->count; i++) {
        double label = number_at(bytes, npy, i, 0, part->count, 1);
        if (!(label >= 0 && label < 65536) || label != floor(label))
            return summand__net_fail(fault, "%s: number %zu is no class (0, 1, ...)", bytes->path,
                                     i);
        part->label[i] = (int32_t)label;
    }
    return true;
}

static bool read_answers(struct train_bytes *bytes, struct train_samples *part,
                         struct summand__net_fault *fault)
{
    struct summand__npy npy;
    if (!read_head(bytes, &npy, fault))
        return false;
    bool targets = npy.dimensions == 2 && (npy.extent[1] > 1 || (npy.extent[1] && npy.kind == 'f'));
    if (!targets && !npy.vector)
        return summand__net_fail(fault,
                                 "%s: its shape is %s; a vector of classes such as (460,), or a "
                                 "matrix of samples and targets, expected",
                                 bytes->path, npy.shape);
    if (targets && npy.extent[0] == part->count)
        return read_targets(bytes, &npy, part, fault);
    if (targets || npy.count != part->count)
        return summand__net_fail(fault, "%s: %llu %s for %llu samples", bytes->path,
                                 (unsigned long long)(targets ? npy.extent[0] : npy.count),
                                 targets ? "rows of targets" : "classes",
                                 (unsigned long long)part->count);
    return read_classes(bytes, &npy, part, fault);
}

static bool load_part(const char *folder, const char *x, const char *y, struct train_samples *part,
                      struct summand__net_fault *fault)
{
    struct train_bytes samples, answers = {0};
    bool good = train_bytes_read(folder, x, &samples, fault) &&
                read_samples(&samples, part, fault) &&
                train_bytes_read(folder, y, &answers, fault) && read_answers(&answers, part, fault);
    train_bytes_free(&samples);
    train_bytes_free(&answers);
    return good;
}

static bool load(const char *folder, struct train_data *data, struct summand__net_fault *fault)
{
    return load_part(folder, "train-x.npy", "train-y.npy", &data->train, fault) &&
           (!train_bytes_there(folder, "test-x.npy") ||
            load_part(folder, "test-x.npy", "test-y.npy", &data->test, fault));
}

static bool is_samples(const struct train_bytes *bytes)
{
    return bytes->count >= 6 && !memcmp(bytes->at, "\x93NUMPY", 6);
}

const struct train_format train_format_npy = {
    .name = "npy",
    .files = "train-x.npy (samples x features), train-y.npy (classes), test-...",
    .first = "train-x.npy",
    .load = load,
    .is_samples = is_samples,
    .samples = read_samples};
