#include "train/rate.h"

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
    {"constant", "the same in all epochs", constant},
    {"linear", "falls to 0 with the epochs", linear},
    {"cosine", "falls along half a cosine", cosine},
    {"step", "a tenth after a third of the epochs, a hundredth after two", step}};

const struct train_rate *const train_rates[] = {&rows[0], &rows[1], &rows[2], &rows[3], NULL};
