/* SPDX-License-Identifier: BSD-3-Clause */
/* The loss of guessing: of a network that gives the same outputs for each sample, the best ones. */
#include <math.h>
#include <stdlib.h>

#include "train/run.h"

/* Half the variance of each target, summed. */
static double guess_targets(const struct train_samples *samples)
{
    double loss = 0;
    for (size_t j = 0; j < samples->targets; j++) {
        const float *at = samples->target + j;
        double mean = 0, square = 0;
        for (size_t i = 0; i < samples->count; i++)
            mean += (double)at[i * samples->targets] / (double)samples->count;
        for (size_t i = 0; i < samples->count; i++) {
            double off = (double)at[i * samples->targets] - mean;
            square += off * off / (double)samples->count;
        }
        loss += square / 2;
    }
    return loss;
}

/* With the share p of each class: the entropy, or half the sum of p (1 - p). */
static double guess_classes(const struct train_samples *samples, size_t classes, bool is_softmax)
{
    size_t *count = calloc(classes, sizeof *count);
    double loss = 0;
    if (!count)
        return NAN;
    for (size_t i = 0; i < samples->count; i++)
        count[samples->label[i]]++;
    for (size_t c = 0; c < classes; c++) {
        double p = (double)count[c] / (double)samples->count;
        loss += is_softmax ? (p > 0 ? -p * log(p) : 0) : p * (1 - p) / 2;
    }
    free(count);
    return loss;
}

double train_run_guess(const struct train_run *run)
{
    const struct train_data *data = run->data;
    return data->train.target
               ? guess_targets(&data->train)
               : guess_classes(&data->train, data->classes, run->shape->loss->is_softmax);
}
