/* SPDX-License-Identifier: BSD-3-Clause */
/* Arrays of NumPy: train-x.npy, samples x features, and train-y.npy, the classes as a vector, of
 * any type that base/npy.h reads; the same of test. */
#include <math.h>
#include <stdint.h>
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

/* Reads an array, a matrix or a vector, and checks that all its numbers are there. */
static bool read_array(const char *folder, const char *name, bool matrix, struct train_bytes *bytes,
                       struct summand__npy *npy, struct train_fault *fault)
{
    if (!train_bytes_read(folder, name, bytes, fault))
        return false;
    if (summand__npy_start(bytes->at, bytes->count, npy) && npy->begin > bytes->count)
        return train_fail(fault, "%s: the file ends within its .npy header", bytes->path);
    if (npy->wrong[0] || !summand__npy_read(bytes->at, npy))
        return train_fail(fault, "%s: %s", bytes->path, npy->wrong);
    if (npy->kind == 'c')
        return train_fail(fault, "%s: its values are complex; real numbers expected", bytes->path);
    if (matrix ? npy->dimensions != 2 : !npy->vector)
        return train_fail(fault, "%s: its shape is %s; %s expected", bytes->path, npy->shape,
                          matrix ? "two dimensions, samples and features,"
                                 : "a vector of classes, such as (460,) or (460, 1),");
    const uint64_t there = (bytes->count - npy->begin) / npy->width;
    if ((bytes->count - npy->begin) % npy->width || npy->count != there)
        return train_fail(fault, "%s: its header says %s numbers, and %llu follow", bytes->path,
                          npy->shape, (unsigned long long)there);
    return true;
}

static bool fill(const struct train_bytes *bytes, const struct summand__npy *npy,
                 const struct train_bytes *classes, const struct summand__npy *of_classes,
                 struct train_samples *part, struct train_fault *fault)
{
    float *values = part->values;
    for (size_t i = 0; i < part->count; i++) {
        double label = number_at(classes, of_classes, i, 0, part->count, 1);
        if (!(label >= 0 && label < 65536) || label != floor(label))
            return train_fail(fault, "%s: number %zu is no class (0, 1, ...)", classes->path, i);
        part->label[i] = (int32_t)label;
        for (size_t j = 0; j < part->features; j++) {
            float value = (float)number_at(bytes, npy, i, j, part->count, part->features);
            values[i * part->features + j] = value;
            if (!isfinite(value))
                return train_fail(fault, "%s: row %zu: not a finite float", bytes->path, i);
        }
    }
    return true;
}

static bool load_part(const char *folder, const char *x, const char *y, struct train_samples *part,
                      struct train_fault *fault)
{
    struct train_bytes bytes, classes = {0};
    struct summand__npy npy, of_classes;
    bool good = read_array(folder, x, true, &bytes, &npy, fault) &&
                read_array(folder, y, false, &classes, &of_classes, fault);
    if (good && npy.extent[0] != of_classes.count)
        good = train_fail(fault, "%s: %llu classes for %llu samples", classes.path,
                          (unsigned long long)of_classes.count, (unsigned long long)npy.extent[0]);
    good = good && train_samples_make(part, npy.extent[0], npy.extent[1], false, fault) &&
           fill(&bytes, &npy, &classes, &of_classes, part, fault);
    train_bytes_free(&bytes);
    train_bytes_free(&classes);
    return good;
}

static bool load(const char *folder, struct train_data *data, struct train_fault *fault)
{
    return load_part(folder, "train-x.npy", "train-y.npy", &data->train, fault) &&
           (!train_bytes_there(folder, "test-x.npy") ||
            load_part(folder, "test-x.npy", "test-y.npy", &data->test, fault));
}

const struct train_format train_format_npy = {
    "npy", "train-x.npy (samples x features), train-y.npy (classes), test-...", "train-x.npy",
    load};
