/* SPDX-License-Identifier: BSD-3-Clause */
/* Samples with classes: read from files, or drawn. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "network/fault.h"

struct train_samples {
    size_t count, features;
    bool bytes;     /* values are bytes from 0 to 255, which stand for 0 to 1; else floats */
    void *values;   /* sample by sample */
    int32_t *label; /* the class of each, from 0 on */
    float *target;  /* or, of each, `targets` numbers that the outputs shall have; NULL: classes */
    size_t targets;
    char note[192]; /* the skipped part of a file, and its name; or empty */
};

struct train_data {
    struct train_samples train, test; /* a count of 0 of the second: there is none */
    size_t classes;                   /* or the number of targets of a sample */
};

struct train_bytes;

/* A format of a folder. Files of the parts are found by their names; `load` reads both parts. */
struct train_format {
    const char *name, *files; /* for the help: the files */
    const char *first;        /* a folder that has it is of this kind */
    bool (*load)(const char *folder, struct train_data *data, struct summand__net_fault *fault);
    /* A file of samples without classes. is_samples: whether these are its bytes, by the first
     * ones. */
    bool (*is_samples)(const struct train_bytes *bytes);
    bool (*samples)(struct train_bytes *bytes, struct train_samples *samples,
                    struct summand__net_fault *fault);
};

/* idx (also packed by gzip), csv, npy; ended by NULL. */
extern const struct train_format *const train_formats[];

/* Reads the first format whose files the folder has. Refuses a file that is incomplete or
 * inconsistent, with its name and the reason. */
bool train_data_load(const char *folder, struct train_data *data, struct summand__net_fault *fault);

/* Reads one file of samples without classes: .npy (samples x features), idx (images), else CSV
 * (lines of features). The caller frees them with train_samples_free. */
bool train_samples_load(const char *path, struct train_samples *samples,
                        struct summand__net_fault *fault);
void train_samples_free(struct train_samples *samples);

/* Digits drawn by strokes, 28 x 28 pixels: sample i depends on (seed, i) alone. */
bool train_data_digits(uint64_t seed, size_t train, size_t test, struct train_data *data,
                       struct summand__net_fault *fault);
enum { TRAIN_DIGIT_SIDE = 28 };

/* The largest magnitude of a feature, as trainings see it. */
double train_samples_largest(const struct train_samples *samples);

void train_data_free(struct train_data *data);

/* Features of sample i as floats. */
void train_sample_read(const struct train_samples *samples, size_t i, float *to);

/* What the network's outputs shall be for sample i: 1 for its class, else 0; or its targets. */
void train_sample_target(const struct train_samples *samples, size_t i, size_t outputs, float *to);

/* Prefetches a sample that will be read soon. */
void train_sample_fetch(const struct train_samples *samples, size_t i);

/* For readers. */
bool train_samples_make(struct train_samples *samples, size_t count, size_t features, bool bytes,
                        struct summand__net_fault *fault);
