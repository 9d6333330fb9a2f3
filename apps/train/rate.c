/* SPDX-License-Identifier: BSD-3-Clause */
#include "train/run.h"

#include <math.h>

static double constant(size_t epoch, size_t epochs)
{
    (void)epoch;
    (void)epochs;
    return 1;
}

static double linear(size_t epoch, size_t epochs)
{
    return 1 - (double)epoch / (double)epochs;
}

static double cosine(size_t epoch, size_t epochs)
{
    return 0.5 + 0.5 * cos(3.14159265358979323846 * (double)epoch / (double)epochs);
}

static double step(size_t epoch, size_t epochs)
{
    return 3 * epoch < epochs ? 1 : 3 * epoch < 2 * epochs ? 0.1 : 0.01;
}

static const struct train_rate rows[] = {
    {"constant", "the same in all epochs", constant, false},
    {"linear", "falls to 0 with the epochs", linear, false},
    {"cosine", "falls along half a cosine", cosine, false},
    {"step", "a tenth after a third of the epochs, a hundredth after two", step, false},
    {"warm", "linear, and lower in the first epoch where weights are behind", linear, true}};

const struct train_rate *const train_rates[] = {&rows[0], &rows[1], &rows[2],
                                                &rows[3], &rows[4], NULL};

double train_rate_factor(const struct train_rate *rate, size_t epoch, double done, size_t epochs,
                         size_t behind)
{
    double factor = rate->factor(epoch, epochs);
    return rate->warm && !epoch && behind ? factor * pow(1 + (double)behind, (done - 1) / 2)
                                          : factor;
}
